"""Hours in a row, each at the price of its tier."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.catalog.continuous_use_cost import tiered_cost

GUIDE = ((Decimal(720), Decimal("2.38")),)
"""Tencent Cloud in the guide: 15% less after 720 hours of continuous use."""

HOURS = st.decimals(0, 20_000, places=2)
LADDERS = st.lists(
    st.tuples(st.integers(1, 9_000), st.decimals(Decimal("0.01"), 100, places=2)),
    max_size=4,
    unique_by=lambda tier: tier[0],
).map(
    lambda tiers: tuple(
        (Decimal(after), price)
        for (after, _), price in zip(
            sorted(tiers), sorted((price for _, price in tiers), reverse=True), strict=True
        )
    )
)


def test_the_guides_tier_counts_from_its_hour_on():
    price = Decimal("2.80")

    assert tiered_cost(Decimal(720), price, GUIDE) == Decimal("2016.00")
    assert tiered_cost(Decimal(721), price, GUIDE) == Decimal("2018.38")
    assert tiered_cost(Decimal(730), price, GUIDE) == Decimal("2039.80")
    assert tiered_cost(Decimal(8760), price, GUIDE) == Decimal("21151.20")


def test_without_tiers_it_is_a_product():
    assert tiered_cost(Decimal("1.5"), Decimal("2.80")) == Decimal("4.2")


@given(LADDERS, HOURS, HOURS)
def test_more_hours_cost_more_but_each_at_most_the_first_price(tiers, hours, other):
    few, many = sorted((hours, other))
    first = Decimal(100)
    more = tiered_cost(many, first, tiers) - tiered_cost(few, first, tiers)

    assert 0 <= more <= (many - few) * first


@given(LADDERS, HOURS)
def test_the_sum_has_no_jumps(tiers, hours):
    step = Decimal("0.01")

    assert (
        tiered_cost(hours + step, Decimal(100), tiers) - tiered_cost(hours, Decimal(100), tiers)
        <= step * 100
    )


@given(LADDERS, HOURS)
def test_it_is_the_sum_of_all_hours_one_by_one(tiers, hours):
    whole = int(hours) % 600
    prices = [Decimal(100)] + [price for _, price in tiers]
    starts = [0] + [int(after) for after, _ in tiers]
    hourly = sum(
        prices[max(place for place, start in enumerate(starts) if start <= hour)]
        for hour in range(whole)
    )

    assert tiered_cost(Decimal(whole), Decimal(100), tiers) == hourly
