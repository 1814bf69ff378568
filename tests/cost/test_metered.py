"""What a whole stack uses up in a month: by tier, where it costs the most, and never guessed."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.cost import Line, PricingTerms, Quote, estimate
from gpuinfra.cost.metered import KINDS
from gpuinfra.model import NOWHERE, Bucket, Caps, Item, Plan
from gpuinfra.specs.schema import Usage

TODAY = date(2026, 11, 21)
TIB = Decimal(2**40) / 10**9
"""GB in a binary TB, which is what tiers are made of."""


def plan(data: dict[str, Decimal] | None, *places: tuple[str, str], **more: Any) -> Plan:
    buckets = tuple(
        Bucket(name=f"b{index}", subject="", cloud=cloud, region=region)
        for index, (cloud, region) in enumerate(places)
    )
    return Plan(name="s", owner=None, caps=Caps(), buckets=buckets, data=data, **more)


def quoted(*of: Any, **more: Any) -> Quote:
    return estimate(plan(*of, **more), PricingTerms(as_of=TODAY))


def nat(cloud: str = "aws", region: str = "us-east-1") -> Item:
    return Item(
        name="n",
        subject="n",
        kind="network",
        cloud=cloud,
        item="nat-gateway-data",
        unit="GB",
        quantity=None,
        region=region,
    )


def test_data_falls_into_the_tiers_of_its_amount() -> None:
    quote = quoted({"data_out": 60 * TIB}, ("aws", "us-east-1"))
    lines = [(line.item, line.quantity, line.per_month) for line in quote.lines if line.per_month]

    assert lines == [
        ("data-transfer-out-internet-first-10tb", 10_240, Decimal("921.60")),
        ("data-transfer-out-internet-next-40tb", 40_960, Decimal("3481.600")),
        ("data-transfer-out-internet-next-100tb", 10_240, Decimal("716.80")),
    ]
    assert quote.per_month.ceiling == Decimal("5120.00")
    assert f"{quote.per_hour.ceiling:.9f}" == f"{Decimal(5120) / 730:.9f}"


def test_what_crosses_between_zones_is_paid_at_both_ends() -> None:
    quote = quoted({"between_zones": TIB}, ("aws", "us-east-1"))

    assert quote.per_month.ceiling == 2 * 1024 * Decimal("0.01")


def test_what_is_not_said_prints_its_rate() -> None:
    quote = quoted({}, ("aws", "us-east-1"))

    assert quote.per_month.ceiling == 0
    assert rates(quote) == {
        "data-transfer-out-internet-first-10tb": Decimal("0.09"),
        "data-transfer-inter-az-each-direction": Decimal("0.01"),
    }


def test_between_regions_counts_where_a_stack_stands_in_two() -> None:
    quote = quoted({}, ("aws", "us-east-1"), ("aws", "us-east-2"))

    assert "data-transfer-inter-region" in rates(quote)


def rates(quote: Quote) -> dict[str, Decimal | None]:
    return {line.item: line.rate for line in quote.rates}


def test_a_plan_of_one_resource_says_nothing_of_the_whole() -> None:
    assert quoted(None, ("aws", "us-east-1")).lines == ()


def test_all_of_it_counts_where_it_costs_the_most() -> None:
    cheap, dear = ("aws", "us-east-1"), ("gcp", "asia-east1")
    alone = [quoted({"data_out": TIB}, place).per_month.ceiling for place in (cheap, dear)]

    assert alone[0] < alone[1]
    for places in ((cheap, dear), (dear, cheap)):
        assert quoted({"data_out": TIB}, *places).per_month.ceiling == alone[1]


def test_requests_and_data_are_capacity_units_of_a_load_balancer() -> None:
    """A unit takes 90,000 new connections, or 1 GB, an hour."""
    quote = quoted({"requests": Decimal(9_000_000)}, ("aws", "us-east-1"))
    data = quoted({"balancer_data": TIB}, ("aws", "us-east-1"))

    line = of(quote, "alb-lcu")
    assert (line.unit, line.quantity, line.per_month) == ("LCU-hour", 100, Decimal("0.8"))
    assert line.source
    assert line.as_of
    assert of(data, "alb-lcu").per_month == 1024 * Decimal("0.008")


def test_requests_cost_nothing_where_a_balancer_bills_its_data_alone() -> None:
    assert quoted({"requests": Decimal(10**9)}, ("gcp", "us-central1")).per_month.ceiling == 0
    quote = quoted({"balancer_data": TIB}, ("gcp", "us-central1"))
    assert of(quote, "lb-data-processed").quantity == 1024


def test_custom_metrics_are_counted_and_no_bytes() -> None:
    quote = quoted({"custom_metrics": Decimal(40)}, ("aws", "us-east-1"))

    assert of(quote, "cloudwatch-custom-metric").quantity == 40
    assert quote.per_month.ceiling == 12
    assert quoted({"custom_metrics": Decimal(40)}, ("gcp", "us-central1")).unpriced


def test_a_price_that_nobody_knows_is_refused_with_the_way_out() -> None:
    quote = quoted({"between_zones": TIB}, ("azure", "eastus"), ("aws", "us-east-1"))

    (why,) = quote.unpriced
    assert "between-zones in eastus" in why
    assert "prices.yaml" in why
    assert "usage: between_zones" in why


def test_a_stack_that_stands_nowhere_has_no_price_of_its_data() -> None:
    assert "no resource is in a known region" in quoted({"logs": TIB}).unpriced[0]


def test_data_through_nat_is_said_once_for_all_gateways() -> None:
    unsaid = quoted({}, ("aws", "us-east-1"), items=(nat(), nat()))
    quote = quoted({"nat_data": TIB}, ("aws", "us-east-1"), items=(nat(), nat()))

    assert [line.item for line in unsaid.rates].count("nat-gateway-data") == 2
    assert "nat-gateway-data" not in rates(quote)
    assert of(quote, "nat-gateway-data").per_month == 1024 * Decimal("0.045")


def of(quote: Quote, item: str) -> Line:
    (line,) = (line for line in quote.lines if line.item == item)
    return line


def test_a_price_that_holds_for_some_places_says_so() -> None:
    quote = quoted({"between_regions": TIB}, ("gcp", "us-central1"))

    assert any("North America" in warning for warning in quote.warnings)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_word_of_usage_is_metered_by_items_of_the_table(cloud: str) -> None:
    meters = provider_of(cloud).prices.usage_billing_rules

    assert list(meters) == list(KINDS) == list(Usage.model_fields)
    priced = set(provider_of(cloud).prices.service_items())
    for meter in meters.values():
        assert {item for item, _ in meter.tiers} <= priced
        assert all(most for _, most in meter.tiers[:-1])
        assert not meter.tiers or meter.tiers[-1][1] is None


def test_usage_in_an_unknown_region_says_so() -> None:
    quote = quoted({}, ("aws", NOWHERE))

    assert {line.name for line in quote.rates} == {"unknown region"}
