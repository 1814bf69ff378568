"""The dashboard of a stack: its GPU use, and the events of its machines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.agent.install import DIMENSIONS, METRIC, NAMESPACE
from gpuinfra.clouds.aws.declare.alarms import Values
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.guards.alarms import BALANCER, Metric, gpu_metric, has_measurable_gpus
from gpuinfra.graph import format_values
from gpuinfra.model import Group

WIDTH: Final = 8
HEIGHT: Final = 6
ACROSS: Final = 24 // WIDTH
"""A dashboard is 24 units wide:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html"""


def make_dashboard(
    children: Children, groups: Sequence[Group], values: Mapping[str, Values]
) -> None:
    """Declare the dashboard, whose physical name is that of the stack."""
    body = {"widgets": [*_widgets(groups, values)]}
    children.make(
        "aws:cloudwatch/dashboard:Dashboard",
        "dashboard",
        dashboardName=f"gpuinfra-{children.spec.stack}",
        dashboardBody=format_values(partial(json.dumps, sort_keys=True), body),
    )


def _widgets(groups: Sequence[Group], values: Mapping[str, Values]) -> Iterator[Mapping[str, Any]]:
    """Yield a row of graphs for each workload."""
    for row, group in enumerate(groups):
        for column, (title, lines) in enumerate(_graphs(group).items()):
            graph_lines = [
                line for line in lines if set(line.dimensions) <= set(values[group.name])
            ]
            if not graph_lines:
                continue
            yield {
                "type": "metric",
                "x": column % ACROSS * WIDTH,
                "y": row * HEIGHT,
                "width": WIDTH,
                "height": HEIGHT,
                "properties": {
                    "title": f"{group.name}: {title}",
                    "region": group.rung.region,
                    "view": "timeSeries",
                    "period": 300,
                    "metrics": [_line(metric, values[group.name]) for metric in graph_lines],
                },
            }


def _graphs(group: Group) -> dict[str, tuple[Metric, ...]]:
    """Return the metrics shown of a workload, by title."""
    metrics_by_title: dict[str, tuple[Metric, ...]] = {}
    if has_measurable_gpus(group):
        used, total = metrics.MEMORY_USED, metrics.MEMORY_TOTAL
        metrics_by_title["GPU use, percent"] = (gpu_metric(group, metrics.UTILIZATION),)
        metrics_by_title["GPU memory, MiB"] = (gpu_metric(group, used), gpu_metric(group, total))
    if group.purpose == "training":
        errors = (metrics.XID_ERRORS, metrics.ECC_ERRORS) if has_measurable_gpus(group) else ()
        interruptions = Metric(
            namespace=NAMESPACE, name=METRIC, dimensions=DIMENSIONS, statistic="Sum"
        )
        metrics_by_title["errors and interruptions"] = (
            *(gpu_metric(group, error, "Sum") for error in errors),
            interruptions,
        )
    else:
        namespace = "AWS/ApplicationELB"
        metrics_by_title["machines that answer"] = tuple(
            Metric(namespace=namespace, name=name, dimensions=BALANCER)
            for name in ("HealthyHostCount", "UnHealthyHostCount")
        )
    return metrics_by_title


def _line(metric: Metric, values: Values) -> list[Any]:
    """Return a graph's line in a dashboard's format: namespace, name, dimensions, statistic."""
    pairs = [part for name in metric.dimensions for part in (name, values[name])]
    return [metric.namespace, metric.name, *pairs, {"stat": metric.statistic}]
