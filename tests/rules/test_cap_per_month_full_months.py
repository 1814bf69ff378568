"""A month that counts in full though something is said to end it says so, and what to do."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps, Usage
from tests.clouds.aws.ends import ROLE_POLICY, TERMINATE, ended
from tests.rules.cases.judging import findings, of_resources

WORDS = (
    "counts 730 hours, since it is not known yet that a declared resource ends the machines and "
    "has permission to: declare one, write its policy from names that are known before the "
    "update, or set usage.ends_after in the pack's settings"
)
CLAIMED = Usage(ends_claimed={"node": Decimal(10)})


def judged(statement, usage, cap):
    program, role = ended()
    program.add(ROLE_POLICY, "rights", role=role.id, policy={"Statement": [statement]})
    plan = of_resources(program.resources("preview"), Caps(per_month=Decimal(cap)), usage)
    (finding,) = findings(plan, "cap-per-month")
    return finding


def test_a_right_that_only_the_update_writes_leaves_the_month_full_and_says_so():
    finding = judged({**TERMINATE, "Resource": UNKNOWN}, CLAIMED, 600)
    assert finding.outcome == "violated"
    assert f"node {WORDS}" in finding.message


@pytest.mark.parametrize(
    ("statement", "usage", "cap"),
    [
        (TERMINATE, CLAIMED, 1),  # it surely ends, and costs too much all the same
        ({**TERMINATE, "Resource": UNKNOWN}, Usage(), 600),  # nothing says that it ends
        ({**TERMINATE, "Resource": UNKNOWN}, Usage(ends_after={"node": Decimal(10)}), 1),
    ],
)
def test_a_month_that_is_too_dear_for_another_reason_does_not(statement, usage, cap):
    finding = judged(statement, usage, cap)
    assert finding.outcome == "violated"
    assert "counts 730 hours" not in finding.message


def test_a_right_that_is_known_shortens_the_month():
    assert judged(TERMINATE, CLAIMED, 6000).outcome == "fine"
    assert judged({**TERMINATE, "Resource": UNKNOWN}, CLAIMED, 6000).outcome == "violated"


def test_a_full_month_that_fits_needs_no_reason():
    finding = judged({**TERMINATE, "Resource": UNKNOWN}, CLAIMED, 50_000)
    assert finding.outcome == "fine"
    assert "counts 730 hours" not in finding.message
