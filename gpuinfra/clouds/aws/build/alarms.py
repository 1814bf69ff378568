"""The alarms of a stack's workloads, and the mail before a capacity block ends."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.guards.alarms import Alarm, Metric
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.model import Group

Values = Mapping[str, pulumi.Input[str]]
"""What a workload's dimensions are, by their names."""

ENDING: Final = (
    "Capacity Block Delivered",
    "Capacity Block Reservation Delivered",
    "Capacity Block Reservation Expiration Warning",
    "Capacity Block Expiration Warning",
)
"""At the start, and 40 minutes before the end; AWS's own pages call both in two ways:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-monitor.html"""


def child(alarm: Alarm) -> str:
    """The child that an alarm is."""
    return f"{alarm.workload}_{alarm.kind}"


def kinds(alarms: Iterable[Alarm], blocks: Iterable[Group]) -> Kinds:
    """The children that may be made."""
    found: dict[str, type[pulumi.CustomResource]] = {
        child(one): aws.cloudwatch.MetricAlarm for one in alarms
    }
    for group in blocks:
        found[f"{group.name}_block"] = aws.cloudwatch.EventRule
        found[f"{group.name}_block_mail"] = aws.cloudwatch.EventTarget
    return found


def make_alarm(
    children: Children, alarm: Alarm, values: Values, actions: Sequence[pulumi.Input[str]]
) -> aws.cloudwatch.MetricAlarm:
    """Register one alarm. Silence is fine: a machine that is off sends nothing."""
    over = "LessThanThreshold" if alarm.below else "GreaterThanOrEqualToThreshold"
    return children.make(
        aws.cloudwatch.MetricAlarm,
        child(alarm),
        alarm_description=f"{alarm.workload} of the stack {children.order.stack}: {alarm.says}",
        comparison_operator=over,
        threshold=float(alarm.threshold),
        evaluation_periods=alarm.count,
        datapoints_to_alarm=alarm.count,
        treat_missing_data="notBreaching",
        alarm_actions=list(actions),
        **_looks_at(alarm, values),
    )


def make_block_mail(children: Children, group: Group, topic: aws.sns.Topic) -> None:
    """Tell when a workload's capacity block is there, and 40 minutes before it ends."""
    rule = children.make(
        aws.cloudwatch.EventRule,
        f"{group.name}_block",
        description=f"the capacity block of {group.name}",
        event_pattern=json.dumps(
            {
                "source": ["aws.ec2"],
                "detail-type": list(ENDING),
                "detail": {"capacity-reservation-id": [group.rung.reservation]},
            }
        ),
    )
    children.make(
        aws.cloudwatch.EventTarget, f"{group.name}_block_mail", rule=rule.name, arn=topic.arn
    )


def dimensions(metric: Metric, values: Values) -> dict[str, pulumi.Input[str]]:
    """A metric's dimensions with the values of a workload that stands."""
    return {name: values[name] for name in metric.dimensions}


def _looks_at(alarm: Alarm, values: Values) -> dict[str, Any]:
    if not alarm.expression:
        (metric,) = alarm.metrics
        return {
            "namespace": metric.namespace,
            "metric_name": metric.name,
            "dimensions": dimensions(metric, values),
            "statistic": metric.statistic,
            "period": alarm.period,
        }
    looked_at = [
        {
            "id": f"m{index}",
            "return_data": False,
            "metric": {
                "namespace": metric.namespace,
                "metric_name": metric.name,
                "dimensions": dimensions(metric, values),
                "stat": metric.statistic,
                "period": alarm.period,
            },
        }
        for index, metric in enumerate(alarm.metrics)
    ]
    result = {
        "id": "result",
        "expression": alarm.expression,
        "label": alarm.kind,
        "return_data": True,
    }
    return {"metric_queries": [*looked_at, result]}
