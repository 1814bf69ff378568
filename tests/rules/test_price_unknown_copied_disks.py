"""A disk whose size only a snapshot tells is unpriced on every cloud, and with a size priced."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps, Resource
from gpuinfra.planning import from_resources
from tests.rules.cases.judging import of_resources, outcomes

DISKS = {
    "aws:ebs/volume:Volume": (
        {"snapshotId": "snap-1", "type": "gp3", "availabilityZone": "us-east-1a"},
        "size",
        "us-east-1",
    ),
    "gcp:compute/disk:Disk": (
        {"snapshot": "last", "type": "pd-ssd", "zone": "us-central1-a"},
        "size",
        "us-central1",
    ),
    "azure-native:compute:Disk": (
        {
            "creationData": {"createOption": "Copy", "sourceResourceId": "/subscriptions/s/d"},
            "sku": {"name": "Premium_LRS"},
            "location": "eastus",
        },
        "diskSizeGB",
        "eastus",
    ),
}


@pytest.mark.parametrize("type_", DISKS)
@pytest.mark.parametrize("size", [None, 100])
def test_a_copy_of_unknown_size_has_no_price(type_, size):
    inputs, key, region = DISKS[type_]
    sized = inputs if size is None else {**inputs, key: size}
    urn = f"urn:pulumi:dev::shop::{type_}::data"
    disk = Resource(urn=urn, type=type_, name="data", inputs=sized, region=region)
    storage, *_ = from_resources((disk,), name="shop", caps=Caps()).items
    assert (storage.quantity is UNKNOWN) is (size is None)
    assert size is None or storage.quantity in {Decimal(size), Decimal(1)}


@pytest.mark.parametrize(
    ("disk", "known"),
    [
        ({"createOption": "Copy", "sourceResource": {"id": "/snapshots/s"}}, False),
        ({"createOption": "Restore"}, False),
        ({"createOption": "Copy", "diskSizeGB": 64}, True),
        ({"createOption": "Empty", "diskSizeGB": 64}, True),
        ({"createOption": "Attach"}, True),
    ],
)
def test_a_data_disk_of_azure_that_is_a_copy_has_the_size_of_another(disk, known):
    machine = Resource(
        urn="urn:pulumi:dev::shop::azure-native:compute:VirtualMachine::vm",
        type="azure-native:compute:VirtualMachine",
        name="vm",
        inputs={
            "location": "eastus",
            "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
            "storageProfile": {"osDisk": {"diskSizeGB": 64}, "dataDisks": [{"lun": 0, **disk}]},
        },
        region="eastus",
    )
    plan = of_resources([machine])

    assert ("violated" in outcomes(plan, "price-unknown")) is not known
