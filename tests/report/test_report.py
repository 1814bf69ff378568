import pytest

from gpuinfra.report.report import LONGEST_WORDS, cut
from tests.report.cases import Accepted, finding, report


def test_what_is_waived_names_its_waiver_and_where_that_is_written() -> None:
    waivers = [Accepted("open-login", "*", reason="another"), Accepted("open-login", "db")]
    told = report(waived=[finding(subject="[secret]")], waivers=waivers)
    (entry,) = told.waived_findings

    assert told.failing_findings == ()
    assert entry.waiver is waivers[1]
    assert entry.waiver_text == "waived until 2026-12-31 by ml-platform: agreed"
    assert entry.accepted_at == told.locate(("waivers", 1))


def test_what_counts_is_accepted_by_nobody() -> None:
    (entry,) = report(finding()).entries

    assert (entry.is_waived, entry.waiver_text, entry.accepted_at) == (False, "", None)


@pytest.mark.parametrize(("length", "shown"), [(400, 400), (401, 401), (10**6, 401)])
def test_of_a_long_name_the_start_is_shown(length: int, shown: int) -> None:
    (entry,) = report(finding(subject="x" * length)).entries

    assert len(entry.subject) == shown
    assert entry.subject.endswith("…") is (length > 400)


def test_what_is_escaped_is_no_longer_than_what_is_not() -> None:
    assert len(cut("\u202e" * 5000)) == LONGEST_WORDS + 1
    assert cut("a\x1b") == "a\\x1b"


def test_errors_come_before_warnings_and_what_is_fine_is_not_bad() -> None:
    told = report(
        finding(level="advisory"),
        finding(outcome="fine"),
        finding(outcome="not-knowable"),
        finding(),
    )

    assert [entry.weight for entry in told.failing_findings] == ["error", "error", "warning"]
    assert told.counts == {"violated": 2, "fine": 1, "not-knowable": 1}


@pytest.mark.parametrize(
    ("outcome", "message", "said"),
    [
        ("not-knowable", "it is unknown whether it trains", "it is unknown whether it trains"),
        ("not-knowable", "its subnet is not known yet", "its subnet is not known yet"),
        ("not-knowable", "4 of 6 GPUs on spot", "not knowable yet: 4 of 6 GPUs on spot"),
        ("violated", "4 of 6 GPUs on spot", "4 of 6 GPUs on spot"),
    ],
)
def test_an_unknown_result_says_once_that_it_is_one(outcome: str, message: str, said: str) -> None:
    told = report(finding(outcome=outcome, message=message))

    assert told.failing_findings[0].message == said
