"""Only machines that may be evicted have an eviction policy."""

from dataclasses import replace

import pytest

from gpuinfra.clouds.observed_rules import judges
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("faults", "outcome"), [((), "fine"), (("a", "b"), "violated"), (UNKNOWN, "not-knowable")]
)
def test_only_machines_that_may_be_evicted_say_what_happens(faults, outcome):
    (finding,) = findings(
        plan(group(cloud="azure", faults=rule_faults("eviction-policy", faults))),
        "eviction-policy",
    )
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert outcomes(plan(), "eviction-policy") == ["not-applicable"]


def test_spot_machines_are_not_said_to_be_never_evicted():
    regular = group(cloud="azure")
    spot = replace(regular, rungs=(replace(regular.rung, capacity="spot"),))
    (finding,) = findings(plan(spot), "eviction-policy")
    assert finding.outcome == "fine"
    assert "never" not in finding.message


@pytest.mark.parametrize(
    ("capacity", "message"),
    [
        ("spot", "spot machines may have an eviction policy"),
        ("on-demand", "no eviction policy; its machines are never evicted"),
    ],
)
def test_an_eviction_policy_is_for_spot_machines(capacity: str, message: str) -> None:
    (finding,) = findings(plan(group(capacity=capacity, cloud="azure")), "eviction-policy")

    assert (finding.outcome, finding.message) == ("fine", message)


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_cloud_without_eviction_policies_is_not_applicable(cloud):
    (finding,) = findings(plan(group(cloud=cloud)), "eviction-policy")
    assert finding.outcome == ("fine" if judges(cloud, "eviction-policy") else "not-applicable")
