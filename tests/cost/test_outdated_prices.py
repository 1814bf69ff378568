"""The age of list prices: which are outdated, and what is said of them."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.cost.outdated_prices import caps_at_risk
from gpuinfra.cost.quote import Span
from gpuinfra.model import Caps
from tests.cost.plans import LIST, SPOT, TODAY, group, item, plan, quoted


class TestAge:
    def test_a_list_price_is_outdated_by_its_earliest_day(self) -> None:
        of = plan(group("a", LIST))

        assert quoted(of).outdated == ()
        late = estimate(of, PricingTerms(as_of=date(2027, 8, 25)))
        assert [line.item for line in late.outdated] == ["p5.48xlarge"]
        assert estimate(of, PricingTerms(as_of=date(2027, 8, 24))).outdated == ()
        assert estimate(of, PricingTerms(as_of=TODAY, outdated_after_days=100)).outdated != ()

    def test_a_maximum_price_of_the_users_own_has_no_age(self) -> None:
        late = estimate(plan(group("a", SPOT)), PricingTerms(as_of=date(2040, 1, 1)))

        assert late.outdated == ()
        assert late.oldest == ""

    def test_a_struck_rung_does_not_count(self) -> None:
        caps = Caps(per_hour=Decimal(200))
        late = estimate(plan(group(), caps=caps), PricingTerms(as_of=date(2040, 1, 1)))

        assert late.outdated == ()

    def test_accepting_it_makes_a_counted_warning(self) -> None:
        nat = item("ebs-io2-iops-tier1", Decimal(1), region="us-east-1")
        caps = Caps(per_month=Decimal("0.1"))
        refused = quoted(plan(items=(nat,), caps=caps))
        accepted = quoted(plan(items=(nat,), caps=caps), accept_outdated=True)
        harmless = quoted(plan(items=(nat,)))

        assert refused.warnings == ()
        words = "1 list price is older than 400 days, the oldest of 2024-07-01; "
        assert accepted.warnings == (f"{words}accepted (prices: accept_outdated)",)
        assert harmless.warnings == (
            f"{words}no cap of the stack would be exceeded if they had doubled",
        )
        assert accepted.oldest == "2024-07-01"

    def test_a_small_excess_shows_the_decimals_by_which_it_differs(self) -> None:
        before: dict[Span, Decimal] = {"per_hour": Decimal(1)}
        after: dict[Span, Decimal] = {"per_hour": Decimal(2)}
        caps = Caps(per_hour=Decimal("1.9999"))

        assert caps_at_risk(caps, before, after) == (
            "up to $2.0000 per hour if they had doubled, above the cap of $1.9999",
        )

    @pytest.mark.parametrize(
        ("day", "outdated"),
        [("2026-11-19", False), ("2026-11-22", False), ("2026-11-23", True), ("", True)],
    )
    def test_a_price_of_a_day_to_come_or_of_none_is_outdated(
        self, day: str, outdated: bool
    ) -> None:
        listed = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")
        assert listed is not None
        book = PriceBook([replace(listed, as_of=day, origin="lock")])
        quote = estimate(
            plan(group("a", LIST)), PricingTerms(as_of=date(2026, 11, 21), prices=book)
        )

        assert bool(quote.outdated) is outdated

    def test_an_undated_price_is_outdated(self) -> None:
        nat = CATALOG.service("aws", "nat-gateway-hour", "us-east-1")
        assert nat is not None
        book = PriceBook([replace(nat, as_of="undated")])
        used = plan(items=(item("nat-gateway-hour", Decimal(1), region="us-east-1"),))
        quote = estimate(used, PricingTerms(as_of=TODAY, prices=book))

        assert len(quote.outdated) == 1
        assert quote.oldest == "undated"
