"""Pools that may exceed the maximum that the caps count."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, GroupLifecycle
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({"maximum": 4}, "fine", "at most 4"),
        ({"maximum": UNKNOWN}, "not-knowable", "number of machines"),
        ({"faults": rule_faults("pool-maximum", ("one more",))}, "violated", "one more"),
        (
            {"faults": rule_faults("pool-maximum", ("a", "b")), "maximum": UNKNOWN},
            "violated",
            "a; b",
        ),
        ({"faults": rule_faults("pool-maximum", UNKNOWN)}, "not-knowable", "exceed its maximum"),
    ],
)
def test_no_pool_outgrows_what_the_caps_count(changes, outcome, words):
    (finding,) = findings(plan(group(**changes)), "pool-maximum")
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message
    assert outcomes(plan(), "pool-maximum") == ["not-applicable"]


@pytest.mark.parametrize(
    ("minimum", "maximum", "message"),
    [
        (1, 1, "at most 1 machine; the caps count all of them"),
        (1, 3, "at most 3 machines (1 to 3 as it scales); the caps count all of them"),
        (1, UNKNOWN, "its maximum number of machines is not known yet"),
    ],
)
def test_a_maximum_is_said_as_the_caps_count_it(minimum: int, maximum: Any, message: str) -> None:
    (finding,) = findings(plan(group(minimum=minimum, maximum=maximum)), "pool-maximum")

    assert finding.message == message


def test_a_maximum_counts_an_update_of_an_unknown_size() -> None:
    judged = group(maximum=3, lifecycle=GroupLifecycle(surge=UNKNOWN))

    (finding,) = findings(plan(judged), "pool-maximum")

    assert finding.message == "at most 3; the caps count all of them"
