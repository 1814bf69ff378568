"""The figure that a pool follows: target tracking, and what wakes a pool that has no machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.metrics import (
    DIMENSION,
    INTERVAL,
    MEMORY_TOTAL,
    MEMORY_USED,
    NAMESPACE,
    UTILIZATION,
)
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Queue, ScaleOn

WAKING: Final[Kinds] = {
    "waking": aws.autoscaling.Policy,
    "waiting": aws.cloudwatch.MetricAlarm,
}

SQS: Final = "AWS/SQS"
"""https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html"""

RUNNING: Final = "GroupInServiceInstances"
WANTED: Final = "GroupDesiredCapacity"
"""What a group counts, once a minute, where its metrics are enabled."""

EACH: Final = "(visible + FILL(taken, 0)) / IF(running > 0, running, 1)"
ASLEEP: Final = "IF(wanted == 0, visible, 0)"
"""Messages for each machine, and messages that no machine is to work off.

Only messages in work are filled in, which SQS leaves out where there are none. The newest minute
comes late: to fill that in too would say that nothing waits, for ever. A minute that lacks one of
the other figures lacks the result, and the alarms then take the minutes before it.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
"""

WARMUP: Final = 300
"""Seconds before a new machine's figures count: it pulls its image and loads its model first."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric by its namespace, name and dimensions; `id` is what an expression calls it."""

    id: str
    namespace: str
    name: str
    dimensions: Mapping[str, pulumi.Input[str]]


def tracking(
    children: Children, wanted: Mapping[str, Any], machines: aws.autoscaling.Group
) -> aws.autoscaling.Policy:
    """Register the policy: the group grows and shrinks to keep the figure at its target."""
    return children.make(
        aws.autoscaling.Policy,
        "tracking",
        autoscaling_group_name=machines.name,
        policy_type="TargetTrackingScaling",
        estimated_instance_warmup=WARMUP,
        target_tracking_configuration=wanted,
    )


def follow_queue(
    children: Children,
    group: Group,
    wish: Queue,
    name: pulumi.Input[str],
    machines: aws.autoscaling.Group,
) -> None:
    """Register what makes a pool follow its messages, and wakes it when it is to have no machine.

    Target tracking grows a pool only when messages exceed the target, so that a few would wait
    for ever at none: the first machine comes by an alarm of its own. That one looks at how many
    machines are wanted, not at how many run, and adds one: while machines of the same alarm warm
    up it adds no more, and it never takes back what target tracking has ordered.
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-simple-step.html

    SQS says nothing of a queue that nobody has used for six hours, and may take a quarter of an
    hour (of which we have no source) to begin again: so long may the first message wait, before
    the machine starts.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
    """
    tracking(children, backlog(wish, name, machines.name), machines)
    if group.minimum != 0:
        return
    first = children.make(
        aws.autoscaling.Policy,
        "waking",
        autoscaling_group_name=machines.name,
        policy_type="StepScaling",
        adjustment_type="ChangeInCapacity",
        estimated_instance_warmup=WARMUP,
        step_adjustments=[{"scaling_adjustment": 1, "metric_interval_lower_bound": "0"}],
    )
    children.make(
        aws.cloudwatch.MetricAlarm,
        "waiting",
        alarm_description=f"Messages wait for {children.order.name}, and no machine is to run",
        comparison_operator="GreaterThanOrEqualToThreshold",
        threshold=1,
        evaluation_periods=1,
        treat_missing_data="notBreaching",
        metric_queries=[
            _query(_visible(name)),
            _query(_counted("wanted", WANTED, machines.name)),
            {
                "id": "asleep",
                "expression": ASLEEP,
                "label": "messages that nobody works off",
                "return_data": True,
            },
        ],
        alarm_actions=[first.arn],
    )


def backlog(
    wish: Queue, name: pulumi.Input[str], group_name: pulumi.Input[str]
) -> Mapping[str, Any]:
    """Messages for each machine, those that are being worked on too: the last machine stays.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-using-sqs-queue.html
    """
    taken = Figure("taken", SQS, "ApproximateNumberOfMessagesNotVisible", {"QueueName": name})
    said = (_visible(name), taken, _counted("running", RUNNING, group_name))
    return {
        "target_value": float(wish.messages_per_machine),
        "customized_metric_specification": {
            "metrics": [
                *(_measured(one) for one in said),
                {
                    "id": "each",
                    "expression": EACH,
                    "label": "messages for each machine",
                    "return_data": True,
                },
            ]
        },
    }


def target(
    scale_on: ScaleOn, group_name: pulumi.Input[str], requests_label: pulumi.Input[str]
) -> Mapping[str, Any]:
    """The figure and its target; a share is in percent there."""
    if scale_on.requests_per_target is not None:
        return {
            "target_value": float(scale_on.requests_per_target),
            "predefined_metric_specification": {
                "predefined_metric_type": "ALBRequestCountPerTarget",
                "resource_label": requests_label,
            },
        }
    dimensions = {DIMENSION: group_name}
    if scale_on.gpu_utilization is not None:
        return {
            "target_value": float(scale_on.gpu_utilization * 100),
            "customized_metric_specification": {
                "namespace": NAMESPACE,
                "metric_name": UTILIZATION,
                "metric_dimensions": _dimensions(dimensions),
                "statistic": "Average",
            },
        }
    if scale_on.gpu_memory is None:
        raise ValueError("a pool follows one figure")
    return {
        "target_value": float(scale_on.gpu_memory * 100),
        "customized_metric_specification": {
            "metrics": [
                _measured(Figure("used", NAMESPACE, MEMORY_USED, dimensions)),
                _measured(Figure("total", NAMESPACE, MEMORY_TOTAL, dimensions)),
                {
                    "id": "share",
                    "expression": "100 * used / total",
                    "label": "GPU memory in use, percent",
                    "return_data": True,
                },
            ]
        },
    }


def _visible(name: pulumi.Input[str]) -> Figure:
    """Messages that nobody has taken yet."""
    return Figure("visible", SQS, "ApproximateNumberOfMessagesVisible", {"QueueName": name})


def _counted(id_: str, name: str, group_name: pulumi.Input[str]) -> Figure:
    """What a group says of its size."""
    return Figure(id_, "AWS/AutoScaling", name, {DIMENSION: group_name})


def _measured(figure: Figure) -> dict[str, Any]:
    """A figure as target tracking reads it."""
    return {
        "id": figure.id,
        "metric_stat": {
            "metric": {
                "namespace": figure.namespace,
                "metric_name": figure.name,
                "dimensions": _dimensions(figure.dimensions),
            },
            "stat": "Average",
        },
        "return_data": False,
    }


def _query(figure: Figure) -> dict[str, Any]:
    """A figure as an alarm reads it."""
    return {
        "id": figure.id,
        "metric": {
            "namespace": figure.namespace,
            "metric_name": figure.name,
            "dimensions": dict(figure.dimensions),
            "stat": "Average",
            "period": INTERVAL,
        },
        "return_data": False,
    }


def _dimensions(values: Mapping[str, pulumi.Input[str]]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in values.items()]
