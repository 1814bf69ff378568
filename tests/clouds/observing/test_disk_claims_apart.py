"""Claims beside several StorageClasses or volumes, and sets beside a scaler of another set."""

from typing import Any

import pytest

from gpuinfra.model import Plan
from tests.clouds.observing.test_disk_claims import with_cluster
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment, Program

CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
SET = "kubernetes:apps/v1:StatefulSet"
SCALER = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
CLAIM = {"resources": {"requests": {"storage": "10Gi"}}}


def reasons(plan: Plan) -> list[str]:
    return [
        row.reason
        for row in plan.not_judged
        if row.may_start_machines and row.type.startswith("kubernetes:")
    ]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("gp3", "gp3"), []),
        (("gp3", "io2"), ["is one of several that differ"]),
    ],
)
def test_classes_of_one_name_that_are_alike_are_as_one(
    kinds: tuple[str, ...], expected: list[str]
) -> None:
    program = Program()
    program.add("aws:eks/cluster:Cluster", "c", region="us-east-1")
    for at, kind in enumerate(kinds):
        program.add(
            CLASS,
            f"class{at}",
            provisioner="ebs.csi.aws.com",
            parameters={"type": kind},
            metadata={"name": "fast"},
        )
    spec = {"storageClassName": "fast", **CLAIM}
    program.add("kubernetes:core/v1:PersistentVolumeClaim", "it", spec=spec)
    found = reasons(of_resources(program.resources()))

    assert len(found) == len(expected)
    assert all(words in reason for words, reason in zip(expected, found, strict=True))


@both
@pytest.mark.parametrize(
    ("own", "named", "made"),
    [("weights", None, False), ("weights", "weights", False), ("weights", "other", True)],
)
def test_a_claim_on_a_volume_of_the_stack_makes_no_disk(
    own: str, named: str | None, moment: Moment, *, made: bool
) -> None:
    program = Program()
    program.add("gcp:container/cluster:Cluster", "c", location="us-central1-a")
    volume = program.add(
        "kubernetes:core/v1:PersistentVolume",
        own,
        name=own,
        metadata={"name": own},
        spec={"csi": {"driver": "gcsfuse.csi.storage.gke.io", "volumeHandle": "bucket"}},
    )
    spec = {
        "storageClassName": "example-storage-class",
        "volumeName": named or volume.out("name"),
        **CLAIM,
    }
    program.add("kubernetes:core/v1:PersistentVolumeClaim", "it", spec=spec)
    found = reasons(of_resources(program.resources(moment)))

    assert any("example-storage-class" in reason for reason in found) is made
    assert bool(found) is made


@pytest.mark.parametrize(
    ("target", "scaled"),
    [
        ({"kind": "StatefulSet", "name": "db"}, True),
        ({"kind": "StatefulSet", "name": "other"}, False),
        ({"kind": "StatefulSet"}, True),
        ({"kind": "Deployment", "name": "db"}, False),
    ],
)
def test_a_scaler_is_that_of_the_set_it_names(target: dict[str, Any], *, scaled: bool) -> None:
    program = with_cluster("aws")
    program.add(SCALER, "scaler", spec={"scaleTargetRef": target})
    program.add(
        SET,
        "it",
        metadata={"name": "db"},
        spec={
            "template": {"spec": {"containers": [{"image": "i"}]}},
            "volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": CLAIM}],
        },
    )

    found = reasons(of_resources(program.resources()))

    assert any("disks for each pod" in reason for reason in found) is scaled
