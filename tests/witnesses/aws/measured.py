"""What is watched is measured: alarms, policies, dashboards and reports against what is sent."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.agent.install import DIMENSIONS, METRIC, NAMESPACE
from gpuinfra.clouds.aws.machines import machine
from tests.witnesses.aws.stack import Stack, each, listed

BY_AWS: Final[Mapping[tuple[str, str], frozenset[str]]] = {
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): frozenset({"QueueName"}),
    ("AWS/SQS", "ApproximateNumberOfMessagesNotVisible"): frozenset({"QueueName"}),
    ("AWS/AutoScaling", "GroupDesiredCapacity"): frozenset({"AutoScalingGroupName"}),
    ("AWS/AutoScaling", "GroupInServiceInstances"): frozenset({"AutoScalingGroupName"}),
    ("AWS/ApplicationELB", "UnHealthyHostCount"): frozenset({"LoadBalancer", "TargetGroup"}),
    ("AWS/ApplicationELB", "HealthyHostCount"): frozenset({"LoadBalancer", "TargetGroup"}),
    ("AWS/ApplicationELB", "RequestCount"): frozenset({"LoadBalancer"}),
    ("AWS/ApplicationELB", "RequestCountPerTarget"): frozenset({"TargetGroup"}),
}
"""Metrics that services send themselves, with their dimensions:
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-metrics.html
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html"""

TAGGED: Final = {"Stack": "gpuinfra:stack", "Workload": "gpuinfra:workload"}
"""Dimensions of machines that say what tags say."""

STATISTICS: Final = frozenset({"Average", "Maximum", "Minimum", "SampleCount", "Sum"})
CONFIGURED: Final = re.compile(r"cloudwatch-agent\.json <<'END'\n(.*?)\nEND", re.DOTALL)
COUNTED: Final = re.compile(r"^\w+_ERRORS=(\w+)$", re.MULTILINE)
PREFIX: Final = "nvidia_smi_"


def complaints(stack: Stack) -> Iterator[str]:
    """Whatever looks at a metric that nothing sends, or not as it is sent."""
    sent = {**BY_AWS, **sent_of(stack)}
    for resource in stack.resources.values():
        read = READERS.get(resource.type)
        if read is not None:
            words = read(stack.inputs(resource), sent, stack)
            yield from (f"{resource.key}: {word}" for word in words)


def _of_alarm(inputs: dict[str, Any], sent: "Sent", stack: Stack) -> Iterator[str]:
    yield from _watched(inputs, sent, stack)
    yield from _answered(inputs)
    yield from _queries(inputs, "metric")


def _of_policy(inputs: dict[str, Any], sent: "Sent", stack: Stack) -> Iterator[str]:
    tracking = inputs.get("targetTrackingConfiguration")
    for own in each(tracking, "customizedMetricSpecification"):
        yield from _tracked(own, sent, stack)
        yield from _queries(own, "metricStat")
    for own in each(tracking, "predefinedMetricSpecification"):
        of_target = own.get("predefinedMetricType") == "ALBRequestCountPerTarget"
        if of_target and own.get("resourceLabel") is None:
            yield "requests of which target group?"


def _of_function(inputs: dict[str, Any], sent: "Sent", stack: Stack) -> Iterator[str]:
    for text in each(inputs, "environment.variables.GROUPS"):
        for group in json.loads(text) if isinstance(text, str) else ():
            yield from _reported(group, sent, stack)


Sent = Mapping[tuple[str, str], frozenset[str]]


def sent_of(stack: Stack) -> dict[tuple[str, str], frozenset[str]]:
    """What the stack's machines send, as their scripts configure the agents."""
    series: dict[tuple[str, str], frozenset[str]] = {}
    for script in stack.scripts.values():
        for text in CONFIGURED.findall(script):
            metrics = json.loads(text)["metrics"]
            space = metrics["namespace"]
            (dimensions,) = metrics["aggregation_dimensions"] or [[]]
            for kind in metrics["metrics_collected"].values():
                for name in kind.get("measurement", ()) if isinstance(kind, dict) else ():
                    _add(series, space, f"{PREFIX}{name}", dimensions)
            for name in COUNTED.findall(script):
                _add(series, space, name, dimensions)
    _add(series, NAMESPACE, METRIC, list(DIMENSIONS))
    return series


