"""A hundred thousand findings: every format is bounded in size, and linear in time."""

import json
import time
from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from gpuinfra.cli.views.check_table import show_judged
from gpuinfra.model import NotJudged
from gpuinfra.report import Report, comment, github, junit, sarif
from gpuinfra.rules import FabricVerdict
from tests.report.cases import Accepted, finding, many, report
from tests.report.schemas import JUNIT, SARIF

Write = Callable[[Report], str]

MANY = 100_000
LONG = "x" * 100_000


@pytest.fixture(scope="module")
def crowd() -> Report:
    return many(MANY)


def in_sarif(told: Report) -> str:
    return sarif.write(told, "1")


WRITERS = (comment.write, github.write, junit.write, in_sarif)


@pytest.mark.parametrize(
    ("write", "longest"),
    [
        (comment.write, comment.MAX_COMMENT_LENGTH),
        (github.write, 40_000),
        (junit.write, 6_000_000),
        (in_sarif, 40_000_000),
    ],
    ids=["markdown", "github", "junit", "sarif"],
)
def test_many_findings_make_no_endless_report(crowd: Report, write: Write, longest: int) -> None:
    assert len(write(crowd)) <= longest


def test_a_log_takes_no_more_results_than_code_scanning_and_says_so(crowd: Report) -> None:
    (run,) = json.loads(in_sarif(crowd))["runs"]

    assert len(run["results"]) == sarif.MAX_RESULTS
    assert {result["level"] for result in run["results"]} == {"error"}
    told = [
        notification["message"]["text"]
        for notification in run["invocations"][0]["toolExecutionNotifications"]
    ]
    assert told[0] == "95000 results are omitted; `gpuinfra check --format json` has all"
    assert told[-1] == "not checked: 9900 more types"
    assert run["properties"]["counts"]["violated"] == MANY + MANY // 10


def test_as_many_results_as_are_taken_are_all_there() -> None:
    few = in_sarif(many(20))

    assert "left out" not in few
    SARIF.validate(json.loads(few))


def test_a_test_report_has_first_what_refuses_and_says_what_it_lacks(crowd: Report) -> None:
    root = ET.fromstring(junit.write(crowd))  # noqa: S314 - our own
    (suite,) = root
    told = {entry.get("value") for entry in suite.iter("property")}

    assert (suite.get("tests"), suite.get("failures")) == (
        str(junit.MAX_CASES),
        str(junit.MAX_CASES),
    )
    assert (
        f"{MANY + 3 * MANY // 10 - junit.MAX_CASES} findings; "
        "`gpuinfra check --format json` has all" in (told)
    )
    assert "9900 more types" in told
    JUNIT.validate(ET.fromstring(junit.write(many(50))))  # noqa: S314 - our own


def test_what_is_waived_and_fine_comes_after_what_refuses() -> None:
    told = report(
        finding(outcome="fine"),
        finding(level="advisory"),
        finding(outcome="not-knowable"),
        finding(),
        waived=[finding("nvlink")],
        waivers=[Accepted("nvlink", "*")],
    )
    ordered = sorted(told.entries, key=junit._order)

    assert [
        (entry.finding.outcome, entry.finding.level, entry.is_waived) for entry in ordered
    ] == [
        ("violated", "mandatory", False),
        ("not-knowable", "mandatory", False),
        ("violated", "advisory", False),
        ("fine", "mandatory", False),
        ("violated", "mandatory", True),
    ]


def test_the_step_says_how_many_annotations_were_left(crowd: Report) -> None:
    lines = github.write(crowd).splitlines()

    assert sum(line.startswith("::error ") for line in lines) == 10
    assert f"::error title=gpuinfra::… and {MANY - 9} more: see the step summary" in lines
    assert "and 9990 more types" in lines[-2]


def test_the_table_shows_the_first_of_each_kind_and_counts_the_rest(
    crowd: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    show_judged(crowd, (), detail="verbose")
    shown = capsys.readouterr().out

    assert len(shown.splitlines()) < 1_000
    assert "… and 99900 more lines of open-login (violated): --format json has all" in shown
    assert "… and 9900 more lines of not judged" in shown
    assert "… and 9900 more lines of fabric" in shown
    assert "~ nvlink: w-0, w-1, w-2, w-3, w-4, w-5, w-6, w-7 and 9992 more: waived until" in shown
    assert "FAIL, 100000 errors, 10000 warnings, 10000 waived" in shown


@pytest.mark.parametrize("write", WRITERS, ids=["markdown", "github", "junit", "sarif"])
def test_no_name_is_shown_at_any_length(write: Write) -> None:
    told = report(
        *(finding(subject=f"{LONG}{n}", message=LONG, fix=LONG) for n in range(5)),
        waived=[finding("nvlink", subject=LONG)],
        waivers=[Accepted("nvlink", "*")],
        not_judged=(NotJudged(subject=LONG, type=LONG, reason=LONG),),
        name=LONG,
        fabric=(FabricVerdict(name=LONG, subject=LONG, answer="no", reasons=(LONG,)),),
    )

    assert len(write(told)) < 150_000


@pytest.mark.parametrize("write", WRITERS, ids=["markdown", "github", "junit", "sarif"])
def test_ten_times_as_many_take_at_most_some_thirty_times_as_long(write: Write) -> None:
    def seconds(count: int) -> float:
        told = many(count)
        start = time.process_time()  # what others do on the machine does not count
        write(told)
        return time.process_time() - start

    few = min(seconds(2_000) for _ in range(3))
    assert min(seconds(20_000) for _ in range(3)) < 30 * few + 0.5
