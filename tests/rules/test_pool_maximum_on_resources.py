"""What raises or passes the maximum of a pool, on raw resources of strangers on AWS."""

import pytest

from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.raw_machines import FLEET, SPOT_FLEET, fleet, hidden, scaling

POLICY = "aws:autoscaling/policy:Policy"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"


@both
@pytest.mark.parametrize(
    ("behavior", "outcome"),
    [("IncreaseMaxCapacity", "violated"), ("HonorMaxCapacity", "fine"), (UNKNOWN, "not-knowable")],
)
def test_a_forecast_that_may_raise_the_maximum(behavior, outcome, moment):
    program = Program()
    group = scaling(program)
    assert outcomes(of_resources(program.resources(moment)), "pool-maximum") == ["fine"]
    program.add(
        POLICY,
        "forecast",
        autoscalingGroupName=group.out("name"),
        policyType="PredictiveScaling",
        predictiveScalingConfiguration={"maxCapacityBreachBehavior": behavior},
    )
    (finding,) = findings(of_resources(program.resources(moment)), "pool-maximum")
    assert (finding.outcome, finding.subject) == (outcome, group.urn)
    if outcome == "violated":
        assert "the scaling policy forecast may raise the maximum" in finding.message


RETAINS = {"retentionTriggers": {"terminateHookAbandon": "retain"}}
ENDING = "autoscaling:EC2_INSTANCE_TERMINATING"


@both
@pytest.mark.parametrize(
    ("policy", "transition", "outcome"),
    [
        (RETAINS, ENDING, "violated"),
        ({"retentionTriggers": {"terminateHookAbandon": UNKNOWN}}, ENDING, "not-knowable"),
        (RETAINS, "autoscaling:EC2_INSTANCE_LAUNCHING", "fine"),
        (RETAINS, None, "fine"),
        ({"retentionTriggers": {"terminateHookAbandon": "terminate"}}, ENDING, "fine"),
    ],
)
def test_a_group_that_retains_machines_whose_hook_is_abandoned(
    policy, transition, outcome, moment
):
    program = Program()
    group = scaling(program, instanceLifecyclePolicy=policy)
    if transition is not None:
        name = group.out("name")
        program.add(HOOK, "last", autoscalingGroupName=name, lifecycleTransition=transition)
    assert outcomes(of_resources(program.resources(moment)), "pool-maximum") == [outcome]


def test_a_hook_of_the_group_itself_retains_machines_too():
    program = Program()
    hooks = [{"name": "last", "lifecycleTransition": ENDING}]
    scaling(program, instanceLifecyclePolicy=RETAINS, initialLifecycleHooks=hooks)
    (finding,) = findings(of_resources(program.resources()), "pool-maximum")
    assert "terminate_hook_abandon" in finding.message


@pytest.mark.parametrize(
    ("strategy", "outcome"),
    [("launch", "violated"), ("launch-before-terminate", "fine"), (UNKNOWN, "not-knowable")],
)
@pytest.mark.parametrize("token", [FLEET, SPOT_FLEET])
def test_a_fleet_that_leaves_machines_at_risk_beside_the_new_ones(strategy, outcome, token):
    risk = {"capacityRebalance": {"replacementStrategy": strategy}}
    inputs = {"spotOptions": {"maintenanceStrategies": risk}}
    if token == SPOT_FLEET:
        inputs = {"spotMaintenanceStrategies": risk}
    program = Program()
    fleet(program, token, **inputs)
    (finding,) = findings(of_resources(program.resources()), "pool-maximum")
    assert finding.outcome == outcome
    if outcome == "violated":
        assert "launch-before-terminate" in finding.message


def test_a_size_that_is_not_known_is_neither_counted_nor_capped():
    program = Program()
    scaling(program, maxSize=UNKNOWN)
    judged = of_resources(program.resources())
    assert outcomes(judged, "pool-maximum") == ["not-knowable"]
    assert set(outcomes(judged, "price-unknown")) == {"violated"}


def test_a_policy_of_nobody_knows_which_group_may_raise_any_maximum():
    program = Program()
    group = scaling(program)
    forecast = {"maxCapacityBreachBehavior": "IncreaseMaxCapacity"}
    name = group.out("name")
    program.add(
        POLICY, "forecast", autoscalingGroupName=name, predictiveScalingConfiguration=forecast
    )
    (seen,) = of_resources(hidden(program)).groups
    assert faults_of(seen.faults, "pool-maximum") is UNKNOWN
