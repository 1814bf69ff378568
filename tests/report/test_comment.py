import re
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.errors import printable
from gpuinfra.model import Caps, NotJudged
from gpuinfra.report import comment, markup
from gpuinfra.report.checkout import source_name
from tests.report.cases import OUTSIDE, Accepted, finding, full, report
from tests.report.comment_text import GFM, OURS, inline, shown
from tests.report.html.plans import content_named


def test_the_comment_has_headline_totals_findings_and_marker() -> None:
    others = (finding(outcome="fine"), finding(outcome="not-applicable"))
    text = comment.write(
        report(finding(path=("training", "a")), finding(level="advisory"), *others)
    )

    assert text.startswith("<!-- gpuinfra:check:infra -->\n\n### ❌ gpuinfra check: `shop`")
    assert "`shop`: FAIL, 1 error, 1 warning\n" in text
    assert "| per hour | $220.16 | $160.00 | – |" in text
    assert "infra/stack.yaml" in shown(text)
    assert "close them" in text
    assert "**open-login** `aws:autoscaling/group:Group trainer` at `" in text


def test_waivers_are_shown_apart() -> None:
    text = comment.write(
        report(waived=[finding()], waivers=[Accepted("open-login", "*", reason="a bastion")])
    )

    assert "✅" in text
    assert "1 waived" in text
    assert "waived until 2026-12-31 by ml-platform: a bastion" in text


def test_each_section_takes_its_share_of_the_room() -> None:
    many = [finding(subject=f"resource-{n}") for n in range(400)]
    waived = [finding("metadata-v2", subject=f"waived-{n}") for n in range(2000)]
    few = NotJudged(subject="x", type="other:x", reason="no table")
    text = comment.write(
        report(*many, waived=waived, waivers=[Accepted("metadata-v2", "*")], not_judged=(few,)),
        70_000,
    )

    assert 69_000 < len(text) <= 70_000
    assert "- 1 × `other:x`: no table" in text
    findings, accepted = text.split("#### Waived")
    for part in (findings, accepted):
        assert 30_000 < len(part) < 40_000
        assert re.search(r"^- … and \d+ more$", part, re.MULTILINE)


def test_a_section_that_needs_less_leaves_its_room_to_the_others() -> None:
    many = [finding(subject=f"resource-{n}") for n in range(600)]
    waived = [finding("metadata-v2", subject=f"waived-{n}") for n in range(40)]
    text = comment.write(
        report(*many, waived=waived, waivers=[Accepted("metadata-v2", "*")]), 60_000
    )

    assert 59_500 < len(text) <= 60_000
    findings, accepted = text.split("#### Waived")
    assert accepted.count("**metadata-v2**") == 40
    assert f"- … and {600 - findings.count('**open-login**')} more" in findings


def test_a_comment_with_just_enough_room_leaves_nothing_out() -> None:
    told = report(*(finding(subject=f"resource-{n}") for n in range(9)))
    whole = comment.write(told)

    assert comment.write(told, len(whole)) == whole
    assert "- … and 1 more" not in whole
    assert "more" in comment.write(told, len(whole) - 1)


def test_the_marker_does_not_change_with_what_is_found() -> None:
    first, second = (comment.write(report(*some)) for some in ([], [finding()]))

    assert first.splitlines()[0] == second.splitlines()[0]


def test_the_foot_counts_each_rule_once_by_its_worst_finding() -> None:
    text = comment.write(
        report(
            *(finding("open-login", subject=name) for name in ("a", "b")),
            finding("open-login", subject="c", outcome="fine"),
            finding("time-limit", level="advisory"),
            finding("time-limit", subject="b", outcome="noted"),
            finding("no-cap", outcome="noted"),
            *(finding("spot-share", subject=name, outcome="fine") for name in ("a", "b")),
            finding("spot-share", subject="c", outcome="not-applicable"),
            finding("old-driver", outcome="not-applicable"),
            waived=[finding("metadata-v2")],
            waivers=[Accepted("metadata-v2", "*")],
        )
    )

    counts = "1 with errors, 1 with warnings, 1 waived, 1 noted, 1 passed, 1 not applicable"
    assert f"\nRules: {counts}. Checked for " in text


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("", "live"),
        ("stack.yaml", "live"),
        ("a/stack.yaml", "a"),
        ("a", "a"),
        ("a/p.json", "a/p.json"),
    ],
)
def test_a_source_is_named_by_its_path_from_the_root(
    tmp_path: Path, source: str, name: str
) -> None:
    root = tmp_path / "live"

    assert source_name(root / source, root) == name
    assert source_name(root, tmp_path / "other") == "live"


def test_each_name_has_a_marker_of_its_own() -> None:
    names = ("shop-dev", "shop/dev", "shop.dev", "Shop-dev", "", "\u751f", "x" * 65, "x" * 66)
    markers = [markup.marker("check", name) for name in names]

    assert markers[0] == "<!-- gpuinfra:check:shop-dev -->"
    assert len(set(markers)) == len(names)
    assert all(
        re.fullmatch(r"<!-- gpuinfra:check:[a-z0-9-]{0,73} -->", marker) for marker in markers
    )


