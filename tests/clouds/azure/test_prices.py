import subprocess
import sys
from decimal import Decimal

import pytest

from gpuinfra.clouds.azure.disk import tier_of
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.azure.tables import PRICES


@pytest.mark.parametrize(
    ("size", "mode", "per_hour", "as_of"),
    [
        ("Standard_ND96isr_H100_v5", "on-demand", "98.32", "2026-06-18"),
        ("Standard_ND96amsr_A100_v4", "on-demand", "32.77", "2026-06-18"),
        ("Standard_NC8as_T4_v3", "on-demand", "0.752", "2026-06-18"),
        ("Standard_ND96isr_H100_v5", "reserved-1y", "62.924772", "2026-09-27"),
        ("Standard_NC16as_T4_v3", "spot", "0.143517", "2024-01-01"),
    ],
)
def test_reference_prices_of_eastus(size: str, mode: str, per_hour: str, as_of: str) -> None:
    rows = PRICES.rows(size, "eastus", mode)

    assert [(row.per_unit, row.as_of) for row in rows] == [(Decimal(per_hour), as_of)]


def test_an_old_spot_price_says_that_it_is_stale() -> None:
    (row,) = PRICES.rows("Standard_NC16as_T4_v3", "eastus", "spot")

    assert row.notes.startswith("STALE")


def test_every_region_prices_the_disks_and_the_way_out() -> None:
    items = [
        "nat-gateway-hour",
        "nat-gateway-data",
        "lb-standard-first-5-rules-hour",
        "lb-standard-data",
        "blob-hot-lrs-first-50tb",
        *(tier_of(size).item for size in (64, 128, 256, 512, 1024, 2048, 4095)),
    ]
    missing = [
        (r, item) for r in REGIONS.all() for item in items if not PRICES.rows(item, r, "list")
    ]

    assert missing == []


def test_a_larger_disk_costs_more_in_every_region() -> None:
    for region in REGIONS.all():
        costs = [
            PRICES.rows(tier_of(size).item, region, "list")[0].per_unit
            for size in (32, 64, 128, 256, 512, 1024, 2048, 4095, 8192, 16_384, 32_767)
        ]

        assert costs == sorted(set(costs)), region


def test_what_nobody_sells_somewhere_has_no_price_there() -> None:
    assert PRICES.rows("Standard_ND96isr_H100_v5", "germanynorth", "on-demand") == ()
    assert PRICES.rows("Standard_X9", "eastus", "on-demand") == ()
    assert PRICES.rows("blob-hot-lrs-over-500tb", "westus2", "list") == ()


def test_a_free_row_says_why_and_where_from() -> None:
    row = PRICES.free_type_row("azure-native:network:VirtualNetwork")

    assert row is not None
    assert row.per_unit == 0
    assert row.source
    assert row.notes
    assert PRICES.free_type_row("azure-native:network:NatGateway") is None
    assert PRICES.free_type_row("azure-native:storage:StorageAccount") is None


def test_items_are_paid_for_by_their_resource_type() -> None:
    assert PRICES.token("nat-gateway-data") == "azure-native:network:NatGateway"
    assert PRICES.token("public-ip-prefix-hour") == "azure-native:network:PublicIPPrefix"
    assert PRICES.token("public-ip-standard-static-hour") == "azure-native:network:PublicIPAddress"
    assert PRICES.token("egress-inter-region") == ""
    assert "disk-premium-p15" in PRICES.service_items()


def test_one_look_up_does_not_read_what_it_does_not_need() -> None:
    script = (
        "import sys\n"
        "from gpuinfra.clouds.azure.tables import PRICES\n"
        "PRICES.rows('Standard_ND96isr_H100_v5', 'eastus', 'on-demand')\n"
        "heavy = {'pydantic', 'pulumi', 'ruamel', 'gpuinfra.clouds.azure.observe',\n"
        "         'gpuinfra.clouds.azure.agent', 'urllib.request'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", script], check=True)
