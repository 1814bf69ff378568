"""A comparison as a table: names with markup characters, and unknown amounts."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cli.views import compare
from gpuinfra.cost import Line, Total
from gpuinfra.cost.compare import Comparison, LineChange, TotalChange
from gpuinfra.cost.cost_rate_changes import movement
from gpuinfra.report import markup, quote_diff


def test_what_no_total_counts_is_below_the_lines(capsys: pytest.CaptureFixture[str]) -> None:
    rate = line(status="rate", rate=Decimal("0.09"), quantity=None, per_hour=None, per_month=None)
    comparison = changed(
        LineChange(before=line(), after=line(per_month=Decimal(2), per_hour=Decimal("0.002"))),
        LineChange(before=rate, after=replace(rate, rate=Decimal("0.08"))),
    )

    compare.show("s", comparison, "table", movement(None, None, str), "verbose")

    shown = capsys.readouterr().out
    assert "?" not in shown
    assert ": $0.09 per GiB-month → $0.08 per GiB-month\n" in shown


def line(**more: object) -> Line:
    given = {
        "group": None,
        "subject": "s",
        "name": "data",
        "kind": "disk",
        "item": "ebs-gp3-storage",
        "region": "",
        "quantity": Decimal(10),
        "unit": "GB-month",
        "status": "priced",
        "rate": Decimal("0.08"),
        "per_hour": Decimal("0.001"),
        "per_month": Decimal("0.8"),
    }
    return Line(**{**given, **more})


def changed(*changes: LineChange, **more: object) -> Comparison:
    total = Total(ceiling=Decimal(1), active=Decimal(1), expected=None)
    given = {
        "changes": changes,
        "totals": tuple(
            TotalChange(span=span, before=total, after=total) for span in ("hour", "month")
        ),
        "unpriced_before": (),
        "unpriced_after": (),
    }
    return Comparison(**{**given, **more})


HOSTILE = [
    "a | b",
    "a`b``c",
    "`",
    "<script>alert(1)</script>",
    "-->",
    "@everyone [x](https://example.com)",
    "line\nbreak\r\n# heading",
    "a\\|b\\",
    "\x1b[31mred",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_out_of_its_cell(name: str) -> None:
    change = LineChange(before=None, after=line(name=name, item=name))
    text = compare.as_markdown(name, changed(change, unpriced_after=(f"{name}: why",)))
    (row,) = (line for line in text.splitlines() if line.startswith("| + |"))

    assert len(re.split(r"(?<!\\)\|", row)) == len(quote_diff.COLUMNS) + 2
    assert text.splitlines()[0].count("-->") == 1
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text.partition("\n")[2])
    for piece in ("script", "everyone", "heading", "\x1b"):
        assert piece not in outside


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_code_span_holds_all_of_its_text(text: str) -> None:
    made = markup.code(text)
    match = re.fullmatch(r"(`+)(.*?)\1", made, re.DOTALL)

    assert "\n" not in made
    if made:
        assert match
        fence, inside = match.groups()
        assert fence not in re.findall("`+", inside)
        assert not inside.startswith("`")
        assert not inside.endswith("`")


def test_a_missing_price_is_not_shown_as_a_saving() -> None:
    lost = line(status="unpriced", rate=None, quantity=None, per_hour=None, per_month=None)
    comparison = changed(
        LineChange(before=line(), after=lost),
        unpriced_before=("old: gone",),
        unpriced_after=("data: no",),
    )
    text = compare.as_markdown("s", comparison)

    assert "`price unknown`" in text
    assert "**price no longer known:** `data: no`" in text
    assert "**had no price before:** `old: gone`" in text


LOST = {"status": "unpriced", "rate": None, "quantity": None, "per_hour": None, "per_month": None}


def test_an_unknown_amount_is_no_zero() -> None:
    hour = TotalChange(
        span="hour",
        before=Total(ceiling=Decimal(4), active=Decimal(3), expected=None),
        after=Total(ceiling=Decimal(2), active=Decimal(1), expected=None),
        is_complete=False,
    )
    comparison = changed(
        LineChange(before=line(), after=line(**LOST)),
        totals=(hour, replace(hour, span="month")),
        unpriced_after=("data: no", "chat: no"),
    )
    text = compare.as_markdown("s", comparison)

    assert compare.headline(comparison) == (
        "maximum cost: $4.00 → at least $2.00 per hour, $4.00 → at least $2.00 per month; 2 parts "
        "have no price (0 before)"
    )
    assert "| `10 × $0.08` | `price unknown` | ? | ? |" in text
    assert "| per hour | $4.00 | at least $2.00 | ? | $3.00 | at least $1.00 | ? |" in text


def test_what_had_no_price_before_is_said_too() -> None:
    four = Total(ceiling=Decimal(4), active=Decimal(3), expected=None)
    comparison = changed(
        totals=(TotalChange(span="hour", before=four, after=four, was_complete=False),),
        unpriced_before=("data: no",),
    )

    assert compare.headline(comparison) == (
        "maximum cost: at least $4.00 → $4.00 per hour; 1 part had no price before"
    )


def test_no_change_says_what_has_no_price() -> None:
    comparison = changed(unpriced_before=("data: no",), unpriced_after=("data: no",))

    assert comparison.is_unchanged
    assert compare.headline(comparison) == "no change in cost; 1 part has no price"
    assert "data: no" in compare.as_markdown("s", comparison)


def test_new_and_removed_prices_of_usage_are_only_counted() -> None:
    rate = line(status="rate", rate=Decimal("0.09"), quantity=None, per_hour=None, per_month=None)
    comparison = changed(
        LineChange(before=None, after=line()),
        *(LineChange(before=None, after=replace(rate, name=name)) for name in ("a", "b")),
        LineChange(before=rate, after=None),
    )
    text = compare.as_markdown("s", comparison)

    assert "\n\n2 new, 1 removed prices of usage, not counted: `gpuinfra cost SOURCE -v`\n" in text
    assert text.count("| + |") == 1
    assert "0.09" not in text


def test_totals_as_planned_are_omitted_where_they_are_the_maxima() -> None:
    text = compare.as_markdown("s", changed(LineChange(before=None, after=line())))

    assert "|  | maximum before | after | change |\n" in text


def test_an_unknown_rate_is_shown() -> None:
    rate = line(status="rate", rate=Decimal("0.09"), quantity=None, per_hour=None, per_month=None)
    comparison = changed(LineChange(before=rate, after=replace(rate, rate=None)))

    assert "| `$0.09 per GiB-month` | `rate unknown` |" in compare.as_markdown("s", comparison)
