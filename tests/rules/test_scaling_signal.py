"""The rule scaling-signal: on rows, then on what strangers write for three clouds."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_stacks, gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.hygiene import of_group, policy, pool, said_of
from tests.rules.cases.judging import findings, of_resources, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


@pytest.mark.parametrize(
    ("facts", "outcome", "words"),
    [
        ({"grows": None}, "not-applicable", "its size is fixed"),
        ({"grows": UNKNOWN, "maximum": 4}, "not-knowable", "is unknown"),
        ({"grows": False, "maximum": 4}, "violated", "1 to 4 machines, and nothing"),
        (
            {"grows": False, "maximum": UNKNOWN},
            "violated",
            "from 1 to an unknown number of machines",
        ),
        ({"grows": False}, "violated", "may have 1 machines, and nothing"),
        ({"grows": True, "minimum": 4, "maximum": 4}, "violated", "at least 4, at most 4"),
        (
            {"grows": True, "minimum": UNKNOWN, "maximum": UNKNOWN},
            "fine",
            ": an unknown number of machines",
        ),
        ({"grows": True, "maximum": 4}, "fine", ": from 1 to 4 machines"),
    ],
)
def test_a_group_that_may_grow_is_told_when(facts, outcome, words):
    finding = of_group("scaling-signal", **facts)
    assert (finding.outcome, finding.level, finding.refuses) == (outcome, "advisory", False)
    assert words in finding.message


def test_the_way_out_follows_what_is_wrong_with_scaling():
    fixed = of_group("scaling-signal", grows=True, minimum=4, maximum=4)
    assert "its maximum above its minimum" in fixed.fix
    assert "target tracking" in of_group("scaling-signal", grows=False, maximum=4).fix


@both
def test_a_scaling_group_of_aws_without_a_policy_is_told_nothing(moment):
    program, scaling = pool()
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    policy(program, scaling, policyType="TargetTrackingScaling", targetTrackingConfiguration={})
    assert said_of(program, "scaling-signal", moment) == {"fine"}
    program.change(scaling, minSize=4)
    assert said_of(program, "scaling-signal", moment) == {"violated"}


@both
def test_a_fixed_scaling_group_needs_no_signal(moment):
    program, scaling = pool(minSize=4)
    assert said_of(program, "scaling-signal", moment) == {"not-applicable"}
    policy(program, scaling, policyType="StepScaling")
    assert said_of(program, "scaling-signal", moment) == {"violated"}


@both
@pytest.mark.parametrize("kind", ["StepScaling", "SimpleScaling", None])
def test_steps_wait_for_an_alarm(kind, moment):
    program, scaling = pool()
    step = policy(program, scaling, **({"policyType": kind} if kind else {}))
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    alarm = program.add("aws:cloudwatch/metricAlarm:MetricAlarm", "busy", alarmActions=[step.arn])
    assert said_of(program, "scaling-signal", moment) == {"fine"}
    program.change(alarm, alarmActions=UNKNOWN)
    assert said_of(program, "scaling-signal", moment) == {"not-knowable"}


@both
def test_a_forecast_alone_scales_nothing(moment):
    program, scaling = pool()
    forecast = policy(
        program,
        scaling,
        policyType="PredictiveScaling",
        predictiveScalingConfiguration={"mode": "ForecastOnly"},
    )
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    program.change(forecast, predictiveScalingConfiguration={"mode": "ForecastAndScale"})
    assert said_of(program, "scaling-signal", moment) == {"fine"}
    program.change(forecast, policyType=UNKNOWN)
    assert said_of(program, "scaling-signal", moment) == {"not-knowable"}


def test_a_policy_of_some_other_group_may_be_this_one_s():
    program, scaling = pool()
    scaling_policy = policy(program, scaling, policyType="TargetTrackingScaling")
    program.change(scaling_policy, autoscalingGroupName=UNKNOWN)
    assert said_of(program, "scaling-signal", "created") == {"not-knowable"}


@both
def test_a_schedule_scales_too(moment):
    program, scaling = pool()
    program.add(
        "aws:autoscaling/schedule:Schedule",
        "night",
        autoscalingGroupName=scaling.out("name"),
        minSize=0,
    )
    assert said_of(program, "scaling-signal", moment) == {"fine"}


@both
@pytest.mark.parametrize(
    ("planned", "outcome"),
    [
        ({"minSize": 0, "maxSize": 0}, "not-applicable"),
        ({"maxSize": UNKNOWN}, "not-applicable"),
        ({"minSize": -1, "maxSize": "-1", "desiredCapacity": 1}, "violated"),
    ],
)
def test_a_schedule_gives_a_fixed_size_limits_of_its_own(planned, outcome, moment):
    program, scaling = pool()
    program.change(scaling, minSize=1, maxSize=1)
    named = {"autoscalingGroupName": scaling.out("name")}
    program.add("aws:autoscaling/schedule:Schedule", "night", **named, **planned)
    said = said_of(program, "scaling-signal", moment)
    assert outcome in said
    assert ("violated" in said) is (outcome == "violated")


@pytest.mark.parametrize(
    ("sizes", "outcome"), [((2, 2), "not-applicable"), ((1, 4), "not-knowable")]
)
def test_what_scales_nodes_of_eks_stands_in_the_cluster(sizes, outcome):
    least, most = sizes
    program = Program()
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": least, "maxSize": most},
    )
    assert said_of(program, "scaling-signal", "created") == {outcome}


def test_sizes_that_are_hidden_are_not_knowable_without_a_signal():
    for hidden in ({"minSize": UNKNOWN}, {"maxSize": UNKNOWN}):
        program, _ = pool(**hidden)
        assert said_of(program, "scaling-signal", "created") == {"not-knowable"}


@both
def test_an_autoscaler_of_google_cloud(moment):
    program = gcp_stacks.pool()
    (scaler,) = (handle for handle in program.handles.values() if "utoscaler" in handle.type)

    def judge() -> set[str]:
        return said_of(program, "scaling-signal", moment)

    assert judge() == {"fine"}
    program.change(scaler, autoscalingPolicy={"minReplicas": 3, "maxReplicas": 3})
    assert judge() == {"violated"}


@both
def test_a_sized_group_of_google_cloud_and_its_autoscaler_are_judged_once(moment):
    program = gcp_stacks.pool(base=0)
    (scaler,) = (handle for handle in program.handles.values() if "utoscaler" in handle.type)
    (scaled,) = (
        handle for handle in program.handles.values() if handle.type.endswith("GroupManager")
    )
    program.change(scaled, targetSize=2)
    judged = findings(of_resources(program.resources(moment)), "scaling-signal")
    assert {finding.outcome for finding in judged} == {"not-applicable", "fine"}
    off = {"minReplicas": 1, "maxReplicas": 9, "mode": "OFF"}
    program.change(scaler, autoscalingPolicy=off)
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    program.drop(scaler)
    assert said_of(program, "scaling-signal", moment) == {"not-applicable"}


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [({"nodeCount": 2}, "not-applicable"), ({"autoscaling": {"maxNodeCount": 3}}, "fine")],
)
def test_a_node_pool_of_google_cloud(inputs, outcome):
    program = GcpProgram()
    program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster="home",
        nodeLocations=["us-central1-a"],
        nodeConfig={"machineType": "g2-standard-4"},
        **inputs,
    )
    assert said_of(program, "scaling-signal", "created") == {outcome}


RULE = {"metricTrigger": {"metricName": "gpu"}}


def autoscaled(**setting: Any) -> AzureProgram:
    program = AzureProgram()
    scaling = azure_stacks.scale_set(program)
    profile = {"capacity": {"minimum": "1", "maximum": "4"}, "rules": [RULE]}
    program.add(
        "azure-native:monitor:AutoscaleSetting",
        "follow",
        targetResourceUri=scaling.id,
        **{"enabled": True, "profiles": [profile], **setting},
    )
    return program


AUTOSCALED: dict[str, tuple[dict[str, Any], str]] = {
    "on": ({}, "fine"),
    "off": ({"enabled": None}, "violated"),
    "hidden": ({"enabled": UNKNOWN}, "not-knowable"),
    "no rule": (
        {"profiles": [{"capacity": {"minimum": "1", "maximum": "4"}}]},
        "violated",
    ),
    "by the clock": (
        {"profiles": [{"capacity": {"minimum": "1", "maximum": "4"}, "recurrence": {"f": 1}}]},
        "fine",
    ),
}


@both
@pytest.mark.parametrize("named", AUTOSCALED)
def test_an_autoscale_setting_of_azure(named, moment):
    setting, outcome = AUTOSCALED[named]
    assert said_of(autoscaled(**setting), "scaling-signal", moment) == {outcome}


def test_a_scale_set_that_nothing_scales_is_fixed():
    program = AzureProgram()
    azure_stacks.scale_set(program)
    assert said_of(program, "scaling-signal", "created") == {"not-applicable"}


@pytest.mark.parametrize(
    ("scales", "outcome"), [(None, "not-applicable"), (True, "fine"), (UNKNOWN, "not-knowable")]
)
def test_a_node_pool_of_azure(scales, outcome):
    program = AzureProgram()
    sizes = {"count": 1, "minCount": 1, "maxCount": 4}
    program.add(
        "azure-native:containerservice:AgentPool",
        "pool",
        vmSize="Standard_NC4as_T4_v3",
        enableAutoScaling=scales,
        **sizes,
    )
    assert said_of(program, "scaling-signal", "created") == {outcome}


@both
@pytest.mark.parametrize(
    ("status", "outcome"),
    [("ENABLED", "fine"), ("DISABLED", "violated"), (UNKNOWN, "not-knowable")],
)
def test_ecs_scales_the_group_of_a_capacity_provider(status, outcome, moment):
    program, scaling = pool()
    program.add(
        "aws:ecs/capacityProvider:CapacityProvider",
        "provider",
        autoScalingGroupProvider={
            "autoScalingGroupArn": scaling.arn,
            "managedScaling": {"status": status},
        },
    )
    assert said_of(program, "scaling-signal", moment) == {outcome}


def test_without_rows_scaling_signal_does_not_apply():
    (finding,) = findings(plan(), "scaling-signal")
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")
