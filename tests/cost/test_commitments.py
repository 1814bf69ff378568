from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.cost import PricingTerms
from gpuinfra.cost.commitments import CommitmentFacts, commitment_facts, hours_cost
from gpuinfra.model import Price, Rung
from tests.rules.cases.grouped import grouped

TODAY = date(2026, 11, 21)


def row(mode: str, per_hour: str | Decimal, **more: object) -> Price:
    return Price(
        cloud="aws",
        item="p3.2xlarge",
        region="us-east-1",
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(per_hour),
        currency="USD",
        source="the guide",
        **{"origin": "user", "as_of": "2026-10-01", **more},
    )


def of(machine: str, prices: PriceBook = CATALOG, today: date = TODAY) -> CommitmentFacts:
    rung = Rung(capacity="on-demand", machine=machine, region="us-east-1", zones=("us-east-1a",))
    group = grouped(name="t", subject="t", purpose="training", cloud="aws", rungs=(rung,))
    return commitment_facts(group, PricingTerms(as_of=today, prices=prices))


def test_the_guides_figures_come_out() -> None:
    commitment_facts = of(
        "p3.2xlarge", PriceBook([row("on-demand", "3.06"), row("reserved-1y", "1.38")])
    )
    way = next(way for way in commitment_facts.commitments if way.mode == "reserved-1y")

    assert hours_cost(commitment_facts.on_demand, Decimal(8760)) == Decimal("26805.60")
    assert way.total == Decimal("12088.80")
    assert way.break_even.quantize(Decimal("0.01")) == Decimal("3950.59")
    assert way.saved_share.quantize(Decimal("0.001")) == Decimal("0.549")


def test_a_tier_makes_a_commitment_pay_later_or_never() -> None:
    """At 2.80, and 2.38 after 720 hours, a year on demand is 21,151.20."""
    tiered = row("on-demand", "2.80", tiers=((Decimal(720), Decimal("2.38")),))
    (dear,) = of("p3.2xlarge", PriceBook([tiered, row("savings-1y", "2.60")])).commitments[-1:]
    cheap = next(
        way
        for way in of("p3.2xlarge", PriceBook([tiered, row("savings-1y", "1.40")])).commitments
        if way.mode == "savings-1y"
    )

    assert hours_cost(tiered, Decimal(8760)) == Decimal("21151.20")
    assert dear.break_even_share > 1
    assert dear.saved_share < 0
    # 12,264 USD are 720 h at 2.80 and 4,305.88 h at 2.38
    assert cheap.break_even.quantize(Decimal("0.01")) == Decimal("5025.88")


@given(
    first=st.decimals("0.01", "100", places=2),
    later=st.decimals("0.01", "100", places=2),
    committed=st.decimals("0.01", "100", places=2),
)
def test_at_the_break_even_both_cost_the_same(
    first: Decimal, later: Decimal, committed: Decimal
) -> None:
    tiered = row("on-demand", first, tiers=((Decimal(720), later),))
    commitment_facts = of("p3.2xlarge", PriceBook([tiered, row("savings-3y", committed)]))
    way = next(way for way in commitment_facts.commitments if way.mode == "savings-3y")

    assert float(hours_cost(tiered, way.break_even)) == pytest.approx(float(way.total))


@pytest.mark.parametrize(
    ("mode", "hours"),
    [
        ("reserved-1y", 8760),
        ("reserved-3y", 26280),
        ("savings-3y", 26280),
        ("committed-1y", 8760),
        ("subscription-1mo", 730),
        ("on-demand", None),
        ("capacity-block", None),
        ("prepaid-1y", None),
    ],
)
def test_a_mode_names_its_term(mode: str, hours: int | None) -> None:
    assert term(mode) == hours


def test_the_cheapest_hour_stands_first_and_a_dearer_one_never_pays() -> None:
    commitments = of("p5.48xlarge").commitments

    assert [commitment.mode for commitment in commitments] == [
        "reserved-3y",
        "savings-3y",
        "savings-1y",
        "reserved-1y",
    ]
    assert commitments[3].break_even_share > 1
    assert commitments[3].saved_share < 0


def test_savings_plans_stand_beside_reservations() -> None:
    """https://aws.amazon.com/savingsplans/compute-pricing/, read 2026-09-24."""
    ways = {commitment.mode: commitment for commitment in of("p5.48xlarge").commitments}

    assert ways["savings-1y"].per_hour == Decimal("43.34400")
    assert ways["savings-1y"].total == Decimal("43.344") * 8760
    assert ways["savings-1y"].as_of == "2026-09-24"
    assert ways["savings-1y"].note == "Compute Savings Plan, no upfront"


def test_old_prices_are_told_apart_and_the_users_own_have_no_age() -> None:
    shipped = of("p5.48xlarge")
    mine = of(
        "p3.2xlarge", PriceBook([row("on-demand", "3"), row("reserved-1y", "1", as_of="2020")])
    )

    assert not shipped.outdated
    assert [commitment.mode for commitment in shipped.commitments if commitment.outdated] == [
        "reserved-1y"
    ]
    assert of("p5.48xlarge", today=date(2028, 1, 1)).outdated
    assert not next(
        commitment for commitment in mine.commitments if commitment.mode == "reserved-1y"
    ).outdated


def test_without_an_on_demand_price_nothing_is_compared() -> None:
    commitment_facts = of("p5e.48xlarge")

    assert (commitment_facts.on_demand, commitment_facts.commitments) == (None, ())


def test_modes_that_the_tables_know_and_have_no_price_of_are_named() -> None:
    assert of("p5.4xlarge").unpriced == ("reserved-1y",)


def test_a_price_of_a_day_to_come_is_outdated_here_as_in_a_quote() -> None:
    late = PriceBook([row("on-demand", "3", origin="lock", as_of="2099-01-01")])

    assert of("p3.2xlarge", late).outdated
