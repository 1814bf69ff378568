"""Two quotes side by side: nothing is lost between the lines and the totals."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cost import Line, Quote, RungQuote, Total
from gpuinfra.cost.compare import Comparison, compare
from gpuinfra.model import Rung

AMOUNTS = st.decimals(0, 10_000, places=4, allow_nan=False, allow_infinity=False)
NAMES = st.sampled_from(["trainer", "chat", "data"])


@st.composite
def lines(draw: st.DrawFn) -> Line:
    priced = draw(st.booleans())
    hour = draw(AMOUNTS) if priced else None
    return Line(
        group=draw(st.none() | NAMES),
        subject="",
        name=draw(NAMES),
        kind=draw(st.sampled_from(["spot", "disk"])),
        item=draw(st.sampled_from(["p5.48xlarge", "ebs-gp3-storage"])),
        region="us-east-1",
        quantity=draw(AMOUNTS) if priced else None,
        unit="hour",
        status="priced" if priced else draw(st.sampled_from(["rate", "unpriced", "free"])),
        rate=draw(AMOUNTS),
        per_hour=hour,
        per_month=None if hour is None else hour * 730,
    )


@st.composite
def quotes(draw: st.DrawFn) -> Quote:
    return quote(*draw(st.lists(lines(), max_size=8)))


def quote(*lines: Line) -> Quote:
    hour = sum((line.per_hour or Decimal(0) for line in lines), Decimal(0))
    return Quote(
        lines=lines,
        per_hour=Total(ceiling=hour, active=hour, expected=hour),
        per_month=Total(ceiling=hour * 730, active=hour * 730, expected=None),
        per_run=None,
        runs=(),
        rungs=(),
        active_rungs={},
        chosen=(),
        unpriced=tuple(line.name for line in lines if line.status == "unpriced"),
        rates=(),
        oldest="",
        outdated=(),
        accept_outdated=True,
        warnings=(),
    )


def line(name: str, **more: object) -> Line:
    given = {
        "group": None,
        "subject": name,
        "name": name,
        "kind": "disk",
        "item": "ebs-gp3-storage",
        "region": "us-east-1",
        "quantity": Decimal(10),
        "unit": "GB-month",
        "status": "priced",
        "rate": Decimal("0.08"),
        "per_hour": Decimal("0.001"),
        "per_month": Decimal("0.8"),
        "source": "a list",
        "as_of": "2026-01-01",
    }
    return Line(**{**given, **more})


@given(same_quote=quotes())
def test_a_quote_is_the_same_as_itself(same_quote: Quote) -> None:
    comparison = compare(same_quote, same_quote)

    assert comparison.is_unchanged
    assert comparison.changes == ()


@given(before=quotes(), after=quotes())
def test_the_changes_add_up_to_what_the_totals_did(before: Quote, after: Quote) -> None:
    comparison = compare(before, after)
    hour, month, _ = comparison.totals
    moved = [
        (change.per_hour, change.per_month)
        for change in comparison.changes
        if change.per_hour is not None
    ]

    if before.unpriced or after.unpriced:
        assert (hour.ceiling, hour.active_rung_cost) == (None, None)
        return
    assert hour.active_rung_cost == after.per_hour.active - before.per_hour.active
    if len(moved) == len(comparison.changes):
        assert sum(hourly for hourly, _ in moved) == hour.active_rung_cost
        assert sum(monthly for _, monthly in moved) == month.active_rung_cost


@given(before=quotes(), after=quotes())
def test_no_change_is_an_amount_where_a_side_has_none(before: Quote, after: Quote) -> None:
    for change in compare(before, after).changes:
        sides = [it for it in (change.before, change.after) if it is not None]
        unknown = any(it.status in {"unpriced", "rate"} for it in sides)

        assert (change.per_hour is None) == (change.per_month is None) == unknown


@given(before=quotes(), after=quotes())
def test_back_again_is_the_opposite(before: Quote, after: Quote) -> None:
    there, back = compare(before, after), compare(after, before)

    assert sorted(
        change.per_month for change in there.changes if change.per_month is not None
    ) == sorted(-change.per_month for change in back.changes if change.per_month is not None)
    assert sorted(signs(there)) == sorted(
        {"+": "-", "-": "+", "~": "~"}[sign] for sign in signs(back)
    )


@given(whole=quotes())
def test_the_order_of_different_lines_is_no_change(whole: Quote) -> None:
    by_key = {(it.group, it.name, it.kind, it.item): it for it in whole.lines}
    there = quote(*by_key.values())

    assert compare(there, quote(*reversed(by_key.values()))).changes == ()


def signs(comparison: Comparison) -> list[str]:
    return [change.sign for change in comparison.changes]


def test_a_line_comes_goes_and_changes() -> None:
    more = line("data", quantity=Decimal(20), per_month=Decimal("1.6"))
    comparison = compare(quote(line("old"), line("data")), quote(more, line("new")))

    assert {change.line.name: change.sign for change in comparison.changes} == {
        "old": "-",
        "data": "~",
        "new": "+",
    }
    assert {change.line.name: change.per_month for change in comparison.changes} == {
        "old": Decimal("-0.8"),
        "data": Decimal("0.8"),
        "new": Decimal("0.8"),
    }


def test_the_same_price_of_another_day_and_list_is_no_change() -> None:
    again = replace(line("data"), source="another list", as_of="2026-11-01")

    assert compare(quote(line("data")), quote(again)).is_unchanged


@pytest.mark.parametrize(
    ("figure", "more", "same"),
    [
        ("ceiling", "1e-20", True),
        ("active", "-1e-20", True),
        ("expected", "1e-20", True),
        ("ceiling", "1e-8", False),
        ("expected", "1e-8", False),
        ("expected", None, False),
    ],
)
def test_the_last_digits_of_a_sum_are_no_change(figure: str, more: str | None, same: bool) -> None:
    total = quote(line("a")).per_hour
    moved = None if more is None else getattr(total, figure) + Decimal(more)
    comparison = compare(
        quote(line("a")), replace(quote(line("a")), per_hour=replace(total, **{figure: moved}))
    )

    assert comparison.is_unchanged is same
    assert (comparison.totals[0].ceiling == 0) == (same or figure != "ceiling")


def test_another_machine_is_a_line_that_went_and_one_that_came() -> None:
    comparison = compare(quote(line("a")), quote(line("a", item="ebs-io2-storage")))

    assert sorted(signs(comparison)) == ["+", "-"]


def test_two_lines_of_one_kind_are_paired_in_their_order() -> None:
    twice = (line("data"), line("data", quantity=Decimal(5), per_month=Decimal("0.4")))
    comparison = compare(quote(*twice), quote(twice[0]))

    assert signs(comparison) == ["-"]
    assert comparison.changes[0].per_month == Decimal("-0.4")


def test_a_price_that_nobody_knows_any_more_is_no_silent_saving() -> None:
    lost = line("data", status="unpriced", rate=None, per_hour=None, per_month=None)
    comparison = compare(quote(line("data")), quote(lost))

    assert not comparison.is_unchanged
    assert comparison.unpriced_after == ("data",)
    assert comparison.unpriced_before == ()
    assert comparison.changes[0].per_month is None
    assert {(total.ceiling, total.active_rung_cost) for total in comparison.totals} == {
        (None, None)
    }
    assert [(total.was_complete, total.is_complete) for total in comparison.totals] == [
        (True, False)
    ] * 3


def test_a_missing_price_comes_first_then_the_dearest_change_and_rates_last() -> None:
    nothing = {"rate": None, "per_hour": None, "per_month": None}
    small, large = line("a"), line("b", per_month=Decimal(100))
    rate, lost = line("r", status="rate", **nothing), line("u", status="unpriced", **nothing)
    comparison = compare(quote(), quote(rate, small, lost, large))

    assert [change.line.name for change in comparison.changes] == ["u", "b", "a", "r"]


CAP = "$250.00 an hour with the rest of the stack, above the cap of $240.00"


def rung(label: str, struck: str | None, group: str = "trainer") -> RungQuote:
    capacity, _, region = label.partition("@")
    return RungQuote(
        group=group,
        index=0,
        rung=Rung(capacity=capacity, machine="p5.48xlarge", region=region, zones=()),
        node_rate=None,
        machines_per_hour=None,
        machines_per_run=None,
        per_hour=None,
        per_month=None,
        per_run=None,
        skip_reason=struck,
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, CAP, [f"trainer: on-demand@us-east-1 is excluded: {CAP}"]),
        (CAP, None, ["trainer: on-demand@us-east-1 is available again"]),
        (CAP, CAP.replace("250", "260"), []),
        (None, None, []),
    ],
)
def test_a_rung_that_was_struck_or_came_back_is_named(
    before: str | None, after: str | None, told: list[str]
) -> None:
    there = replace(
        quote(), rungs=(rung("spot@us-east-1", None), rung("on-demand@us-east-1", before))
    )
    then = replace(there, rungs=(there.rungs[0], rung("on-demand@us-east-1", after)))
    comparison = compare(there, then)

    assert [str(rung) for rung in comparison.rungs] == told
    assert comparison.is_unchanged is not bool(told)


def test_a_rung_that_only_one_quote_has_was_not_struck() -> None:
    there = replace(quote(), rungs=(rung("on-demand@us-east-1", None),))
    then = replace(quote(), rungs=(rung("on-demand@us-east-2", CAP),))

    assert compare(there, then).rungs == ()


@pytest.mark.parametrize(
    "run", [None, Total(ceiling=Decimal(5), active=Decimal(5), expected=None)]
)
def test_a_run_that_came_or_went_counts_whole(run: Total | None) -> None:
    with_run = replace(
        quote(), per_run=Total(ceiling=Decimal(7), active=Decimal(7), expected=None)
    )
    comparison = compare(replace(quote(), per_run=run), with_run)

    assert comparison.totals[-1].ceiling == 7 - (run.ceiling if run else 0)
