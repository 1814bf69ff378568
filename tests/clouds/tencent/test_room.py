from decimal import Decimal

import pytest

from gpuinfra.catalog.reference_figures import reference_figures
from gpuinfra.clouds import priced_cloud_of

TENCENT = priced_cloud_of("tencent")


@pytest.mark.parametrize(
    ("type_", "mode", "per_hour", "as_of"),
    [
        ("GN10Xp.2XLARGE40", "on-demand", "11.98", "2022"),
        ("GN10Xp.2XLARGE40", "subscription-1mo", "7.8767", "2022"),
        ("GT4.4XLARGE96", "subscription-1mo", "17.737", "2026-06-15"),
        ("HCCPNV4h", "subscription-1mo", "159.2877", "2026-08-06"),
    ],
)
def test_prices_hold_for_the_mainland_in_yuan(type_, mode, per_hour, as_of) -> None:
    (row,) = TENCENT.prices.rows(type_, "cn-mainland", mode)

    assert (row.per_unit, row.currency, row.as_of) == (Decimal(per_hour), "CNY", as_of)


def test_no_price_is_made_of_the_guide_s_worked_example() -> None:
    examples = reference_figures("tencent", "GN10Xp.2XLARGE40")

    assert [example.per_hour for example in examples] == [Decimal("2.38"), Decimal("2.8")]
    assert all("example" in example.why for example in examples)
    assert [row for row in TENCENT.prices.all_rows() if row.currency != "CNY"] == []
    assert [row for row in TENCENT.prices.all_rows() if "EXAMPLE" in row.notes] == []
    assert [mode for mode in TENCENT.prices.modes() if mode.startswith("tier")] == []


def test_what_was_retired_says_so() -> None:
    retired = {
        machine.type.partition(".")[0]
        for machine in TENCENT.machines.all_machines()
        if machine.status != "current"
    }

    assert retired == {"GN2"}


def test_half_a_gpu_has_half_its_memory() -> None:
    half = TENCENT.machines.get("GN7.2XLARGE40")

    assert (half.gpu_count, half.gpu_memory_nominal_gb) == (Decimal("0.5"), 8)


def test_rdma_between_bare_metal_machines() -> None:
    joined = TENCENT.machines.get("HCCG5v.24XLARGE384")

    assert (joined.fabric, joined.fabric_interfaces, joined.fabric_gbps) == ("rdma", 2, 200)
    assert joined.usage_classes == ("subscription",)


def test_no_source_denies_a_fabric() -> None:
    machines = priced_cloud_of("tencent").machines.all_machines()

    assert machines
    assert not [machine.type for machine in machines if machine.fabric_interfaces == 0]
