"""Work of an unknown purpose on spot is declared interruptible."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("interruptible", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_work_of_unknown_purpose_is_judged_by_what_is_said(interruptible, outcome):
    judged = plan(group(purpose="unknown", capacity="spot", interruptible=interruptible))
    assert outcomes(judged, "spot-interruptible") == [outcome]
    assert outcomes(judged, "spot-checkpoints") == ["not-applicable"]
    stays = group(
        purpose="unknown", capacity="spot", on_demand_base=1, interruptible=interruptible
    )
    (finding,) = findings(plan(stays), "spot-interruptible")
    assert (finding.outcome, finding.message) == (
        "fine",
        "1 of its machines can run without spot capacity",
    )
    assert outcomes(plan(group(purpose="unknown")), "spot-interruptible") == ["not-applicable"]
