"""Two quotes side by side: nothing is lost between the lines and the totals."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cost import Comparison, Line, Quote, Total, compare

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
        per_hour=Total(ceiling=hour, standing=hour, expected=hour),
        per_month=Total(ceiling=hour * 730, standing=hour * 730, expected=None),
        per_run=None,
        runs=(),
        rungs=(),
        standing={},
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


@given(one=quotes())
def test_a_quote_is_the_same_as_itself(one: Quote) -> None:
    found = compare(one, one)

    assert found.same
    assert found.changes == ()


@given(before=quotes(), after=quotes())
def test_the_changes_add_up_to_what_the_totals_did(before: Quote, after: Quote) -> None:
    found = compare(before, after)
    hour, month, _ = found.totals

    assert sum(one.per_hour for one in found.changes) == hour.standing
    assert sum(one.per_month for one in found.changes) == month.standing
    assert hour.standing == after.per_hour.standing - before.per_hour.standing


@given(before=quotes(), after=quotes())
def test_back_again_is_the_opposite(before: Quote, after: Quote) -> None:
    there, back = compare(before, after), compare(after, before)

    assert sorted(one.per_month for one in there.changes) == sorted(
        -one.per_month for one in back.changes
    )
    assert sorted(signs(there)) == sorted(
        {"+": "-", "-": "+", "~": "~"}[one] for one in signs(back)
    )


@given(one=quotes())
def test_the_order_of_different_lines_is_no_change(one: Quote) -> None:
    found = {(it.group, it.name, it.kind, it.item): it for it in one.lines}
    there = quote(*found.values())

    assert compare(there, quote(*reversed(found.values()))).changes == ()


def signs(found: Comparison) -> list[str]:
    return [one.sign for one in found.changes]


def test_a_line_comes_goes_and_changes() -> None:
    more = line("data", quantity=Decimal(20), per_month=Decimal("1.6"))
    found = compare(quote(line("old"), line("data")), quote(more, line("new")))

    assert {one.line.name: one.sign for one in found.changes} == {
        "old": "-",
        "data": "~",
        "new": "+",
    }
    assert {one.line.name: one.per_month for one in found.changes} == {
        "old": Decimal("-0.8"),
        "data": Decimal("0.8"),
        "new": Decimal("0.8"),
    }


def test_the_same_price_of_another_day_and_list_is_no_change() -> None:
    again = replace(line("data"), source="another list", as_of="2026-11-01")

    assert compare(quote(line("data")), quote(again)).same


def test_another_machine_is_a_line_that_went_and_one_that_came() -> None:
    found = compare(quote(line("a")), quote(line("a", item="ebs-io2-storage")))

    assert sorted(signs(found)) == ["+", "-"]


def test_two_lines_of_one_kind_are_paired_in_their_order() -> None:
    twice = (line("data"), line("data", quantity=Decimal(5), per_month=Decimal("0.4")))
    found = compare(quote(*twice), quote(twice[0]))

    assert signs(found) == ["-"]
    assert found.changes[0].per_month == Decimal("-0.4")


def test_a_price_that_nobody_knows_any_more_is_no_silent_saving() -> None:
    lost = line("data", status="unpriced", rate=None, per_hour=None, per_month=None)
    found = compare(quote(line("data")), quote(lost))

    assert not found.same
    assert found.unpriced_after == ("data",)
    assert found.unpriced_before == ()


def test_the_dearest_change_comes_first() -> None:
    small, large = line("a"), line("b", per_month=Decimal(100))

    assert [one.line.name for one in compare(quote(), quote(small, large)).changes] == ["b", "a"]


@pytest.mark.parametrize(
    "run", [None, Total(ceiling=Decimal(5), standing=Decimal(5), expected=None)]
)
def test_a_run_that_came_or_went_counts_whole(run: Total | None) -> None:
    with_run = replace(
        quote(), per_run=Total(ceiling=Decimal(7), standing=Decimal(7), expected=None)
    )
    found = compare(replace(quote(), per_run=run), with_run)

    assert found.totals[-1].ceiling == 7 - (run.ceiling if run else 0)
