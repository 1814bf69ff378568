"""The metric that a pool scales on: target tracking, and the wake-up of an empty pool."""

from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.metrics import (
    DIMENSION,
    INTERVAL,
    MEMORY_TOTAL,
    MEMORY_USED,
    NAMESPACE,
    UTILIZATION,
)
from gpuinfra.graph import Resource
from gpuinfra.model import Group
from gpuinfra.records import record
from gpuinfra.specs.schema import Queue, ScaleOn

SQS: Final = "AWS/SQS"
"""https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html"""

RUNNING: Final = "GroupInServiceInstances"
DESIRED_CAPACITY: Final = "GroupDesiredCapacity"
"""The group metrics, sent once a minute where group metrics are enabled."""

MESSAGES_PER_MACHINE: Final = "(visible + FILL(taken, 0)) / IF(running > 0, running, 1)"
ASLEEP: Final = "IF(wanted == 0, visible, 0)"
"""Messages for each machine, and messages that no machine is to work off.

Only messages in work are filled in, which SQS leaves out where there are none. The newest minute
comes late: to fill that in too would say that nothing waits, for ever. A minute that lacks one of
the other figures lacks the result, and the alarms then take the minutes before it.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
"""

WARMUP: Final = 300
"""Seconds before a new machine's figures count: it pulls its image and loads its model first."""


@record(kw_only=False)
class MetricReference:
    """A metric by its namespace, name and dimensions; `id` is its name in an expression."""

    id: str
    namespace: str
    name: str
    dimensions: Mapping[str, Any]


def tracking(children: Children, config: Mapping[str, Any], machines: Resource) -> None:
    """Declare the policy that scales the group to keep the metric at its target."""
    children.make(
        "aws:autoscaling/policy:Policy",
        "tracking",
        autoscalingGroupName=machines["name"],
        policyType="TargetTrackingScaling",
        estimatedInstanceWarmup=WARMUP,
        targetTrackingConfiguration=config,
    )


def follow_queue(
    children: Children, group: Group, spec: Queue, name: Any, machines: Resource
) -> None:
    """Declare the scaling of a pool by its messages, and its wake-up from no machine.

    Target tracking grows a pool only when messages exceed the target, so that a few would wait
    for ever at none: the first machine comes by an alarm of its own. That one looks at how many
    machines are wanted, not at how many run, and adds one: while machines of the same alarm warm
    up it adds no more, and it never takes back what target tracking has ordered.
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-simple-step.html

    SQS sends no metrics of a queue that has been inactive for six hours, and may take a quarter of
    an hour (for which we have no source) to resume: the first message may wait that long before
    the machine starts.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
    """
    tracking(children, backlog(spec, name, machines["name"]), machines)
    if group.minimum != 0:
        return
    first = children.make(
        "aws:autoscaling/policy:Policy",
        "waking",
        autoscalingGroupName=machines["name"],
        policyType="StepScaling",
        adjustmentType="ChangeInCapacity",
        estimatedInstanceWarmup=WARMUP,
        stepAdjustments=[{"scalingAdjustment": 1, "metricIntervalLowerBound": "0"}],
    )
    children.make(
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        "waiting",
        alarmDescription=f"Messages wait for {children.spec.name}, and no machine is to run",
        comparisonOperator="GreaterThanOrEqualToThreshold",
        threshold=1,
        evaluationPeriods=1,
        treatMissingData="notBreaching",
        metricQueries=[
            _query(_visible(name)),
            _query(_group_size_metric("wanted", DESIRED_CAPACITY, machines["name"])),
            _result("asleep", ASLEEP, "messages that no machine processes"),
        ],
        alarmActions=[first["arn"]],
    )


def backlog(spec: Queue, name: Any, group_name: Any) -> Mapping[str, Any]:
    """Return the messages per machine, including those in work, so that the last machine stays.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-using-sqs-queue.html
    """
    taken = MetricReference(
        "taken", SQS, "ApproximateNumberOfMessagesNotVisible", {"QueueName": name}
    )
    figures = (_visible(name), taken, _group_size_metric("running", RUNNING, group_name))
    result = _result("each", MESSAGES_PER_MACHINE, "messages for each machine")
    return _customized_metric(
        spec.messages_per_machine,
        {"metrics": [*(_tracking_query(figure) for figure in figures), result]},
    )


def target(scale_on: ScaleOn, group_name: Any, requests_label: Any) -> Mapping[str, Any]:
    """Return the metric and its target; a share is in percent there."""
    if scale_on.requests_per_target is not None:
        return {
            "targetValue": float(scale_on.requests_per_target),
            "predefinedMetricSpecification": {
                "predefinedMetricType": "ALBRequestCountPerTarget",
                "resourceLabel": requests_label,
            },
        }
    dimensions = {DIMENSION: group_name}
    if scale_on.gpu_utilization is not None:
        specification = {
            "namespace": NAMESPACE,
            "metricName": UTILIZATION,
            "metricDimensions": _dimensions(dimensions),
            "statistic": "Average",
        }
        return _customized_metric(scale_on.gpu_utilization * 100, specification)
    if scale_on.gpu_memory is None:
        raise ValueError("scale_on has no metric")
    metrics = [
        _tracking_query(MetricReference("used", NAMESPACE, MEMORY_USED, dimensions)),
        _tracking_query(MetricReference("total", NAMESPACE, MEMORY_TOTAL, dimensions)),
        _result("share", "100 * used / total", "GPU memory in use, percent"),
    ]
    return _customized_metric(scale_on.gpu_memory * 100, {"metrics": metrics})


def _customized_metric(value: Any, specification: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a customized metric and the value that it is kept at."""
    return {"targetValue": float(value), "customizedMetricSpecification": specification}


def _result(id_: str, expression: str, label: str) -> dict[str, Any]:
    """Return the expression over the other metrics that is followed."""
    return {"id": id_, "expression": expression, "label": label, "returnData": True}


def _visible(name: Any) -> MetricReference:
    """Return the metric of messages that no consumer has received yet."""
    return MetricReference(
        "visible", SQS, "ApproximateNumberOfMessagesVisible", {"QueueName": name}
    )


def _group_size_metric(id_: str, name: str, group_name: Any) -> MetricReference:
    """Return a metric of a group's size."""
    return MetricReference(id_, "AWS/AutoScaling", name, {DIMENSION: group_name})


def _tracking_query(figure: MetricReference) -> dict[str, Any]:
    """Return a metric in target tracking's format."""
    return {
        "id": figure.id,
        "metricStat": {
            "metric": {
                "namespace": figure.namespace,
                "metricName": figure.name,
                "dimensions": _dimensions(figure.dimensions),
            },
            "stat": "Average",
        },
        "returnData": False,
    }


def _query(figure: MetricReference) -> dict[str, Any]:
    """Return a metric in an alarm's format."""
    return {
        "id": figure.id,
        "metric": {
            "namespace": figure.namespace,
            "metricName": figure.name,
            "dimensions": figure.dimensions,
            "stat": "Average",
            "period": INTERVAL,
        },
        "returnData": False,
    }


def _dimensions(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in values.items()]