def _add(series: dict[tuple[str, str], Any], space: str, name: str, dimensions: list[str]) -> None:
    series[space, name] = series.get((space, name), frozenset()) | {frozenset(dimensions)}


def _metric(space: Any, name: Any, dimensions: Any, sent: Sent) -> Iterator[str]:
    known = sent.get((space, name))
    if known is None:
        yield f"nothing sends {name} to {space}"
        return
    given = frozenset(dimensions or {})
    if given not in known and given != known:
        yield f"{name} is sent by other dimensions than {sorted(given)}"


def _watched(inputs: dict[str, Any], sent: Sent, stack: Stack) -> Iterator[str]:
    if inputs.get("metricName") is not None:
        yield from _metric(
            inputs.get("namespace"), inputs["metricName"], inputs.get("dimensions"), sent
        )
    for metric in each(inputs, "metricQueries.metric"):
        yield from _metric(
            metric.get("namespace"), metric.get("metricName"), metric.get("dimensions"), sent
        )
    yield from _own(inputs, stack)


def _own(inputs: dict[str, Any], stack: Stack) -> Iterator[str]:
    """An alarm is about something of this stack: the values of its dimensions say what."""
    for holder in (inputs, *each(inputs, "metricQueries.metric")):
        yield from _strangers(holder.get("dimensions") or {}, stack)


def _strangers(dimensions: Mapping[str, Any], stack: Stack) -> Iterator[str]:
    """Dimensions that say of machines what no tag of the stack says."""
    for key, value in dimensions.items():
        tag = TAGGED.get(key)
        if tag is not None and isinstance(value, str) and (tag, value) not in stack.tags:
            yield f"nothing of the stack is {key} {value}"


def _answered(inputs: dict[str, Any]) -> Iterator[str]:
    """An alarm tells somebody, in words, and goes off at as many figures as it looks at."""
    if not listed(inputs.get("alarmActions")):
        yield "it tells nobody"
    if not inputs.get("alarmDescription"):
        yield "a mail would not say what is wrong"
    if inputs.get("treatMissingData") is None:
        yield "without figures it waits in INSUFFICIENT_DATA, which is told to nobody"
    periods, points = inputs.get("evaluationPeriods"), inputs.get("datapointsToAlarm")
    if points is not None and points != periods:
        yield f"it goes off at {points} of {periods} figures"


def _queries(inputs: dict[str, Any], kind: str) -> Iterator[str]:
    """Of several queries exactly one, an expression over the others, is the result.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html
    """
    queries = [*each(inputs, "metricQueries"), *each(inputs, "metrics")]
    if not queries:
        return
    shown = [query for query in queries if query.get("returnData") is not False]
    if len(shown) != 1:
        yield f"{len(shown)} of its queries return data"
    names = {query.get("id") for query in queries if query.get(kind) is not None}
    for query in queries:
        used = set(re.findall(r"\b[a-z]\w*\b", query.get("expression") or ""))
        if query.get("expression") is not None and not names <= used:
            yield f"its expression leaves out {sorted(map(str, names - used))}"
    for metric in each(inputs, f"metricQueries.{kind}"):
        if metric.get("stat") not in STATISTICS:
            yield f"{metric.get('stat')} is no statistic"


def _tracked(own: dict[str, Any], sent: Sent, stack: Stack) -> Iterator[str]:
    def named(dimensions: Any) -> dict[str, Any]:
        return {dimension.get("name"): dimension.get("value") for dimension in listed(dimensions)}

    if own.get("metricName") is not None:
        yield from _metric(
            own.get("namespace"), own["metricName"], named(own.get("metricDimensions")), sent
        )
    for stat in each(own, "metrics.metricStat"):
        metric = stat.get("metric") or {}
        if stat.get("stat") not in STATISTICS:
            yield f"{stat.get('stat')} is no statistic"
        yield from _metric(
            metric.get("namespace"),
            metric.get("metricName"),
            named(metric.get("dimensions")),
            sent,
        )
        if metric.get("namespace") == "AWS/AutoScaling":
            yield from _enabled(metric["metricName"], named(metric.get("dimensions")), stack)


