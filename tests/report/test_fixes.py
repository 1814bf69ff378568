"""Proposed fixes in every format: the edits, what they cost, and a replacement in the file."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.fixes import Edit, Effect, Fix, Span
from gpuinfra.fixes.stack_file_edits import write
from gpuinfra.report import Report, comment, github, junit, sarif
from gpuinfra.report.fix_replacement import Replacement, replacement
from tests.report.cases import HOSTILE, URN, finding, report
from tests.report.comment_text import OURS, inline, shown
from tests.report.schemas import SARIF

TEXT = """\
budget: {per_hour: 8}
training:
  trainer: # the big one
    nodes: 4
    max_price: 40
rules: {}
"""


def fix(*edits: Edit, whole: bool = True, rule: str = "cap-per-hour", **changes: Any) -> Fix:
    hour = Span(before=Decimal(160), after=Decimal("109.76"))
    month = Span(before=None, after=None)
    fields = {
        "settled_findings": ((rule, "shop"),),
        "edits": edits or (edit(),),
        "effect": Effect(per_hour=hour, per_month=month, per_run=None),
        **changes,
    }
    return Fix(passes_check=whole, **fields)


def edit(*path: Any, before: Any = 40, after: Any = Decimal("29.92"), **changes: Any) -> Edit:
    where = path or ("training", "trainer", "max_price")
    return Edit(path=where, before=before, after=after, **changes)


def fixed(*fixes: Fix, subject: str = "shop", text: str = TEXT) -> Report:
    return report(
        finding("cap-per-hour", subject=subject, path=("budget", "per_hour")),
        finding(),
        fixes=fixes,
        text=text,
    )


def put(text: str, change: Replacement) -> str:
    """What an editor makes of a replacement."""
    lines = text.splitlines(keepends=True)

    def at(place: tuple[int, int]) -> int:
        return sum(map(len, lines[: place[0] - 1])) + place[1] - 1

    return text[: at(change.start)] + change.text + text[at(change.end) :]


def test_a_comment_has_the_edit_with_what_it_saves() -> None:
    text = comment.write(fixed(fix(), fix(whole=False, rule="no-cap"), fix(whole=False)))

    assert "#### Proposed fixes" in text
    assert (
        "- training.trainer.max_price: 29.92, now 40 (-&#36;50.24/h, -31%): "
        "the whole check passes with it"
    ) in text
    assert "(-&#36;50.24/h, -31%): fixes no-cap" in text
    assert "fixes cap-per-hour" not in text, "the first fix settles it, too"
    assert "Proposed" not in comment.write(fixed())


def test_a_log_has_the_replacement_in_the_file() -> None:
    log = json.loads(sarif.write(fixed(fix()), "1"))
    SARIF.validate(log)
    with_fix, without = log["runs"][0]["results"]

    (proposed,) = with_fix["fixes"]
    (change,) = proposed["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "infra/stack.yaml", "uriBaseId": "%SRCROOT%"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 5, "startColumn": 16, "endLine": 5, "endColumn": 18},
            "insertedContent": {"text": "29.92"},
        }
    ]
    assert "-$50.24/h" in proposed["description"]["text"]
    assert "Proposed: training.trainer.max_price: 29.92, now 40" in with_fix["message"]["text"]
    assert "fixes" not in without
    assert "Proposed" not in without["message"]["text"]


def test_a_fix_of_a_program_is_only_told() -> None:
    of_program = fix(edit("rootBlockDevice", 0, "encrypted", resource=URN, type="aws:x/y:Z"))
    log = json.loads(sarif.write(fixed(of_program, text=""), "1"))
    SARIF.validate(log)
    result = log["runs"][0]["results"][0]

    assert "fixes" not in result
    assert (
        "Proposed: aws:x/y:Z `trainer`: rootBlockDevice[0].encrypted"
        in (result["message"]["text"])
    )


def test_annotations_and_cases_name_the_fix() -> None:
    told = fixed(fix())

    assert "%0Aproposed: training.trainer.max_price: 29.92, now 40 (-$50.24" in github.write(told)
    assert "\nproposed: training.trainer.max_price: 29.92, now 40 (-$50.24" in junit.write(told)


def test_of_several_fixes_a_finding_gets_the_first() -> None:
    first, second = fix(), fix(edit(after=1))

    assert fixed(first, second).fix_of(fixed().failing_findings[0]) is first
    assert fixed(first).fix_of(fixed().failing_findings[1]) is None


def test_a_finding_gets_the_fix_that_changes_least_besides() -> None:
    both = fix(settled_findings=(("cap-per-hour", "shop"), ("no-cap", "shop")))
    alone = fix(edit(after=1), whole=False)

    assert fixed(both, alone).fix_of(fixed().failing_findings[0]) is alone


def test_a_policy_is_written_as_a_document_in_every_format() -> None:
    policy = edit("policy", before=None, after='{"Version": "2012"}', resource=URN, type="a:b/c:D")
    told = fixed(fix(policy))

    assert 'policy = {"Version": "2012"}' in github.write(told)
    assert 'policy = {"Version": "2012"}' in shown(comment.write(told))
    assert 'policy = {"Version": "2012"}' in junit.write(told)


@pytest.mark.parametrize(
    "edits",
    [
        (edit(),),
        (edit("training", "trainer", "nodes", before=4, after=2), edit()),
        (edit("training", "trainer", "capacity", before=None, after=["spot", "on-demand"]),),
        (edit("buckets", before=None, after={"data": {"size": "1TB"}}),),
    ],
)
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip("\n")])
def test_a_replacement_makes_what_the_fix_writes(text: str, edits: tuple[Edit, ...]) -> None:
    change = replacement(text, fix(*edits))

    assert change is not None
    assert put(text, change) == write(text, edits)


@given(st.sampled_from(["a", "aa", "ab", "aba", ""]), st.sampled_from(["a", "aa", "ab", "aba"]))
def test_a_replacement_never_overlaps_itself(old: str, new: str) -> None:
    text = f'training: {{trainer: {{image: "{old}"}}}}\nz: "aaa"\n'
    edits = (edit("training", "trainer", "image", before=old, after=new),)
    change = replacement(text, fix(*edits))

    assert (change is None) is (write(text, edits) == text)
    if change is not None:
        assert put(text, change) == write(text, edits)


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("", (edit(),)),
        (TEXT, (edit(resource=URN),)),
        (TEXT, (edit("nowhere", "deep", 3),)),
        (TEXT, (edit(after=40),)),
    ],
)
def test_what_changes_no_text_is_no_replacement(text: str, edits: tuple[Edit, ...]) -> None:
    assert replacement(text, fix(*edits)) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_in_a_fix_breaks_out(name: str) -> None:
    nasty = fix(edit("x", resource=f"urn::{name}", type=name, after=name), relock=True)
    told = fixed(nasty)

    text = comment.write(told)
    assert {token.content for token in inline(text) if token.type == "html_inline"} <= OURS
    assert not [token for token in inline(text) if token.type in {"link_open", "image"}]
    assert sum(line.startswith("- ") for line in text.splitlines()) == 3
    SARIF.validate(json.loads(sarif.write(told, "1")))
    for line in github.write(told).splitlines()[:-1]:
        assert line.startswith(("::error ", "::warning "))
        assert line.isprintable()
