"""What waits for capacity is declared as the cloud takes it."""

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, group, plan


@pytest.mark.parametrize(
    ("faults", "ways", "outcome"),
    [
        ((), None, "not-applicable"),
        ((), ("reservation", "calendar"), "not-applicable"),
        ((), UNKNOWN, "not-applicable"),
        ((), ("flex-start",), "fine"),
        (("a", "b"), None, "violated"),
        (UNKNOWN, None, "not-knowable"),
        (UNKNOWN, ("flex-start",), "not-knowable"),
    ],
)
def test_machines_that_wait_are_declared_as_the_cloud_takes_them(faults, ways, outcome):
    (finding,) = findings(
        plan(group(faults=rule_faults("flex-start", faults), usage_classes=ways)), "flex-start"
    )
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    if outcome == "violated":
        assert finding.message == "a; b"
