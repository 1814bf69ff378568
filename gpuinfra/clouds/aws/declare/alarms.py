"""The alarms of a stack's workloads, and the mail before a capacity block ends."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.guards.alarms import Alarm, Metric
from gpuinfra.model import Group

Values = Mapping[str, Any]
"""The values of a workload's dimensions, by name."""

CAPACITY_BLOCK_EVENTS: Final = (
    "Capacity Block Delivered",
    "Capacity Block Reservation Delivered",
    "Capacity Block Reservation Expiration Warning",
    "Capacity Block Expiration Warning",
)
"""At the start, and 40 minutes before the end; AWS's own pages call both in two ways:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-monitor.html"""


def make_alarm(children: Children, alarm: Alarm, values: Values, actions: Sequence[Any]) -> None:
    """Declare one alarm; missing data is fine, since a machine that is off sends none."""
    comparison = "LessThanThreshold" if alarm.fires_below else "GreaterThanOrEqualToThreshold"
    children.make(
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        _child(children, alarm.workload, alarm.kind),
        alarmDescription=f"{alarm.workload} of the stack {children.spec.stack}: {alarm.message}",
        comparisonOperator=comparison,
        threshold=float(alarm.threshold),
        evaluationPeriods=alarm.count,
        datapointsToAlarm=alarm.count,
        treatMissingData="notBreaching",
        alarmActions=list(actions),
        **_looks_at(alarm, values),
    )


def make_block_mails(children: Children, group: Group, topics: Sequence[Any]) -> None:
    """Declare the notices at the start of a capacity block and 40 minutes before its end."""
    child = _child(children, group.name, "block")
    rule = children.make(
        "aws:cloudwatch/eventRule:EventRule",
        child,
        description=f"the capacity block of {group.name}",
        eventPattern=json.dumps(
            {
                "source": ["aws.ec2"],
                "detail-type": list(CAPACITY_BLOCK_EVENTS),
                "detail": {"capacity-reservation-id": [group.rung.reservation]},
            }
        ),
    )
    for index, topic in enumerate(topics):
        children.make(
            "aws:cloudwatch/eventTarget:EventTarget",
            f"{child}_mail{index or ''}",
            rule=rule["name"],
            arn=topic,
        )


def _child(children: Children, workload: str, kind: str) -> str:
    """Return the name of a workload's child: a stack has several workloads."""
    return kind if children.spec.alarms_of else f"{workload}_{kind}"


def dimension_values(metric: Metric, values: Values) -> dict[str, Any]:
    """Return a metric's dimensions with the values of a declared workload."""
    return {name: values[name] for name in metric.dimensions}


def _looks_at(alarm: Alarm, values: Values) -> dict[str, Any]:
    if not alarm.expression:
        (metric,) = alarm.metrics
        return {
            "namespace": metric.namespace,
            "metricName": metric.name,
            "dimensions": dimension_values(metric, values),
            "statistic": metric.statistic,
            "period": alarm.period,
        }
    looked_at = [
        {
            "id": f"m{index}",
            "returnData": False,
            "metric": {
                "namespace": metric.namespace,
                "metricName": metric.name,
                "dimensions": dimension_values(metric, values),
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
        "returnData": True,
    }
    return {"metricQueries": [*looked_at, result]}
