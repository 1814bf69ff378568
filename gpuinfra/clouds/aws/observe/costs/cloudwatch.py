"""The costs of CloudWatch: log groups, alarms, dashboards, and policies that create alarms."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.metered import ALARMS, CUSTOM_METRIC
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows, unpriced_rows
from gpuinfra.clouds.observing.values import amount, as_list, at, text
from gpuinfra.model import UNKNOWN, Item, Resource, Rows, Unknown, Usage

_ONE: Final = Decimal(1)
_CUSTOM: Final = "customizedMetricSpecification"
_KIND_UNKNOWN: Final = "its kind, which determines whether it creates alarms, is not known yet"
_STANDARD_PERIOD: Final = 60
"""Seconds; an alarm on a shorter period is one of high resolution:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html"""


def log_group(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the prices of a log group's ingestion and storage."""
    kind = text(resource.inputs.get("logGroupClass")) or "STANDARD"
    if kind != "STANDARD":
        return unpriced_rows(resource, f"a log group of class {kind}")
    return Rows(
        items=(
            _row(resource, index, "logs", "cloudwatch-logs-ingest", "GB", None),
            _row(resource, index, "logs", "cloudwatch-logs-archive", "GB-month", None),
        )
    )


def alarm(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return an alarm's months, for each of its metrics, and the price of custom metrics.

    A period that is not known may be a short one, which is the dearer.
    """
    inputs = resource.inputs
    queries = inputs.get("metricQueries")
    metrics = [at(query, "metric") for query in as_list(queries)]
    looked_at = [metric for metric in metrics if metric is not None]
    periods = [amount(at(metric, "period")) for metric in looked_at] or [
        amount(inputs.get("period"))
    ]
    short = [
        period for period in periods if isinstance(period, Decimal) and period < _STANDARD_PERIOD
    ]
    resolution = "high-resolution" if short or UNKNOWN in periods else "standard"
    count: Decimal | Unknown = UNKNOWN
    if not _has_unknown_query(queries):
        count = Decimal(len(looked_at)) if looked_at else _ONE
    item = f"cloudwatch-alarm-{resolution}"
    rows = [_row(resource, index, "alarm", item, "metric-month", count)]
    spaces = [inputs.get("namespace"), *(at(metric, "namespace") for metric in looked_at)]
    if any(_is_own(space) for space in spaces):
        rows.append(_row(resource, index, "metrics", CUSTOM_METRIC, "metric-month", None))
    return Rows(items=tuple(rows))


def scaling_policy(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the alarms that target tracking creates, and the price of custom metrics.

    Other policies follow alarms that are resources themselves.
    """
    kind = text(resource.inputs.get("policyType")) or "SimpleScaling"
    if kind != "TargetTrackingScaling":
        return Rows() if isinstance(kind, str) else unjudged_rows(resource, _KIND_UNKNOWN)
    followed = at(resource.inputs.get("targetTrackingConfiguration"), _CUSTOM)
    stats = [at(metric, "metricStat") for metric in as_list(at(followed, "metrics"))]
    looked_at = [stat for stat in stats if stat is not None]
    periods = [amount(at(metric, "period")) for metric in (followed, *looked_at)]
    short = [
        period for period in periods if isinstance(period, Decimal) and period < _STANDARD_PERIOD
    ]
    count: Decimal | Unknown = Decimal(ALARMS * max(1, len(looked_at)))
    if isinstance(followed, Unknown) or UNKNOWN in looked_at:
        count = UNKNOWN
    item = f"cloudwatch-alarm-{'high-resolution' if short else 'standard'}"
    rows = [_row(resource, index, "alarm", item, "metric-month", count)]
    if followed is not None and _is_custom_metric(followed, looked_at):
        rows.append(_row(resource, index, "metrics", CUSTOM_METRIC, "metric-month", None))
    return Rows(items=tuple(rows))


def _is_custom_metric(followed: Any, looked_at: Sequence[Any]) -> bool:
    """Return whether a metric may be in a namespace that is not AWS's own."""
    spaces = [at(followed, "namespace"), *(at(stat, "metric", "namespace") for stat in looked_at)]
    return any(_is_own(space) for space in spaces)


def _is_own(space: Any) -> bool:
    return isinstance(space, Unknown) or (space is not None and not str(space).startswith("AWS/"))


def dashboard(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a dashboard's months, including the account's three free dashboards."""
    row = _row(resource, index, "dashboard", "cloudwatch-dashboard", "dashboard-month", _ONE)
    return Rows(items=(row,))


def _has_unknown_query(queries: Any) -> bool:
    return isinstance(queries, Unknown) or any(
        isinstance(query, Unknown) or at(query, "metric") is UNKNOWN for query in as_list(queries)
    )


def _row(
    resource: Resource,
    index: Index,
    kind: str,
    item: str,
    unit: str,
    quantity: Decimal | Unknown | None,
) -> Item:
    region = locations.region_of(resource, index)
    return service_item("aws", resource, kind, item, unit, quantity, region)
