"""EBS volumes that claims of Kubernetes objects make are encrypted, or the rule says so."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
SET = "kubernetes:apps/v1:StatefulSet"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
EBS, AUTO, IN_TREE = "ebs.csi.aws.com", "ebs.csi.eks.amazonaws.com", "kubernetes.io/aws-ebs"
CLUSTERS = {
    "aws": "aws:eks/cluster:Cluster",
    "gcp": "gcp:container/cluster:Cluster",
    "elsewhere": None,
}


def claim(name: str | None = "fast", **more: Any) -> dict[str, Any]:
    named = {} if name is None else {"storageClassName": name}
    return {**named, "resources": {"requests": {"storage": "5Gi"}}, **more}


def program_of(cluster: str = "aws") -> Program:
    program = Program()
    if (kind := CLUSTERS[cluster]) is not None:
        program.add(kind, "c", region="us-east-1", location="us-central1-a")
    return program


def declare(program: Program, driver: str, **parameters: Any) -> None:
    program.add(
        CLASS, "class", provisioner=driver, parameters=parameters, metadata={"name": "fast"}
    )


def told(program: Program, spec: Any, token: str = CLAIM) -> list[str]:
    program.add(token, "it", spec=spec)
    plan = of_resources(program.resources())
    assert [disk.name for disk in plan.disks] in ([], ["it"])
    return [outcome for outcome, _ in verdicts(plan, "disk-encrypted") if plan.disks]


@pytest.mark.parametrize("driver", [EBS, AUTO, IN_TREE])
@pytest.mark.parametrize(
    ("parameters", "outcome"),
    [
        ({}, "violated"),
        ({"type": "gp3"}, "violated"),
        ({"encrypted": "false"}, "violated"),
        ({"encrypted": "true"}, "fine"),
        ({"Encrypted": "true", "kmsKeyId": "k"}, "fine"),
        ({"encrypted": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_claim_is_encrypted_as_its_class_says(parameters, outcome, driver):
    program = program_of()
    declare(program, driver, **parameters)
    assert told(program, claim()) == [outcome]


@pytest.mark.parametrize("key", ["dataSource", "dataSourceRef"])
def test_a_copy_may_be_encrypted_as_its_snapshot_is(key):
    program = program_of()
    declare(program, EBS)
    assert told(program, claim(**{key: {"kind": "VolumeSnapshot"}})) == ["not-knowable"]


@pytest.mark.parametrize(
    ("cluster", "driver", "outcomes"),
    [
        ("elsewhere", EBS, ["violated"]),
        ("elsewhere", "pd.csi.storage.gke.io", []),
        ("gcp", "pd.csi.storage.gke.io", []),
        ("aws", "efs.csi.aws.com", []),
    ],
)
def test_the_driver_tells_whose_disk_it_is(cluster, driver, outcomes):
    program = program_of(cluster)
    declare(program, driver)
    assert told(program, claim()) == outcomes


@pytest.mark.parametrize("name", ["gp2", None])
@pytest.mark.parametrize(
    ("cluster", "outcomes"), [("aws", ["violated"]), ("elsewhere", []), ("gcp", [])]
)
def test_the_class_that_a_cluster_of_eks_comes_with_encrypts_nothing(name, cluster, outcomes):
    assert told(program_of(cluster), claim(name)) == outcomes


def test_one_unencrypted_claim_of_a_set_is_enough():
    program = program_of()
    declare(program, EBS, encrypted="true")
    templates = [{"spec": claim()}, {"spec": claim("gp2")}]
    spec = {"replicas": 2, "template": {"spec": {"containers": [{}]}}}
    assert told(program, {**spec, "volumeClaimTemplates": templates}, SET) == ["violated"]


def test_an_account_that_encrypts_encrypts_claims():
    program = program_of()
    switch = program.add("aws:ebs/encryptionByDefault:EncryptionByDefault", "d", enabled=True)
    program.add(CLAIM, "it", spec=claim("gp2"), metadata={"labels": {"after": switch.id}})
    plan = of_resources(program.resources("preview"))
    assert [outcome for outcome, _ in verdicts(plan, "disk-encrypted")] == ["fine"]


DEFAULT = {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
ADDON, RELEASE = "aws:eks/addon:Addon", "kubernetes:helm.sh/v3:Release"


@pytest.mark.parametrize(
    ("version", "spec", "beside", "waits"),
    [
        ("1.33", claim(None), {}, True),
        (None, claim(None), {}, True),
        ("1.29", claim(None), {}, False),
        (UNKNOWN, claim(None), {}, False),
        ("newest", claim(None), {}, False),
        ("1.30", claim("gp2"), {}, False),
        ("1.30", claim(UNKNOWN), {}, False),
        ("1.30", claim(""), {}, False),
        ("1.30", UNKNOWN, {}, False),
        ("1.30", claim(None), {CLASS: {"metadata": {"name": "fast"}}}, True),
        ("1.30", claim(None), {CLASS: {"metadata": DEFAULT}}, False),
        ("1.30", claim(None), {CLASS: {"metadata": UNKNOWN}}, False),
        ("1.30", claim(None), {ADDON: {"addonName": "aws-ebs-csi-driver"}}, True),
        (
            "1.30",
            claim(None),
            {ADDON: {"addonName": "aws-ebs-csi-driver", "configurationValues": "{}"}},
            False,
        ),
        ("1.30", claim(None), {RELEASE: {"chart": "aws-ebs-csi-driver", "values": {}}}, False),
        ("1.30", claim(None), {RELEASE: {"chart": "grafana", "values": {}}}, True),
    ],
)
@pytest.mark.parametrize("token", [CLAIM, SET])
def test_a_claim_waits_where_eks_has_no_default_class(version, spec, beside, waits, token):
    program = Program()
    program.add(CLUSTERS["aws"], "c", **({} if version is None else {"version": version}))
    for kind, inputs in beside.items():
        program.add(kind, "beside", **inputs)
    program.add(
        token, "it", spec=spec if token == CLAIM else {"volumeClaimTemplates": [{"spec": spec}]}
    )
    told = [words for _, words in verdicts(of_resources(program.resources()), "resource-settings")]

    assert any("no default StorageClass" in words for words in told) is waits


@pytest.mark.parametrize(("context", "waits"), [("elsewhere", False), ("c", True), (None, True)])
def test_a_claim_of_another_cluster_does_not_wait_for_eks(context, waits):
    program = Program()
    program.add(CLUSTERS["aws"], "c", name="c")
    program.add(CLAIM, "it", spec=claim(None))
    cluster, made = program.resources()
    inputs = {} if context is None else {"context": context}
    provider = Resource(urn="p", type="pulumi:providers:kubernetes", name="p", inputs=inputs)
    plan = of_resources((cluster, replace(made, provider=provider)))
    told = [words for _, words in verdicts(plan, "resource-settings")]

    assert any("no default StorageClass" in words for words in told) is waits
