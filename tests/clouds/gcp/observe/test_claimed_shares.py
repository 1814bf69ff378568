"""A claim on GKE whose class makes a Filestore share pays for its tier, and for its least size."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

HDD, SSD, ZONAL = "filestore-basic-hdd", "filestore-basic-ssd", "filestore-zonal"


def plan(size: Any, parameters: Any = None, name: str = "shares") -> Plan:
    program = Program()
    program.add(
        "gcp:container/cluster:Cluster",
        "c",
        location="us-central1-a",
        removeDefaultNodePool=True,
    )
    if parameters is not None:
        program.add(
            "kubernetes:storage.k8s.io/v1:StorageClass",
            "class",
            provisioner="filestore.csi.storage.gke.io",
            parameters=parameters,
            metadata={"name": name},
        )
    requests = {"requests": {"storage": size}}
    program.add(
        "kubernetes:core/v1:PersistentVolumeClaim",
        "it",
        spec={"storageClassName": name, "resources": requests},
    )
    return of_resources(program.resources())


def items(*arguments: Any, **settings: Any) -> dict[str, Any]:
    every = plan(*arguments, **settings).items
    return {item.item: item.quantity for item in every if item.name == "it"}


@pytest.mark.parametrize(
    ("size", "parameters", "expected"),
    [
        ("2Ti", {}, {HDD: 2048}),
        ("2Ti", {"tier": "standard"}, {HDD: 2048}),
        ("200Gi", {"tier": "BASIC_HDD"}, {HDD: 1024}),
        ("200Gi", {"tier": "premium"}, {SSD: 2560}),
        ("10Ti", {"tier": "zonal", "location": "us-central1-b"}, {ZONAL: 10240}),
        ("10Ti", {"tier": "zonal", "multishare": "false"}, {ZONAL: 10240}),
        ("2Ti", {"location": "europe-west1-b"}, {HDD: UNKNOWN}),
        ("2Ti", {"location": UNKNOWN}, {HDD: UNKNOWN}),
        (UNKNOWN, {}, {HDD: UNKNOWN}),
    ],
)
def test_a_claim_pays_for_a_share_of_its_tier(size, parameters, expected):
    assert items(size, parameters) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("standard-rwx", {HDD: 1024}),
        ("premium-rwx", {SSD: 2560}),
        ("zonal-rwx", {ZONAL: 1024}),
    ],
)
def test_the_classes_of_gke_have_their_tiers(name, expected):
    assert items("100Gi", name=name) == expected


@pytest.mark.parametrize(
    ("parameters", "outcome"),
    [
        ({"tier": "premium"}, "fine"),
        ({"tier": "enterprise"}, "violated"),
        ({"tier": "standard", "multishare": "true"}, "violated"),
        ({"tier": UNKNOWN}, "violated"),
        ({"multishare": UNKNOWN}, "violated"),
    ],
)
def test_what_has_no_price_is_refused(parameters, outcome):
    judged = outcomes(plan("3Ti", parameters), "price-unknown")
    assert ("violated" in judged) is (outcome == "violated")