def _enabled(name: Any, dimensions: Mapping[str, Any], stack: Stack) -> Iterator[str]:
    """A group sends a metric only where it is enabled.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-metrics.html
    """
    group = stack.named(dimensions.get("AutoScalingGroupName"))
    if group is not None and name not in listed(stack.inputs(group).get("enabledMetrics")):
        yield f"{group.key} does not send {name}"


WIDTH: Final = 24
"""https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html"""
VIEWS: Final = frozenset({"timeSeries", "singleValue", "gauge", "bar", "pie", "table"})


def _shown(inputs: dict[str, Any], sent: Sent, stack: Stack) -> Iterator[str]:
    body = inputs.get("dashboardBody")
    if not isinstance(body, str):
        return
    taken: set[tuple[int, int]] = set()
    for widget in json.loads(body).get("widgets", ()):
        yield from _placed(widget, taken)
        if widget.get("type") not in {"metric", "text"}:
            yield f"{widget.get('type')} is no kind of widget"
        properties = widget.get("properties") or {}
        if widget.get("type") != "metric":
            continue
        if not properties.get("metrics") or properties.get("region") not in stack.regions:
            yield "a widget without metrics, or of a region that the stack is not in"
        if (
            properties.get("view") not in VIEWS
            or not properties.get("title")
            or not properties.get("period")
        ):
            yield "a widget that does not say what it shows, and how"
        for metric in properties.get("metrics", ()):
            yield from _row(metric, sent)


def _row(metric: list[Any], sent: Sent) -> Iterator[str]:
    plain = [part for part in metric if isinstance(part, str)]
    options = [part for part in metric if isinstance(part, dict)]
    if any("expression" in option for option in options):
        return
    yield from _metric(plain[0], plain[1], dict.fromkeys(plain[2::2]), sent)
    if any(option.get("stat") not in STATISTICS for option in options) or not options:
        yield f"a metric without a statistic: {metric}"


def _placed(widget: dict[str, Any], taken: set[tuple[int, int]]) -> Iterator[str]:
    place = [widget.get(key) for key in ("x", "y", "width", "height")]
    if not all(isinstance(number, int) for number in place):
        yield "a widget without a place"
        return
    x, y, width, height = place
    if x % width or y % height or x + width > WIDTH or WIDTH % width:
        yield "a widget beside the grid"
    cells = {(column, row) for column in range(x, x + width) for row in range(y, y + height)}
    if cells & taken:
        yield "two widgets in one place"
    taken |= cells


def _counted(group: dict[str, Any], stack: Stack) -> Iterator[str]:
    """GPUs of a machine, against the type that the workload's template names."""
    for _, inputs in stack.of("LaunchTemplate"):
        if ("gpuinfra:workload", group["workload"]) in (inputs.get("tags") or {}).items():
            kind = machine(str(inputs.get("instanceType")))
            if kind is not None and kind.gpu_count != group["gpus"]:
                yield f"{kind.type} has {kind.gpu_count} GPUs, not {group['gpus']}"


REPORTED: Final = frozenset({"workload", "region", "gpus", "rate", "as_of", "metric"})
"""What the report reads of each group, as the docstring of its function says."""


def _reported(group: dict[str, Any], sent: Sent, stack: Stack) -> Iterator[str]:
    if group.keys() != REPORTED:
        yield f"the report does not learn {sorted(REPORTED ^ group.keys())}"
        return
    metric = group["metric"]
    yield from _metric(metric.get("namespace"), metric.get("name"), metric.get("dimensions"), sent)
    if group["region"] not in stack.regions:
        yield f"the stack is not in {group['region']}"
    for own in ({"Workload": group["workload"]}, metric.get("dimensions") or {}):
        yield from _strangers(own, stack)
    yield from _counted(group, stack)
    if not isinstance(metric.get("interval"), int):
        yield "how often the figure comes is not said"


READERS: Final = {
    "aws:cloudwatch/metricAlarm:MetricAlarm": _of_alarm,
    "aws:autoscaling/policy:Policy": _of_policy,
    "aws:cloudwatch/dashboard:Dashboard": _shown,
    "aws:lambda/function:Function": _of_function,
}
"""Who looks at metrics."""
