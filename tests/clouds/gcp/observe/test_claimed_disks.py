"""A claim on GKE whose class makes a disk in each zone pays for a number that is not known."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Item
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program

ML = {"type": "hyperdisk-ml", "provisioned-throughput-on-create": "2400Mi"}
EACH = "enable-multi-zone-provisioning"


def items_of(parameters: Any) -> list[Item]:
    program = Program()
    program.add("gcp:container/cluster:Cluster", "c", location="us-central1-a")
    program.add(
        "kubernetes:storage.k8s.io/v1:StorageClass",
        "class",
        provisioner="pd.csi.storage.gke.io",
        parameters=parameters,
        metadata={"name": "weights"},
    )
    size = {"requests": {"storage": "500Gi"}}
    program.add(
        "kubernetes:core/v1:PersistentVolumeClaim",
        "it",
        spec={"storageClassName": "weights", "resources": size},
    )
    return [item for item in of_resources(program.resources()).items if item.name == "it"]


@pytest.mark.parametrize("more", [{}, {EACH: "false"}, {EACH: ""}])
def test_one_disk_has_a_price(more: dict[str, Any]) -> None:
    assert {item.item: item.quantity for item in items_of(ML | more)} == {
        "hyperdisk-ml-storage": 500,
        "hyperdisk-ml-throughput": 2400,
    }


@pytest.mark.parametrize("each", ["true", "True", UNKNOWN])
def test_a_disk_in_each_zone_has_none(each: Any) -> None:
    items = items_of(ML | {EACH: each})

    assert [item.quantity for item in items] == [UNKNOWN, UNKNOWN]
    assert all(EACH in item.quantity_hint for item in items)
