"""A workload's time to live: the moment is fixed at its first up, and a schedule keeps it."""

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.statements import allow, document, trust
from gpuinfra.clouds.declaring.inputs import NOW
from gpuinfra.clouds.declaring.pinned import pinned
from gpuinfra.errors import RefusedError
from gpuinfra.graph import Options, Resource, computed, concat, json_text, written
from gpuinfra.units import format_duration

FORM: Final = "%Y-%m-%dT%H:%M:%S"
"""A moment in UTC, as EventBridge Scheduler takes it in at(…)."""


def make_clock(children: Children, called: Resource, failed: Resource) -> tuple[Resource, str]:
    """The role of schedules, and the key of its rights.

    They call a function, and keep what they could not do in a queue.
    """
    role = children.make(
        "aws:iam/role:Role",
        "clock_role",
        assumeRolePolicy=written(partial(trust, "scheduler"), children.account),
    )
    calls = allow(["lambda:InvokeFunction"], called["arn"])
    keeps = allow(["sqs:SendMessage"], failed["arn"])
    rights = children.make(
        "aws:iam/rolePolicy:RolePolicy",
        "clock_rights",
        role=role["id"],
        policy=json_text(document([calls, keeps])),
    )
    return role, rights.key


def make_end(
    children: Children,
    workload: str,
    time: timedelta,
    role: tuple[Resource, str],
    called: Resource,
    failed: Resource,
) -> tuple[Any, str]:
    """Declare the schedule of one workload, and return its moment and its key.

    The schedule stays when it is done: deleted by AWS, it would look like drift, and the next up
    would make it again in the past. A moment that has passed ends the program: machines that an
    up started again would have no end.
    """
    child = f"{workload}_end"
    fixed = pinned(
        children, child, [workload, format_duration(time)], computed(partial(after, time), NOW)
    )
    moment = computed(partial(still_to_come, workload, time), fixed, NOW)
    schedule = children.make(
        "aws:scheduler/schedule:Schedule",
        child,
        Options(depends_on=(role[1],)),
        description=f"takes {workload} of the stack {children.order.stack} down",
        scheduleExpression=concat("at(", moment, ")"),
        scheduleExpressionTimezone="UTC",
        flexibleTimeWindow={"mode": "OFF"},
        actionAfterCompletion="NONE",
        target={
            "arn": called["arn"],
            "roleArn": role[0]["arn"],
            "input": json.dumps({"workload": workload, "cause": "its time to live is over"}),
            "deadLetterConfig": {"arn": failed["arn"]},
        },
    )
    return concat(moment, "Z"), schedule.key


def after(time: timedelta, now: str) -> str:
    """The moment when a time from now is over."""
    return (datetime.fromisoformat(now) + time).strftime(FORM)


def still_to_come(workload: str, time: timedelta, fixed: str, now: str) -> str:
    """The moment, which is not over yet.

    Raises:
        RefusedError: it is over.
    """
    if datetime.strptime(fixed, FORM).replace(tzinfo=UTC) > datetime.fromisoformat(now):
        return fixed
    text = format_duration(time)
    raise RefusedError(
        f"{workload}: its time to live of {text} was over at {fixed} UTC, and its machines were"
        " stopped",
        fix="set another time_to_live, which counts from the next `gpuinfra up`, or remove"
        f" {workload} from the file",
    )
