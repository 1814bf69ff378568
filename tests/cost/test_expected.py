"""The expected cost: the spot price of the day, unless it is stale or nobody knows it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from gpuinfra.cost import PricingTerms, estimate
from tests.cost.plans import POOL, SPOT, group, plan, pool, quoted


def test_expected_takes_todays_spot_and_says_of_when() -> None:
    rung = replace(SPOT, machine="p4d.24xlarge", max_price=None)
    (line,) = quoted(plan(group("a", rung))).lines

    assert line.expected_per_hour == 4 * Decimal("13.9933")
    assert line.expected_as_of == "2026-01-21/2026-05-22"
    assert line.expected_at_most_per_hour is None
    assert line.as_of == "2026-07-20"


def test_a_stale_spot_price_stands_in_no_expected_figure() -> None:
    quote = quoted(plan(group("a", replace(SPOT, machine="g6.xlarge", max_price=None))))

    assert quote.per_hour.ceiling == 4 * Decimal("0.8048")
    assert quote.per_hour.expected is None
    assert quote.per_hour.expected_at_most == 4 * Decimal("0.8048")
    assert any("dated 2025-04-24" in warning for warning in quote.warnings)


def test_a_spot_price_goes_stale_a_year_after_its_day() -> None:
    rung = replace(SPOT, machine="p4d.24xlarge", max_price=None)
    known, stale = (
        estimate(plan(group("a", rung)), PricingTerms(as_of=day)).per_hour
        for day in (date(2027, 1, 21), date(2027, 1, 22))
    )

    assert (known.expected, known.expected_at_most) == (4 * Decimal("13.9933"), None)
    assert (stale.expected, stale.expected_at_most) == (None, stale.ceiling)


def test_expected_counts_a_pool_at_its_least_and_says_so() -> None:
    rung = replace(POOL, machine="p4d.24xlarge")
    listed, spot = Decimal("21.957642"), Decimal("13.9933")
    quote = quoted(plan(pool(rungs=(rung,), minimum=2)))

    assert quote.per_hour.expected == listed + spot
    assert "expected figures count chat at its minimum of 2" in quote.warnings
    more = quoted(plan(pool(rungs=(rung,), expected=Decimal(11))))
    assert more.per_hour.expected == listed + 10 * spot


def test_expected_never_exceeds_the_maximum_price_and_a_higher_spot_price_is_told() -> None:
    quote = quoted(plan(group("a", SPOT)))

    assert quote.per_hour.expected == Decimal(160)
    assert any("above max_price $40.00" in warning for warning in quote.warnings)


def test_a_spot_price_that_nobody_knows_leaves_the_expected_total_unknown() -> None:
    rung = replace(SPOT, machine="g4dn.xlarge", region="af-south-1", max_price=Decimal("0.5"))
    quote = quoted(plan(group("a", rung)))

    assert quote.per_hour.ceiling == 2
    assert quote.per_hour.expected is None
