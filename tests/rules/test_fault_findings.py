"""Faults of a row become one finding of the rule that they are for."""

import pytest

from gpuinfra.model import Fault, Reachability
from gpuinfra.rules.fault_findings import judge_reachability, judge_rule_faults, with_faults
from gpuinfra.rules.rule import FactMessages

MESSAGES = FactMessages(good="as it should be", bad="is wrong", unknown="is not known")
WRONG = Fault(rule="a", message="one thing", fix="mend it")
ALSO = Fault(rule="a", message="another", fix="mend that")
OTHER = Fault(rule="b", message="something else")
HIDDEN = Fault(rule="a", is_certain=False)


@pytest.mark.parametrize(
    ("faults", "outcome", "message", "fix"),
    [
        ((), "fine", "as it should be", ""),
        ((OTHER,), "fine", "as it should be", ""),
        ((WRONG, OTHER), "violated", "one thing", "mend it"),
        ((WRONG, ALSO, WRONG), "violated", "one thing; another", "mend it; mend that"),
        ((HIDDEN,), "not-knowable", "is not known", ""),
        ((HIDDEN, WRONG), "violated", "one thing", "mend it"),
    ],
)
def test_the_faults_of_a_rule_are_one_finding(
    faults: tuple[Fault, ...], outcome: str, message: str, fix: str
) -> None:
    finding = judge_rule_faults("training.a", faults, "a", MESSAGES)

    assert (finding.outcome, finding.message, finding.fix) == (outcome, message, fix)


@pytest.mark.parametrize(
    ("reach", "outcome", "message"),
    [
        (None, "not-applicable", "nothing shows its network"),
        (Reachability(), "fine", "by nothing"),
        (
            Reachability(open_paths=("a NAT gateway", "an endpoint")),
            "fine",
            "a NAT gateway; an endpoint",
        ),
        (Reachability(open_paths=("a NAT gateway",), faults=(WRONG,)), "violated", "one thing"),
        (Reachability(faults=(HIDDEN,)), "not-knowable", "is not known"),
    ],
)
def test_what_is_reached_is_named(reach: Reachability | None, outcome: str, message: str) -> None:
    finding = judge_reachability(
        "training.a",
        reach,
        "a",
        unjudged="nothing shows its network",
        unknown="is not known",
        good="by nothing",
    )

    assert (finding.outcome, finding.message) == (outcome, message)


def test_rows_with_a_fault_of_a_rule_among_others_are_found() -> None:
    class Row:
        def __init__(self, *faults: Fault) -> None:
            self.faults = faults

    rows = Row(), Row(OTHER), Row(OTHER, WRONG), Row(WRONG)

    assert with_faults(rows, "a") == rows[2:]
