"""A workload's time to live: a schedule that ends its machines at the moment."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.statements import allow, document, trust
from gpuinfra.clouds.declaring.deadline import moment_of
from gpuinfra.graph import Options, Resource, concat, format_values, json_text


def make_schedule_role(
    children: Children, target: Resource, failed: Resource
) -> tuple[Resource, str]:
    """Declare the schedules' role; return it with the key of its policy.

    They call a function, and keep failed calls in a queue.
    """
    role = children.make(
        "aws:iam/role:Role",
        "clock_role",
        assumeRolePolicy=format_values(partial(trust, "scheduler"), children.account),
    )
    calls = allow(["lambda:InvokeFunction"], target["arn"])
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
    target: Resource,
    failed: Resource,
) -> tuple[Any, str]:
    """Declare the schedule of one workload; return its time and its key.

    The schedule stays when it is done: deleted by AWS, it would look like drift, and the next up
    would make it again in the past. EventBridge Scheduler takes a moment in at(…) without its
    zone.
    """
    child = f"{workload}_end"
    moment = moment_of(children, child, workload, time)
    schedule = children.make(
        "aws:scheduler/schedule:Schedule",
        child,
        Options(depends_on=(role[1],)),
        description=f"takes {workload} of the stack {children.spec.stack} down",
        scheduleExpression=concat("at(", moment, ")"),
        scheduleExpressionTimezone="UTC",
        flexibleTimeWindow={"mode": "OFF"},
        actionAfterCompletion="NONE",
        target={
            "arn": target["arn"],
            "roleArn": role[0]["arn"],
            "input": json.dumps({"workload": workload, "cause": "its time to live is over"}),
            "deadLetterConfig": {"arn": failed["arn"]},
        },
    )
    return concat(moment, "Z"), schedule.key