def test_a_long_comment_is_cut_and_says_by_how_much() -> None:
    many = [finding(subject=f"resource-{n}") for n in range(5000)]
    text = comment.write(
        report(*many, not_judged=(NotJudged(subject="x", type="other:x", reason="no table"),))
    )

    assert len(text) <= comment.MAX_COMMENT_LENGTH
    assert len(text) > comment.MAX_COMMENT_LENGTH - 1000
    left = 5000 - text.count("**open-login**")
    assert f"- … and {left} more" in text
    assert "`shop`: FAIL, 5000 errors\n" in text
    assert "\nRules: 1 with errors. Checked for " in text


@given(st.integers(200, 3000), st.integers(0, 60), st.text(max_size=300))
def test_no_comment_is_longer_than_its_limit(limit: int, count: int, name: str) -> None:
    many = [finding(subject=f"{name}{n}") for n in range(count)]
    whole = len(comment.write(report(name=name)))

    assert len(comment.write(report(*many, name=name), limit)) <= max(limit, whole + 100)


@given(OUTSIDE)
def test_text_shows_just_its_words(text: str) -> None:
    line = f"- x {markup.text(text)}"

    assert shown(line) == f"x {printable(text).strip()}".strip()
    tags = {token.content for token in inline(line) if token.type == "html_inline"}
    assert tags <= OURS
    kinds = {token.type for token in inline(line)}
    assert kinds <= {"text", "text_special", "html_inline"}


@given(OUTSIDE)
def test_a_name_stays_in_its_cell(text: str) -> None:
    tokens = GFM.parse(markup.table(("a", "b"), [(markup.cell(text), markup.text(text))]))

    cells = [after for token, after in pairwise(tokens) if token.type == "td_open"]
    assert len(cells) == 2
    assert [shown(cell.content) for cell in cells] == [printable(text).strip()] * 2


@given(OUTSIDE)
def test_nothing_is_left_that_any_markdown_reads(text: str) -> None:
    bare = re.sub(r"&#\d+;", ";", re.sub(r"<code>&#(64|35);</code>", ";", markup.text(text)))

    assert not set("\\`*[]<>|~$&@#") & set(bare)
    assert "://" not in bare
    assert "www." not in bare.lower()
    assert not re.search(r"(^|[^a-zA-Z0-9])_|_($|[^a-zA-Z0-9])", bare)
    assert not re.match(r"[-+=]|\d+[.)](\s|$)", markup.text(text))


@pytest.mark.parametrize("text", ["- a", "+ a", "1. a", "23) a", "---", "===", "1.", "# a", "> a"])
def test_no_text_starts_a_block(text: str) -> None:
    kinds = {token.type for token in GFM.parse(f"- {markup.text(text)}\n\n{markup.text(text)}\n")}

    assert kinds <= {
        *("bullet_list_open", "list_item_open", "paragraph_open", "inline"),
        *("bullet_list_close", "list_item_close", "paragraph_close"),
    }
    assert (
        sum(token.type == "list_item_open" for token in GFM.parse(f"- {markup.text(text)}")) == 1
    )


def test_nobody_is_called() -> None:
    assert markup.text("ask @team of #1") == ("ask <code>&#64;</code>team of <code>&#35;</code>1")


def test_plain_words_stay_readable() -> None:
    words = "6.68 USD: add budget: {per_hour: …}, per_run (or 4.5 USD) - a+b=c!"

    assert markup.text(words) == words


@given(OUTSIDE)
def test_no_text_breaks_the_comment(text: str) -> None:
    tokens = GFM.parse(comment.write(full(text)))

    assert sum(token.type == "heading_open" for token in tokens) == 6
    assert sum(token.type == "list_item_open" for token in tokens) == 7
    assert sum(token.type == "html_block" for token in tokens) == 1
    assert not [
        token for token in tokens if token.type in {"fence", "code_block", "blockquote_open"}
    ]
    inner = [child for token in tokens if token.children for child in token.children]
    assert not [token for token in inner if token.type in {"link_open", "image", "em_open"}]
    assert {token.content for token in inner if token.type == "html_inline"} <= OURS


def test_totals_that_leave_something_out_are_a_least() -> None:
    whole = report()
    lacking = replace(whole, quote=replace(whole.quote, unpriced=("a: price unknown",)))

    assert "| per hour | at least $220.16 | at least $160.00 | – |" in comment.write(lacking)


def test_caps_stand_beside_their_totals() -> None:
    text = comment.write(replace(report(), caps=Caps(per_hour=Decimal(250))))

    assert "|  | maximum | cap | as planned | expected |" in text
    assert "| per hour | $220.16 | $250.00 | $160.00 | – |" in text
    assert "| per month | $40,000.00 | – | $20,000.00 | $10,000.00 |" in text


def test_what_is_planned_is_not_shown_twice_where_it_is_the_maximum() -> None:
    whole = report()
    hour, month = (
        replace(total, active=total.ceiling)
        for total in (whole.quote.per_hour, whole.quote.per_month)
    )
    text = comment.write(
        replace(whole, quote=replace(whole.quote, per_hour=hour, per_month=month))
    )

    assert "|  | maximum | expected |" in text
    assert "| per hour | $220.16 | – |" in text


def test_without_a_rung_to_run_on_no_column_shows_the_cost_as_planned() -> None:
    whole = report()
    excluded = content_named("above the cap").report.quote
    assert excluded is not None
    text = comment.write(replace(whole, quote=replace(whole.quote, rungs=excluded.rungs)))

    assert "|  | maximum | expected |" in text
    assert "| per hour | $220.16 | – |" in text
