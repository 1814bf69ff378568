"""Stops a stack's machines: at the budget's limit, at the end of their time, when idle.

What belongs to the stack is found by its tags, never by a list. Disks that outlive their machine,
buckets and file systems are not touched. Doing it twice does no more than doing it once.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import boto3  # noqa: TID253  (in Lambda it is there)

STACK_TAG = "gpuinfra:stack"
WORKLOAD_TAG = "gpuinfra:workload"
GROUP_TAG = "aws:autoscaling:groupName"
FORECAST = "Alert Type: FORECASTED"
"""What AWS Budgets writes into a notice of what will be spent; only what *is* spent stops."""

AGAIN = (
    "Buckets and file systems are kept. `gpuinfra refresh` reads what is deployed now, "
    "and `gpuinfra up` after it starts the machines again."
)

STOPPED = "A stopped machine keeps its disk; `aws ec2 start-instances` starts it again."

LOG = logging.getLogger()
LOG.setLevel(logging.INFO)


class StopRequest(NamedTuple):
    """The machines to stop, and why; without a workload, those of the whole stack."""

    cause: str
    workload: str = ""


def handler(event: Mapping[str, Any], _: Any = None) -> list[str]:
    """Stop the machines that an event names, send a notice, and raise if any part failed.

    Args:
        event: notices of AWS Budgets or of an alarm from SNS, or a schedule's
            {"workload": …, "cause": …}.

    Returns:
        What was stopped, in words.

    Raises:
        RuntimeError: a part failed; Lambda then tries again, and keeps the event at last.
    """
    stack, regions = os.environ["STACK"], os.environ["REGIONS"].split(",")
    done: list[str] = []
    failed: list[str] = []
    for requirement in stop_requests(event, stack, regions):
        LOG.info("stopping %s of %s: %s", requirement.workload or "all", stack, requirement.cause)
        stopped: list[str] = []
        for region in regions:
            for part in (groups, instances, reservations):
                _attempt(part, stack, region, requirement, stopped, failed)
        _mail_stopped(stack, requirement, stopped)
        done += stopped
    if failed:
        raise RuntimeError("; ".join(failed))
    return done


def stop_requests(
    event: Mapping[str, Any], stack: str, regions: Sequence[str]
) -> Iterator[StopRequest]:
    """Yield the requests of an event; none for an alarm that is over or for a forecast.

    Raises:
        ValueError: the event is none of those that this function knows.
    """
    if "workload" in event:
        yield StopRequest(
            str(event.get("cause", "its time to live is over")), workload=str(event["workload"])
        )
        return
    if "Records" not in event:
        raise ValueError(
            "the event is neither an SNS notification nor a schedule of this function: "
            f"{json.dumps(event)[:500]}"
        )
    for record in event["Records"]:
        text = record["Sns"]["Message"]
        try:
            alarm = json.loads(text)
        except ValueError:
            alarm = None
        if isinstance(alarm, dict):
            yield from _alarmed(alarm, stack, regions)
        elif FORECAST not in text:
            yield StopRequest("the monthly budget is spent")


def _alarmed(
    alarm: Mapping[str, Any], stack: str, regions: Sequence[str]
) -> Iterator[StopRequest]:
    """Yield the workload of an alarm, found by its name or its scaling group's.

    Raises:
        ValueError: it watches no workload of this stack.
    """
    if alarm.get("NewStateValue") != "ALARM":
        return
    measured = alarm.get("Trigger", {}).get("Dimensions", ())
    dimensions = {dimension.get("name"): dimension.get("value") for dimension in measured}
    workload = dimensions.get("Workload") if dimensions.get("Stack") == stack else ""
    workload = workload or _workload(dimensions.get("AutoScalingGroupName", ""), stack, regions)
    if not workload:
        raise ValueError(
            f"the alarm {alarm.get('AlarmName')} watches no workload of the stack {stack}"
        )
    yield StopRequest(f"the alarm {alarm.get('AlarmName')} reports idle GPUs", workload)


def _workload(group: str, stack: str, regions: Sequence[str]) -> str:
    """Return the workload of a scaling group of this stack; empty for any other group."""
    for region in regions if group else ():
        client = boto3.client("autoscaling", region_name=region)
        answer = client.describe_auto_scaling_groups(AutoScalingGroupNames=[group])
        for tags in map(_tags, answer["AutoScalingGroups"]):
            if tags.get(STACK_TAG) == stack:
                return tags.get(WORKLOAD_TAG, "")
    return ""


def groups(stack: str, region: str, request: StopRequest) -> Iterator[str]:
    """Scale groups to zero, their maximum included, so that no policy raises them again."""
    client = boto3.client("autoscaling", region_name=region)
    for page in client.get_paginator("describe_auto_scaling_groups").paginate():
        for group in page["AutoScalingGroups"]:
            name, tags = group["AutoScalingGroupName"], _tags(group)
            sizes = (group["MinSize"], group["MaxSize"], group["DesiredCapacity"])
            if _is_stopped_by(tags, stack, request) and any(sizes):
                client.update_auto_scaling_group(
                    AutoScalingGroupName=name, MinSize=0, MaxSize=0, DesiredCapacity=0
                )
                yield f"the scaling group {name} is at zero"


def instances(stack: str, region: str, request: StopRequest) -> Iterator[str]:
    """Stop or terminate machines that are in no group, for example a fleet's.

    One bought on demand is stopped: it keeps its disk and costs no more than that. Others can't
    be: a machine of a one-time spot request or of a capacity block only ends.
    """
    client = boto3.client("ec2", region_name=region)
    filters = [
        {"Name": f"tag:{STACK_TAG}", "Values": [stack]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    for page in client.get_paginator("describe_instances").paginate(Filters=filters):
        machines = [machine for launch in page["Reservations"] for machine in launch["Instances"]]
        alone = [machine for machine in machines if GROUP_TAG not in _tags(machine)]
        to_stop = [machine for machine in alone if _is_stopped_by(_tags(machine), stack, request)]
        on_demand_ids = [
            item["InstanceId"] for item in to_stop if not item.get("InstanceLifecycle")
        ]
        ended = [item["InstanceId"] for item in to_stop if item.get("InstanceLifecycle")]
        if on_demand_ids:
            client.stop_instances(InstanceIds=on_demand_ids)
            yield f"stopped {', '.join(on_demand_ids)}"
        if ended:
            client.terminate_instances(InstanceIds=ended)
            yield f"terminated {', '.join(ended)}"


def reservations(stack: str, region: str, request: StopRequest) -> Iterator[str]:
    """Cancel the stack's own capacity reservations, which are billed whether used or not.

    A capacity block is paid in advance and can't be cancelled.
    """
    client = boto3.client("ec2", region_name=region)
    filters = [
        {"Name": f"tag:{STACK_TAG}", "Values": [stack]},
        {"Name": "state", "Values": ["active", "pending"]},
    ]
    for page in client.get_paginator("describe_capacity_reservations").paginate(Filters=filters):
        for booked in page["CapacityReservations"]:
            name, kind = booked["CapacityReservationId"], booked.get("ReservationType", "default")
            if kind == "default" and _is_stopped_by(_tags(booked), stack, request):
                client.cancel_capacity_reservation(CapacityReservationId=name)
                yield f"cancelled the capacity reservation {name}"


def _tags(resource: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in resource.get("Tags", ())}


def _is_stopped_by(tags: Mapping[str, str], stack: str, request: StopRequest) -> bool:
    if tags.get(STACK_TAG) != stack:
        return False
    return not request.workload or tags.get(WORKLOAD_TAG) == request.workload


def _attempt(
    part: Callable[[str, str, StopRequest], Iterator[str]],
    stack: str,
    region: str,
    request: StopRequest,
    stopped: list[str],
    failures: list[str],
) -> None:
    """Run one part; record its failure, so that the other parts run all the same."""
    try:
        for words in part(stack, region, request):
            LOG.info("%s: %s", region, words)
            stopped.append(f"{words} in {region}")
    except Exception as error:
        LOG.exception("%s in %s", part.__name__, region)
        failures.append(f"{part.__name__} in {region}: {error}")


def _mail_stopped(stack: str, request: StopRequest, stopped: list[str]) -> None:
    """Mail the list of stopped resources, and how to start them again."""
    topic = os.environ.get("NOTICES", "")
    if not topic or not stopped:
        return
    lines = (
        f"{stack}: {request.cause}.",
        "",
        *(f"- {words}" for words in stopped),
        "",
        AGAIN,
        *((STOPPED,) if any(words.startswith("stopped ") for words in stopped) else ()),
    )
    subject = f"{stack}: machines are taken down"[:100]
    boto3.client("sns", region_name=topic.split(":")[3]).publish(
        TopicArn=topic, Subject=subject, Message="\n".join(lines)
    )
