"""A disk whose size only a snapshot tells is unpriced on every cloud, and with a size priced."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps, Resource
from gpuinfra.planning import from_resources

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
    said = inputs if size is None else {**inputs, key: size}
    urn = f"urn:pulumi:dev::shop::{type_}::data"
    disk = Resource(urn=urn, type=type_, name="data", inputs=said, region=region)
    storage, *_ = from_resources((disk,), name="shop", caps=Caps()).items
    assert (storage.quantity is UNKNOWN) is (size is None)
    assert size is None or storage.quantity in {Decimal(size), Decimal(1)}
