"""A month with a time limit on its machines, and the longest one within the month's cap."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import Quote
from gpuinfra.model import Caps, Group, Item, Plan
from gpuinfra.rules.ended_months import (
    accepts_time_limit,
    endable_groups,
    fix_with_ends,
    is_endable,
    longest_end,
    month_if_ended,
)
from tests.rules.cases.judging import group, plan, quoted

HOUR = Decimal("55.04")
"""One p5.48xlarge on demand in us-east-1."""

MONTH = HOUR * 730


def priced(judged: Group, cap: Decimal | None = None, **fields: Any) -> tuple[Plan, Quote]:
    """A stack file's plan of one group with a cap of a month, and its quote."""
    made = plan(judged, caps=Caps(per_month=cap), from_file=True, **fields)
    return made, quoted(made)


def disk(of: str, *, is_kept: bool, is_own: bool = True) -> Item:
    return Item(
        name=f"{of} disk {is_kept}",
        subject=of,
        kind="disk",
        cloud="aws",
        item="ebs-gp3-storage",
        unit="GB-month",
        quantity=Decimal(1000),
        group=of,
        per_machine=is_own,
        kept_when_stopped=is_kept,
        region="us-east-1",
    )


def run(hours: int | None = 72, **fields: Any) -> Group:
    return group(hours=None if hours is None else Decimal(hours), **fields)


@pytest.mark.parametrize(
    ("judged", "takes"),
    [
        (run(), True),
        (run(ends_after=Decimal(10)), False),
        (run(capacity="capacity-block"), False),
        (run(cloud="gcp", purpose="inference"), False),
        (run(cloud="gcp", purpose="inference", ends_after=Decimal(10)), False),
    ],
)
def test_a_time_limit_is_for_machines_without_one(judged: Group, takes: bool) -> None:
    assert accepts_time_limit(judged) == takes


@pytest.mark.parametrize(("hours", "ends"), [(None, True), (72, True), (583, True), (584, False)])
def test_a_run_that_fills_the_month_with_its_limit_has_no_end(hours: int, ends: bool) -> None:
    assert is_endable(run(hours)) == ends, "584 hours and a quarter are 730"


def test_groups_of_programs_are_ended_by_no_key() -> None:
    judged, _ = priced(run())

    assert endable_groups(judged) == judged.groups
    assert endable_groups(replace(judged, from_file=False)) == ()


def test_a_month_with_an_end_pays_machines_until_then_and_kept_disks_to_its_last_day() -> None:
    items = (
        disk("trainer", is_kept=True),
        disk("trainer", is_kept=False),
        disk("b", is_kept=True, is_own=False),
    )
    judged, quote = priced(run(), items=items)
    (kept,) = (it.per_month for it in quote.lines if it.name == "trainer disk True")
    (other,) = (it.per_month for it in quote.lines if it.name == "trainer disk False")
    (shared,) = (it.per_month for it in quote.lines if it.name == "b disk True")
    assert kept == other == shared == 80

    month = month_if_ended(judged, replace(quote, doubled={}), judged.groups)

    assert month is not None
    assert abs(month - (HOUR * 90 + kept + shared + other * 90 / 730)) <= Decimal("0.01")


def test_a_month_with_an_end_is_unknown_where_a_price_is() -> None:
    judged, quote = priced(run(region="mars-1"))
    assert quote.unpriced

    assert month_if_ended(judged, quote, judged.groups) is None
    assert longest_end(replace(judged, caps=Caps(per_month=Decimal(1))), quote, run()) is None


@pytest.mark.parametrize(("more", "is_known"), [(0, True), (1, False)])
def test_a_month_with_an_end_is_unknown_where_outdated_prices_may_double(
    more: int, is_known: bool
) -> None:
    judged, quote = priced(run())
    doubled = replace(quote, doubled={"per_month": quote.per_month.ceiling + more})

    assert (month_if_ended(judged, doubled, judged.groups) is not None) == is_known


