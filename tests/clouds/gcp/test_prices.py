import subprocess
import sys
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.tables import PRICES


@pytest.mark.parametrize(
    ("type_", "per_hour"),
    [
        ("a3-highgpu-8g", "88.490000119"),
        ("a2-highgpu-8g", "29.38708"),
        ("a2-ultragpu-8g", "40.550435"),
        ("g2-standard-4", "0.70683228"),
    ],
)
def test_reference_prices_of_us_central1(type_: str, per_hour: str) -> None:
    (row,) = PRICES.rows(type_, "us-central1", "on-demand")

    assert abs(row.per_unit - Decimal(per_hour)) < Decimal("0.001")
    assert row.as_of == "2026-08-03"


def test_an_n1_with_gpus_costs_its_host_and_its_gpus() -> None:
    (row,) = PRICES.rows("n1-standard-8+2xT4", "us-central1", "on-demand")
    host = 8 * Decimal("0.031611") + 30 * Decimal("0.004237")

    assert row.per_unit == host + 2 * Decimal("0.35")
    assert "karpenter-provider-gcp" in row.source
    assert "skypilot-catalog" in row.source
    assert row.as_of == "2026-07-16"
    assert row.notes.startswith("DERIVED")


def test_every_n1_row_is_priced_in_every_region_that_has_both_rates() -> None:
    types = [machine.type for machine in MACHINES.all_machines() if "+" in machine.type]
    priced = {region for region in REGIONS.all() if PRICES.rows(types[0], region, "on-demand")}

    assert len(types) == 14
    assert len(priced) == 23
    for type_ in types:
        for region in priced:
            assert PRICES.rows(type_, region, "on-demand"), (type_, region)
            assert PRICES.rows(type_, region, "spot"), (type_, region)


@pytest.mark.parametrize("type_", ["a3-highgpu-1g", "a3-highgpu-4g", "a3-ultragpu-8g"])
def test_a_listed_rate_does_not_make_a_machine_sold_on_demand(type_: str) -> None:
    assert "on-demand" not in machine(type_).usage_classes
    assert "spot" in machine(type_).usage_classes


@pytest.mark.parametrize(
    ("mode", "per_hour", "as_of"),
    [
        ("committed-1y", "61.383672", "2026-07-30"),
        ("committed-3y", "38.864381", "2026-07-30"),
        ("flex-start", "38.32", "2026-09-25"),
        ("calendar", "41.6", "2026-09-27"),
    ],
)
def test_each_way_to_buy_has_prices_of_its_own(mode: str, per_hour: str, as_of: str) -> None:
    (row,) = PRICES.rows("a3-highgpu-8g", "us-central1", mode)

    assert (row.per_unit, row.as_of) == (Decimal(per_hour), as_of)


def test_flex_start_and_calendar_are_known_in_one_region() -> None:
    rows = [row for row in PRICES.all_rows() if row.mode in {"flex-start", "calendar"}]

    assert len(rows) == 16
    assert {row.region for row in rows} == {"us-central1"}


def test_services_that_span_regions_stand_under_the_wider_place() -> None:
    (row,) = PRICES.rows("gcs-multi-region-standard-storage", "us", "list")

    assert (row.per_unit, row.unit) == (Decimal("0.026"), "GB-month")


def test_what_nobody_sells_somewhere_has_no_price_there() -> None:
    assert PRICES.rows("a3-highgpu-8g", "africa-south1", "on-demand") == ()
    assert PRICES.rows("a9-highgpu-8g", "us-central1", "on-demand") == ()
    assert PRICES.rows("hyperdisk-balanced-iops", "europe-west4", "list") == ()


@pytest.mark.parametrize(
    "item", ["cloud-nat-vm-hour", "cloud-nat-data", "external-ip-in-use-hour"]
)
def test_a_price_that_is_global_holds_in_every_region(item: str) -> None:
    amounts = {PRICES.rows(item, region, "list")[0].per_unit for region in REGIONS.all()}

    assert len(amounts) == 1
    assert all(len(PRICES.rows(item, region, "list")) == 1 for region in REGIONS.all())


def test_a_free_row_says_why_and_where_from() -> None:
    row = PRICES.free_type_row("gcp:compute/network:Network")

    assert row is not None
    assert row.per_unit == 0
    assert row.source
    assert row.notes
    assert PRICES.free_type_row("gcp:compute/routerNat:RouterNat") is None
    assert PRICES.free_type_row("gcp:compute/forwardingRule:ForwardingRule") is None


def test_items_are_paid_for_by_their_resource_type() -> None:
    assert PRICES.token("cloud-nat-data") == "gcp:compute/routerNat:RouterNat"
    assert PRICES.token("monitoring-metrics-first-100gb") == ""
    assert "cloud-nat-vm-hour" in PRICES.service_items()


def test_one_look_up_does_not_read_what_it_does_not_need() -> None:
    script = (
        "import sys\n"
        "from gpuinfra.clouds.gcp.tables import PRICES\n"
        "PRICES.rows('a3-highgpu-8g', 'us-central1', 'on-demand')\n"
        "heavy = {'pydantic', 'pulumi', 'pulumi_gcp', 'ruamel', 'gpuinfra.clouds.gcp.observe'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("machine", "custom"),
    [
        ("custom-8-53248-ext", True),
        ("n4-custom-4-8192", True),
        ("n2d-custom-4-8192-ext", True),
        ("n1-custom-8-53248-ext+2xT4", True),
        ("n9-standard-4", False),
    ],
)
def test_a_custom_machine_type_is_said_to_have_rates_that_no_source_has(machine, custom):
    assert CATALOG.list_price("gcp", machine, "us-central1", "on-demand") is None
    why = CATALOG.why_unpriced("gcp", machine, "us-central1", "on-demand")
    start = f"no on-demand price for {machine} in us-central1"
    assert why.startswith(start)
    assert ("and memory at rates of their own" in why) is custom
    assert custom or why == start
