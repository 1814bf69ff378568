"""The hourly rate of a machine: its ceiling, what is expected, and why a price does not count."""

from decimal import Decimal
from typing import Any

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.rates import HourlyRate, list_rate, spot_rate
from gpuinfra.model import Price

KEY = ("aws", "m", "us-east-1")


def row(mode: str, price: str, **more: Any) -> Price:
    given = {
        "cloud": "aws",
        "item": "m",
        "region": "us-east-1",
        "zone": None,
        "mode": mode,
        "unit": "hour",
        "per_unit": Decimal(price),
        "currency": "USD",
        "source": "made up",
        "as_of": "2026-06-01",
    }
    return Price(**{**given, **more})


def spot(*rows: Price, **more: Any) -> HourlyRate:
    return spot_rate(KEY, PriceBook([row("spot-ceiling", "4"), *rows]), **more)


def test_the_ceiling_of_spot_is_on_demand_and_todays_price_is_expected() -> None:
    rate = spot(row("spot", "1", maximum=Decimal("1.5")))

    assert (rate.ceiling, rate.expected, rate.amount) == (4, Decimal("1.5"), Decimal("1.5"))
    assert (rate.as_of, rate.stale_spot, rate.note, rate.no_ceiling_reason) == (
        "2026-06-01",
        None,
        "",
        "",
    )


def test_a_maximum_bounds_what_is_expected_and_says_that_the_request_may_wait() -> None:
    rate = spot(row("spot", "3"), max_price=Decimal(2))

    assert (rate.ceiling, rate.expected, rate.as_of) == (2, 2, "")
    assert "above max_price $2.00: the request may wait" in rate.note


def test_a_spot_price_above_its_list_price_is_bounded_by_it() -> None:
    assert spot(row("spot", "9")).expected == 4


def test_a_spot_price_much_older_than_its_list_price_counts_nowhere() -> None:
    old = row("spot", "1", as_of="2025-01-01")
    rate = spot(old)

    assert (rate.expected, rate.spot, rate.stale_spot, rate.amount) == (None, None, old, 4)
    assert "is dated 2025-01-01" in rate.note
    assert rate.bounding_price == "on-demand"
    assert spot(old, max_price=Decimal(2)).bounding_price == "max_price"
    assert spot(row("spot", "1")).bounding_price == ""


def test_a_spot_price_of_the_users_own_has_no_age_and_a_discount_has() -> None:
    own = row("spot", "1", as_of="", origin="user")
    discounted = row("spot", "1", as_of="2025-01-01", origin="user")

    assert spot(own).expected == 1
    assert spot(discounted).expected is None


def test_without_any_price_the_reason_is_told() -> None:
    for rate in (list_rate(KEY, "on-demand", PriceBook()), spot_rate(KEY, PriceBook())):
        assert not rate.priced
        assert "no on-demand price for m in us-east-1" in rate.no_ceiling_reason


def test_a_list_price_that_the_cloud_has_changed_since_says_so() -> None:
    old = row("reserved-1y", "1", notes="standard; STALE: before the cut")
    rate = list_rate(KEY, "reserved-1y", PriceBook([old]))

    assert rate.note == "reserved-1y of m in us-east-1: standard; STALE: before the cut"
    assert (
        list_rate(KEY, "on-demand", PriceBook([row("on-demand", "1", notes="plain")])).note == ""
    )
