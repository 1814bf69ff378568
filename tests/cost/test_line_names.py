import re

import pytest

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.cost.line_names import item_name


@pytest.mark.parametrize(
    ("kind", "item", "name"),
    [
        ("address", "public-ipv4-hour", "public IPv4"),
        ("address", "external-ip-in-use-hour", "public IPv4"),
        ("NAT gateway", "nat-gateway-hour", "NAT gateway"),
        ("disk", "ebs-gp3-storage", "disk gp3"),
        ("disk", "pd-ssd-storage", "disk pd-ssd"),
        ("disk", "hyperdisk-balanced-iops", "disk hyperdisk-balanced IOPS"),
        ("disk", "disk-premium-p30", "disk Premium SSD P30"),
        ("bucket", "s3-standard-storage-first-50tb", "bucket S3 Standard"),
        ("bucket", "s3-standard-storage-next-450tb", "bucket S3 Standard, next 450 TB"),
        ("versions", "blob-hot-lrs-first-50tb", "versions Blob hot LRS"),
        ("key", "kms-key", "KMS key"),
        ("spot", "g6.xlarge", "spot g6.xlarge"),
        ("on-demand", "Standard_ND96isr_H100_v5", "on-demand Standard_ND96isr_H100_v5"),
    ],
)
def test_an_item_has_a_plain_name(kind: str, item: str, name: str) -> None:
    assert item_name(kind, item) == name


DISKS = {"hyperdisk-throughput"}
"""Types of disks, which are called as on a bill."""


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_item_of_a_price_list_keeps_its_id(cloud: str) -> None:
    items = set(provider_of(cloud).prices.service_items())

    names = {item: item_name("thing", item) for item in items}

    assert names
    assert [item for item, name in names.items() if item in name and item not in DISKS] == []
    assert [name for name in names.values() if re.search("-(hour|storage|tb)|  |-$", name)] == []
