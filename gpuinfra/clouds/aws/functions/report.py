"""Mails a daily report of a stack's GPU use and of the cost of idle GPUs in USD."""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import boto3  # noqa: TID253  (in Lambda it is there)

SCALE_IN, ADVISE = Decimal(30), Decimal(60)
SOURCE = (
    "Marks: below 30% scale in, below 60% look for the reason"
    " (the waste report of the GPU-cloud guides that gpuinfra follows)."
)
HOUR = 3600


def handler(_: Mapping[str, Any], __: Any = None) -> str:
    """Mail the report of the last 24 hours, and return its text."""
    until = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    text = "\n".join(report(json.loads(os.environ["GROUPS"]), until))
    topic, stack = os.environ["NOTICES"], os.environ["STACK"]
    boto3.client("sns", region_name=topic.split(":")[3]).publish(
        TopicArn=topic, Subject=f"{stack}: GPU use of the last day"[:100], Message=text
    )
    return text


def report(groups: list[dict[str, Any]], until: datetime) -> Iterator[str]:
    """Yield the mail's lines.

    Args:
        groups: of each workload its name, region, GPUs per machine, rate in USD per machine-hour
            (null: unknown), the rate's date, and the metric: namespace, name, interval in
            seconds, dimensions.
        until: the end of the day that is looked at.
    """
    yield f"{os.environ['STACK']}: the 24 hours up to {until:%Y-%m-%d %H:%M} UTC"
    yield ""
    if not groups:
        yield "No workload has GPUs that the CloudWatch agent can measure."
        return
    idle: Decimal | None = Decimal(0)
    for group in groups:
        words, wasted = line(group, *measured(group, until))
        yield words
        idle = None if idle is None or wasted is None else idle + wasted
    yield ""
    yield (
        f"Total cost of idle GPUs: {_dollars(idle)}."
        if idle is not None
        else ("The total cost of idle GPUs is unknown: a rate or a metric is missing.")
    )
    yield SOURCE


def measured(group: Mapping[str, Any], until: datetime) -> tuple[Decimal, Decimal | None]:
    """Return the machine-hours with data, and their mean use in percent; None without data."""
    metric = group["metric"]
    points = boto3.client("cloudwatch", region_name=group["region"]).get_metric_statistics(
        Namespace=metric["namespace"],
        MetricName=metric["name"],
        Dimensions=[{"Name": key, "Value": value} for key, value in metric["dimensions"].items()],
        StartTime=until - timedelta(days=1),
        EndTime=until,
        Period=HOUR,
        Statistics=["Sum", "SampleCount"],
    )["Datapoints"]
    samples = sum((Decimal(str(point["SampleCount"])) for point in points), Decimal(0))
    if not samples:
        return Decimal(0), None
    hours = samples * metric["interval"] / HOUR / max(1, group["gpus"])
    return hours, sum((Decimal(str(point["Sum"])) for point in points), Decimal(0)) / samples


def line(
    group: Mapping[str, Any], hours: Decimal, used: Decimal | None
) -> tuple[str, Decimal | None]:
    """Return the text about a workload, and its idle cost in USD; None where it is unknown."""
    name = group["workload"]
    if used is None:
        return f"{name}: no metrics: no machine ran, or the CloudWatch agent sends none", None
    text = f"{name}: its GPUs were {used:.0f}% busy over {hours:.1f} machine-hours"
    idle = None
    if group["rate"] is None:
        text += "; the cost is unknown, because no rate is known"
    else:
        cost = Decimal(group["rate"]) * hours
        idle = cost * (100 - used) / 100
        text += (
            f"; {_dollars(idle)} of {_dollars(cost)} were "
            f"idle (at ${group['rate']} per machine-hour, list price of "
            f"{group['as_of']})"
        )
    if used < SCALE_IN:
        text += ". Below 30%: scale in, or use a smaller machine type"
    elif used < ADVISE:
        text += ". Below 60%: look for the cause, for example slow data loading or small batches"
    return text, idle


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}"
