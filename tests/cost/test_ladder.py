"""Rungs over a cap, or with an unpriced part, are struck; the verdict takes the dearest left."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.model import Caps, Group, Plan, Rung
from tests.rules.cases.grouped import grouped

SPOT = Rung(
    capacity="spot",
    machine="p5.48xlarge",
    region="us-east-1",
    zones=("us-east-1a",),
    max_price=Decimal(40),
)
LIST = replace(SPOT, capacity="on-demand", max_price=None)
NOWHERE = replace(LIST, region="eu-west-3")


def group(name: str, *rungs: Rung, standing: int = 0) -> Group:
    return grouped(
        name=name,
        subject=name,
        purpose="training",
        cloud="aws",
        rungs=rungs,
        active_rung=standing,
        minimum=4,
        maximum=4,
        hours=Decimal(72),
    )


def quoted(*groups: Group, fixed: tuple[str, ...] = (), **caps: int) -> Quote:
    given = Caps(**{name: Decimal(cap) for name, cap in caps.items()})
    plan = Plan(name="s", owner=None, caps=given, groups=groups)
    return estimate(plan, PricingTerms(as_of=date(2026, 11, 21)), fixed_names=fixed)


def struck(quote: Quote) -> list[bool]:
    return [rung.skip_reason is not None for rung in quote.rungs]


@pytest.mark.parametrize(
    ("caps", "expected"),
    [
        ({}, [False, False]),
        ({"per_hour": 221}, [False, False]),
        ({"per_hour": 220}, [False, True]),
        ({"per_hour": 160}, [False, True]),
        ({"per_hour": 159}, [True, True]),
        ({"per_run": 15852}, [False, False]),
        ({"per_run": 15851}, [False, True]),
        ({"per_run": 11519}, [True, True]),
        ({"per_month": 160716}, [False, True]),
    ],
)
def test_a_rung_over_a_cap_is_struck(caps: dict[str, int], expected: list[bool]) -> None:
    assert struck(quoted(group("a", SPOT, LIST), **caps)) == expected


def test_the_reason_names_the_figure_and_the_cap() -> None:
    quote = quoted(group("a", SPOT, LIST), per_run=15000)

    assert quote.rungs[1].skip_reason == "$15,851.52 a run, above the cap of $15,000.00"


def test_a_rung_with_an_unpriced_part_is_struck_and_the_rest_is_priced() -> None:
    quote = quoted(group("a", NOWHERE, LIST))

    assert struck(quote) == [True, False]
    assert quote.rungs[0].skip_reason == "no on-demand price for p5.48xlarge in eu-west-3"
    assert quote.active_rungs == {"a": 1}
    assert quote.unpriced == ()
    assert quote.per_hour.ceiling == Decimal("220.16")


def test_the_verdict_takes_the_dearest_rung_left() -> None:
    assert quoted(group("a", SPOT, LIST)).per_hour.ceiling == Decimal("220.16")
    assert quoted(group("a", SPOT, LIST), per_hour=200).per_hour.ceiling == Decimal(160)


def test_where_none_is_left_the_cap_is_seen_to_be_broken() -> None:
    over = quoted(group("a", SPOT, LIST), per_hour=100)
    unknown = quoted(group("a", NOWHERE))

    assert over.per_hour.ceiling > 100
    assert over.active_rungs == {"a": 0}
    assert any("no purchase option is left for a" in warning for warning in over.warnings)
    assert unknown.unpriced


def test_the_rest_of_the_stack_counts_at_its_least() -> None:
    quote = quoted(group("a", SPOT, LIST), group("b", SPOT, LIST), per_hour=380)

    assert struck(quote) == [False, True, False, True]
    assert quote.per_hour.ceiling == Decimal(320)


def test_rungs_that_fit_alone_but_not_together_break_the_cap() -> None:
    quote = quoted(group("a", SPOT, LIST), group("b", SPOT, LIST), per_hour=381)

    assert struck(quote) == [False, False, False, False]
    assert quote.per_hour.ceiling == Decimal("440.32")


def test_a_named_rung_stands_though_it_is_struck_and_alone_counts() -> None:
    over = quoted(group("a", SPOT, LIST, standing=1), fixed=("a",), per_hour=200)
    fine = quoted(group("a", SPOT, LIST, standing=0), fixed=("a",), per_hour=300)

    assert over.active_rungs == {"a": 1}
    assert over.per_hour.ceiling == Decimal("220.16")
    assert fine.per_hour.ceiling == Decimal(160)


@given(
    st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=3), min_size=1, max_size=3),
    st.integers(1, 800),
)
def test_no_rung_left_is_over_the_cap_with_the_others_at_their_least(
    prices: list[list[int]], cap: int
) -> None:
    groups = [
        group(f"g{index}", *(replace(SPOT, max_price=Decimal(price)) for price in ladder))
        for index, ladder in enumerate(prices)
    ]
    quote = quoted(*groups, per_hour=cap)
    least = {f"g{index}": 4 * min(ladder) for index, ladder in enumerate(prices)}

    for rung in quote.rungs:
        assert rung.per_hour is not None
        total = rung.per_hour + sum(least.values()) - least[rung.group]
        assert (rung.skip_reason is not None) == (total > cap)
    left = {
        name: [
            rung.per_hour
            for rung in quote.rungs
            if rung.group == name and rung.skip_reason is None
        ]
        or [rung.per_hour for rung in quote.rungs if rung.group == name]
        for name in least
    }
    assert quote.per_hour.ceiling == sum(max(costs) for costs in left.values())
