from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG, PriceBook, ceiling
from gpuinfra.catalog.price_book import Key
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Price


def test_the_regional_list_price_counts_not_that_of_a_local_zone() -> None:
    price = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")

    assert price is not None
    assert (price.per_unit, price.zone) == (Decimal("55.04"), None)


def test_spot_takes_the_dearest_zone_of_the_newest_rows() -> None:
    price = CATALOG.spot("aws", "p5.48xlarge", "us-east-1", ("us-east-1a",))

    assert price is not None
    assert ceiling(price) == Decimal("55.04")
    assert price.as_of == "2026-01-21/2026-05-22"


def test_a_local_zone_counts_only_where_it_is_named() -> None:
    rows = tuple(
        Price(
            cloud="aws",
            item="m",
            region="us-east-1",
            zone=zone,
            mode="spot",
            unit="hour",
            per_unit=Decimal(cost),
            currency="USD",
            source="here",
            as_of="2026-01-01",
        )
        for zone, cost in (("use1-az2", 2), ("us-east-1-atl-1", 9), ("us-east-1b", 5))
    )
    book = PriceBook(rows)
    figures = [
        ceiling(book.spot("aws", "m", "us-east-1", zones))
        for zones in (("us-east-1a",), ("us-east-1b",), ("us-east-1-atl-1",))
    ]

    assert figures == [2, 5, 9]


def test_another_currency_is_no_price_here() -> None:
    assert CATALOG.on_demand("aws", "p3.2xlarge", "cn-north-1") is None


def test_a_price_is_never_borrowed_from_another_region() -> None:
    assert CATALOG.service("aws", "nat-gateway-hour", "us-east-1") is not None
    assert CATALOG.service("aws", "nat-gateway-hour", "cn-north-1") is None
    assert CATALOG.list_price("aws", "p5.48xlarge", "eu-west-1", "capacity-block") is None


NAT_IN_CHINA = ("aws", "nat-gateway-hour", "cn-north-1")


def test_a_bound_is_one_and_a_half_times_the_highest_known_price() -> None:
    known = [
        row.per_unit
        for row in priced_cloud_of("aws").prices.rows_in_all_regions("nat-gateway-hour")
    ]
    bound = CATALOG.bounding.service(*NAT_IN_CHINA)

    assert CATALOG.service(*NAT_IN_CHINA) is None
    assert bound is not None
    assert (bound.per_unit, bound.region) == (max(known) * Decimal("1.5"), "cn-north-1")
    assert bound.origin == "bound"
    assert f"1.5 × the highest known price (${max(known)} in sa-east-1)" in bound.remark


def test_a_known_price_stays_as_it_is_beside_bounds() -> None:
    nat = ("aws", "nat-gateway-hour", "us-east-1")
    own = replace(row_of(*nat), region="cn-north-1", origin="user")

    assert CATALOG.bounding.service(*nat) == CATALOG.service(*nat)
    assert PriceBook([own]).bounding.service(*NAT_IN_CHINA) == own
    assert (
        CATALOG.bounding.overridden_by([own]).service("aws", "alb-hour", "cn-north-1") is not None
    )


@pytest.mark.parametrize(
    "key",
    [
        ("aws", "no-such-item", "cn-north-1", "list"),
        ("aws", "nat-gateway-hour", "", "list"),
        ("aws", "p5.48xlarge", "eu-west-3", "on-demand"),
        ("own", "nat-gateway-hour", "berlin", "list"),
    ],
)
def test_what_has_no_price_anywhere_or_is_no_service_has_no_bound(key: Key) -> None:
    assert CATALOG.bounding.list_price(*key) is None
    assert CATALOG.bounding.list_price("aws", "alb-hour", "cn-north-1", "list") is not None


def row_of(cloud: str, item: str, region: str) -> Price:
    row = CATALOG.service(cloud, item, region)
    assert row is not None
    return row
