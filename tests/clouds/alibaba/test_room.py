from decimal import Decimal

import pytest

from gpuinfra.clouds import priced_cloud_of, provider_of
from gpuinfra.errors import InputError

ALIBABA = priced_cloud_of("alibaba")


@pytest.mark.parametrize(
    ("type_", "region", "mode", "per_hour", "as_of"),
    [
        ("ecs.ebmgn6i.24xlarge", "cn-heyuan", "on-demand", "68.75", "2024-10-09"),
        ("ecs.ebmgn6i.24xlarge", "cn-shanghai", "on-demand", "68.75", "2023-06"),
        ("ecs.ebmgn6i.24xlarge", "cn-shanghai", "subscription-1mo", "27.1233", "2023-06"),
    ],
)
def test_prices_stay_in_yuan_with_their_dates(type_, region, mode, per_hour, as_of) -> None:
    (row,) = ALIBABA.prices.rows(type_, region, mode)

    assert (row.per_unit, row.currency, row.as_of) == (Decimal(per_hour), "CNY", as_of)
    assert (row.cloud, row.zone, row.unit) == ("alibaba", None, "hour")


def test_a_note_without_a_region_is_no_price() -> None:
    assert ALIBABA.machines.get("ecs.gn8v-2x.8xlarge").usage_classes == ()
    assert [row for row in ALIBABA.prices.all_rows() if row.item == "ecs.gn8v-2x.8xlarge"] == []


def test_the_cards_are_those_that_the_cloud_has() -> None:
    assert ALIBABA.machines.get("ecs.gn7i-c8g1.2xlarge").gpu == "A10"
    assert ALIBABA.machines.get("ecs.gn4.8xlarge").gpu_memory_nominal_gb == 12
    assert ALIBABA.machines.get("ecs.ebmgn9g.64xlarge").gpu == "L20N-48GB"


def test_object_storage_is_in_dollars_and_only_in_virginia() -> None:
    (row,) = ALIBABA.prices.rows("oss-standard-lrs-storage", "us-east-1", "list")

    assert (row.per_unit, row.currency, row.unit) == (Decimal("0.016"), "USD", "GB-month")
    assert ALIBABA.prices.rows("oss-standard-lrs-storage", "cn-shanghai", "list") == ()


def test_nothing_is_built_there() -> None:
    assert ALIBABA.refresh is None
    with pytest.raises(InputError):
        provider_of("alibaba")


def test_no_source_denies_a_fabric() -> None:
    machines = priced_cloud_of("alibaba").machines.all_machines()

    assert machines
    assert not [machine.type for machine in machines if machine.fabric_interfaces == 0]