def test_what_is_outdated_in_an_hour_alone_leaves_the_month_known() -> None:
    judged, quote = priced(run())
    little = replace(quote, per_month=replace(quote.per_month, ceiling=Decimal("0.5")))

    assert month_if_ended(judged, little, judged.groups) is not None


@pytest.mark.parametrize(
    ("hours", "cap", "longest"),
    [
        (None, HOUR * 100, 100),
        (None, HOUR * 167, 167),
        (None, HOUR * 170, 168),
        (None, HOUR * 191, 168),
        (None, HOUR * 193, 192),
        (None, HOUR, 1),
        (None, HOUR / 2, None),
        (None, Decimal(0), None),
        (None, MONTH - Decimal("0.50"), 720),
        (None, MONTH, None),
        (None, MONTH + 1, None),
        (None, None, None),
        (72, HOUR * 72, 72),
        (72, HOUR * 72 - 1, None),
        (584, HOUR * 600, None),
    ],
)
def test_the_longest_end_is_in_full_days_from_a_week_on(
    hours: int | None, cap: Decimal | None, longest: int | None
) -> None:
    judged, quote = priced(run(hours), cap)

    assert longest_end(judged, quote, judged.groups[0]) == longest


def test_the_longest_end_is_of_each_run_of_a_month() -> None:
    judged, quote = priced(run(20, runs=Decimal(2)), HOUR * 100)

    assert longest_end(judged, quote, judged.groups[0]) == 50


def test_the_longest_end_leaves_room_for_a_kept_disk() -> None:
    kept = disk("trainer", is_kept=True)
    judged, quote = priced(run(None), HOUR * 100 + 80, items=(kept,))

    assert longest_end(judged, replace(quote, doubled={}), judged.groups[0]) == 100


def test_a_month_with_an_end_pays_each_of_its_runs() -> None:
    judged, quote = priced(run(20, runs=Decimal(2)))

    assert month_if_ended(judged, quote, judged.groups) == HOUR * 2 * 25


FIX = "use fewer machines, or raise budget.per_month to 48000"


@pytest.mark.parametrize(
    ("judged", "cap", "fix"),
    [
        (
            (run(),),
            HOUR * 90,
            (
                "end trainer after its run (time_to_live: 90h): then up to $4,953.60 per month; "
                f"or {FIX}"
            ),
        ),
        (
            (run(),),
            HOUR * 80,
            f"end trainer after a time (time_to_live: 80h), the longest within the cap; or {FIX}",
        ),
        (
            (run(None),),
            HOUR * 90,
            f"end trainer after a time (time_to_live: 90h), the longest within the cap; or {FIX}",
        ),
        (
            (run(),),
            HOUR * 70,
            (
                "end trainer after its run (time_to_live: 90h): then up to $4,953.60 per month; "
                "use fewer machines, or raise budget.per_month to 4953.60 with that, "
                "to 48000 without"
            ),
        ),
        (
            (run(), run(name="other")),
            HOUR * 180,
            (
                "end trainer and other after their run (time_to_live: 90h): "
                f"then up to $9,907.20 per month; or {FIX}"
            ),
        ),
        ((run(584),), HOUR, FIX),
    ],
)
def test_the_fix_of_a_month_names_the_end_first(
    judged: tuple[Group, ...], cap: Decimal, fix: str
) -> None:
    made = plan(*judged, caps=Caps(per_month=cap), from_file=True)

    assert fix_with_ends(FIX, cap, made, quoted(made)) == fix


def test_the_fix_of_a_month_without_a_price_names_the_end_without_an_amount() -> None:
    judged, quote = priced(run(region="mars-1"), Decimal(1))

    fix = fix_with_ends(FIX, Decimal(1), judged, quote)

    assert fix == f"end trainer after its run (time_to_live: 90h), {FIX}"
