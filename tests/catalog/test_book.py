from decimal import Decimal

from gpuinfra.catalog import CATALOG, Book, dearest
from gpuinfra.model import Price


def test_the_regional_list_price_counts_not_that_of_a_local_zone() -> None:
    price = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")

    assert price is not None
    assert (price.per_unit, price.zone) == (Decimal("55.04"), None)


def test_spot_takes_the_dearest_zone_of_the_newest_rows() -> None:
    price = CATALOG.spot("aws", "p5.48xlarge", "us-east-1", ("us-east-1a",))

    assert price is not None
    assert dearest(price) == Decimal("55.04")
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
    book = Book(rows)
    found = [
        dearest(book.spot("aws", "m", "us-east-1", zones))
        for zones in (("us-east-1a",), ("us-east-1b",), ("us-east-1-atl-1",))
    ]

    assert found == [2, 5, 9]


def test_another_currency_is_no_price_here() -> None:
    assert CATALOG.on_demand("aws", "p3.2xlarge", "cn-north-1") is None


def test_a_price_is_never_borrowed_from_another_region() -> None:
    assert CATALOG.service("aws", "nat-gateway-hour", "us-east-1") is not None
    assert CATALOG.service("aws", "nat-gateway-hour", "cn-north-1") is None
    assert CATALOG.listed("aws", "p5.48xlarge", "eu-west-1", "capacity-block") is None
