import dataclasses
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG, PriceBook, ceiling
from gpuinfra.catalog.price_row_choice import RULES, considered_prices, effective_price
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.model import Price

ROW = Price(
    cloud="aws",
    item="p5.48xlarge",
    region="us-east-1",
    zone=None,
    mode="on-demand",
    unit="hour",
    per_unit=Decimal(50),
    currency="USD",
    source="a test",
    as_of="2026-07-20",
)


def rows(*changes: dict[str, object]) -> PriceBook:
    return PriceBook([Price(**{**fields(ROW), **change}) for change in changes])


def fields(row: Price) -> dict[str, object]:
    return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}


def verdicts(book: PriceBook, mode: str = "on-demand") -> list[tuple[Decimal, bool, str]]:
    rows = considered_prices("aws", "p5.48xlarge", "us-east-1", mode, book)
    return [(verdict.price.per_unit, verdict.is_effective, verdict.rule) for verdict in rows]


def test_the_newest_list_price_of_the_region_counts() -> None:
    book = rows(
        {"per_unit": Decimal(98), "as_of": "2025-04-24"},
        {"per_unit": Decimal(55)},
        {"per_unit": Decimal(40), "zone": "us-east-1-atl-1"},
        {"per_unit": Decimal(400), "currency": "CNY"},
    )

    assert verdicts(book) == [
        (Decimal(55), True, "newest"),
        (Decimal(400), False, "currency"),
        (Decimal(40), False, "one-zone"),
        (Decimal(98), False, "older"),
    ]


def test_the_dearest_of_the_newest_spot_zones_counts() -> None:
    spot = {"mode": "spot"}
    book = rows(
        {**spot, "per_unit": Decimal(10), "zone": "use1-az1"},
        {**spot, "per_unit": Decimal(12), "zone": "use1-az2"},
        {**spot, "per_unit": Decimal(12), "zone": "use1-az3"},
        {**spot, "per_unit": Decimal(20), "zone": "us-east-1-atl-1"},
        {**spot, "per_unit": Decimal(30), "as_of": "2025-04-24"},
    )

    assert verdicts(book, "spot") == [
        (Decimal(12), True, "costliest-zone"),
        (Decimal(20), False, "unused-zone"),
        (Decimal(10), False, "cheaper-zone"),
        (Decimal(12), False, "same-price"),
        (Decimal(30), False, "older"),
    ]


def test_a_row_over_several_zones_counts_at_its_dearest() -> None:
    book = rows(
        {"mode": "spot", "per_unit": Decimal(10), "maximum": Decimal(30)},
        {"mode": "spot", "per_unit": Decimal(20), "zone": "use1-az1"},
    )

    assert [verdict[2] for verdict in verdicts(book, "spot")] == ["costliest-zone", "cheaper-zone"]


def test_another_currency_counts_in_its_own_where_no_dollars_are_known() -> None:
    book = rows(
        {"per_unit": Decimal(400), "currency": "CNY", "as_of": "2023-06"},
        {"per_unit": Decimal(390), "currency": "CNY", "as_of": "2024-10-09"},
        {"per_unit": Decimal(380), "currency": "CNY", "zone": "us-east-1-atl-1"},
    )

    price = effective_price("aws", "p5.48xlarge", "us-east-1", "on-demand", book)

    assert price is not None
    assert (price.per_unit, price.currency) == (Decimal(390), "CNY")
    assert verdicts(book) == [
        (Decimal(390), True, "newest"),
        (Decimal(380), False, "one-zone"),
        (Decimal(400), False, "older"),
    ]


@pytest.mark.parametrize("cloud", PRICED_CLOUDS)
def test_what_counts_is_what_a_quote_takes(cloud: str) -> None:
    """Over every machine, region and mode of the tables; a dollar price is the book's own."""
    room = priced_cloud_of(cloud)
    looked_at = 0
    for machine in room.machines.all_machines():
        for region in room.regions.all():
            for mode in room.prices.modes():
                judged = considered_prices(cloud, machine.type, region, mode)
                assert {verdict.rule for verdict in judged} <= set(RULES)
                assert sum(verdict.is_effective for verdict in judged) <= 1
                taken = (
                    CATALOG.spot(cloud, machine.type, region)
                    if mode == "spot"
                    else CATALOG.list_price(cloud, machine.type, region, mode)
                )
                counting_prices = [verdict.price for verdict in judged if verdict.is_effective]
                if taken is not None:
                    assert [ceiling(counting_price) for counting_price in counting_prices] == [
                        ceiling(taken)
                    ]
                else:
                    assert all(
                        counting_price.currency != "USD" for counting_price in counting_prices
                    )
                looked_at += len(judged)
    assert looked_at
