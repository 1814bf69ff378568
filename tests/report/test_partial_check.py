"""What every format says where only a part of a stack was judged."""

import json
from dataclasses import replace

import pytest

from gpuinfra.errors import CloudError, EngineError, InputError, Position, Problem, Refusal
from gpuinfra.report import comment, github, junit, sarif, summary
from gpuinfra.report.partial_check import BOUND, StopReason
from tests.report.cases import finding, report

PROBLEM = Problem(
    message="the program failed: KeyError: 'seven'",
    fix="correct the program",
    position=Position("__main__.py", 7, 1, ""),
)
REASON = "2 resources judged before the program stopped: KeyError: 'seven'"


@pytest.fixture
def part():
    """A report without a finding that refuses, of a program that failed."""
    fine = report(finding(outcome="fine"))
    return replace(fine, stop_reason=StopReason(error=InputError([PROBLEM]), resources=2))


def test_a_part_never_passes(part):
    assert part.verdict.ok
    assert not part.ok
    assert part.exit_code == 2
    assert summary.ending(part) == f"FAIL; {REASON}"
    assert next(summary.totals(part.quote, None, is_partial=True)).startswith("at least $")


def test_markdown_has_the_error_and_the_bound_before_the_findings(part):
    text = comment.write(part)

    assert f"FAIL; {REASON}" in text.splitlines()[2]
    assert "- `__main__.py:7:1` the program failed: KeyError: 'seven'; fix: " in text
    assert BOUND[1:] in text
    assert "| per hour | at least " in text


def test_github_has_the_error_as_the_first_annotation(part):
    first, second, *_, last = github.write(part).splitlines()

    assert first.startswith("::error file=__main__.py,line=7,col=1,title=gpuinfra::the program")
    assert second == f"::notice title=gpuinfra::{BOUND}"
    assert last.endswith(REASON)


@pytest.mark.parametrize("shown", [2, 3, 10])
def test_github_has_no_more_annotations_than_there_is_room_for(part, shown):
    many = report(*(finding(subject=f"a{number}") for number in range(20)))
    error = InputError([PROBLEM] * 20)
    full = replace(many, stop_reason=StopReason(error=error, resources=20))
    errors = [line for line in github.write(full, shown).splitlines() if "::error " in line]

    assert len(errors) == shown
    assert "more: see the step summary" in errors[-1]


def test_sarif_has_a_run_that_was_not_successful(part):
    [run] = json.loads(sarif.write(part, "1"))["runs"]
    [invocation] = run["invocations"]
    error, told = invocation["toolExecutionNotifications"]

    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert error["level"] == "error"
    assert "KeyError" in error["message"]["text"]
    assert told["message"]["text"] == f"{REASON}; {BOUND}"


def test_junit_has_a_case_in_error(part):
    text = junit.write(part)

    assert 'failures="0" errors="1"' in text.splitlines()[1]
    assert text.count('<testcase classname="gpuinfra" name="__main__.py:7:1"') == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CloudError([Refusal(what="the bucket", why="long", fix="x")]), "the bucket was refused"),
        (EngineError("no plugin x; nothing after it was checked"), "no plugin x"),
        (InputError([Problem(message="a\x1b[0m\nb " + "c" * 300)]), "a\\x1b[0m b ccc"),
    ],
)
def test_the_reason_is_short_and_in_one_line(error, reason):
    said = StopReason(error=error, resources=1).reason

    assert said.startswith(reason)
    assert len(said) <= 201


def test_a_preview_s_reason_is_what_the_program_complained_of():
    problem = Problem(message="the preview failed, so the file shows", value="boom")
    stopped = StopReason(error=InputError([problem]), resources=1, is_program=False)

    assert stopped.text == "1 resource judged before the preview failed: boom"
