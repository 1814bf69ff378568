"""What pools scale on: what a policy follows and what wakes a pool is said by somebody."""

import pytest

from gpuinfra.clouds.aws.declare.scaling import ASLEEP, MESSAGES_PER_MACHINE
from tests.components.serving_on_aws.series import emitted, followed, looked_at
from tests.components.serving_on_aws.stacks import WEB, WORK, Builds, changed


@pytest.mark.parametrize(
    ("scale_on", "count"),
    [
        ("gpu_utilization: 30%", 1),
        ("gpu_memory: 85%", 2),
        ("queue: {messages_per_machine: 10}", 3),
    ],
)
def test_somebody_says_exactly_what_the_policy_follows(
    builds: Builds, scale_on: str, count: int
) -> None:
    text = changed(
        WORK,
        ("queue: {messages_per_machine: 10}", scale_on),
        *([] if "queue" in scale_on else [("0..4", "1..4")]),
    )
    seen = builds(text)
    series = followed(seen.of("work-tracking").inputs)

    assert len(series) == count
    assert series <= emitted(seen, "work")


def test_requests_are_counted_by_the_balancer_that_the_group_stands_behind(
    builds: Builds,
) -> None:
    seen = builds(WEB)
    policy = seen.of("web-tracking").inputs["targetTrackingConfiguration"]
    label = policy["predefinedMetricSpecification"]["resourceLabel"]
    balancer, targets = (seen.of(f"web-{part}") for part in ("load-balancer", "target-group"))

    assert label == f"{balancer.outputs['arnSuffix']}/{targets.outputs['arnSuffix']}"
    assert seen.of("web-group").inputs["targetGroupArns"] == [targets.outputs["arn"]]
    (action,) = seen.of("web-listener").inputs["defaultActions"]
    assert action["targetGroupArn"] == targets.outputs["arn"]


def test_somebody_says_what_wakes_the_pool(builds: Builds) -> None:
    seen = builds(WORK)
    alarm, waking = (seen.of(f"work-{part}") for part in ("waiting", "waking"))

    assert looked_at(alarm.inputs) == {
        series
        for series in emitted(seen, "work")
        if series[1] in {"ApproximateNumberOfMessagesVisible", "GroupDesiredCapacity"}
        and series[2][0][1] in {seen.of("work-queue").outputs["name"], "work-group-0a1b2c3"}
    }
    assert alarm.inputs["alarmActions"] == [waking.outputs["arn"]]
    assert waking.inputs["autoscalingGroupName"] == seen.of("work-group").outputs["name"]
    assert waking.inputs["adjustmentType"] == "ChangeInCapacity"


def test_a_pool_that_keeps_a_machine_needs_no_waking(builds: Builds) -> None:
    names = {resource.name for resource in builds(changed(WORK, ("0..4", "1..4"))).resources}

    assert not names & {"work-waiting", "work-waking"}


def test_the_expressions_are_the_ones_that_are_registered(builds: Builds) -> None:
    seen = builds(WORK)
    tracked = seen.of("work-tracking").inputs["targetTrackingConfiguration"]
    (each,) = [
        metric
        for metric in tracked["customizedMetricSpecification"]["metrics"]
        if metric.get("returnData", True)
    ]
    alarm = seen.of("work-waiting").inputs
    (asleep,) = [
        metric_query
        for metric_query in alarm["metricQueries"]
        if metric_query.get("returnData", True)
    ]

    assert (each["expression"], asleep["expression"]) == (MESSAGES_PER_MACHINE, ASLEEP)
    assert tracked["targetValue"] == 10
    assert (alarm["comparisonOperator"], alarm["threshold"]) == (
        "GreaterThanOrEqualToThreshold",
        1,
    )
    assert alarm["treatMissingData"] == "notBreaching"
