"""A workload's time to live: the moment is fixed at its first up, and a schedule keeps it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.statements import allow, text, trust
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.pinned import pinned
from gpuinfra.units import format_duration

KINDS: Final[Kinds] = {"clock_role": aws.iam.Role, "clock_rights": aws.iam.RolePolicy}

FORM: Final = "%Y-%m-%dT%H:%M:%S"
"""A moment in UTC, as EventBridge Scheduler takes it in at(…)."""


def kinds(times: Mapping[str, timedelta]) -> Kinds:
    """The children that may be made: each workload has a schedule."""
    return {**KINDS, **{f"{name}_end": aws.scheduler.Schedule for name in times}}


def make_clock(
    children: Children,
    account: pulumi.Output[str],
    called: pulumi.Input[str],
    failed: pulumi.Input[str],
) -> tuple[aws.iam.Role, aws.iam.RolePolicy]:
    """The role of schedules: they call a function, and keep what they could not do in a queue."""
    role = children.make(
        aws.iam.Role,
        "clock_role",
        assume_role_policy=account.apply(lambda one: trust("scheduler", one)),
    )
    rights = children.make(
        aws.iam.RolePolicy,
        "clock_rights",
        role=role.id,
        policy=pulumi.Output.all(called, failed).apply(
            lambda arns: text(
                [allow(["lambda:InvokeFunction"], arns[0]), allow(["sqs:SendMessage"], arns[1])]
            )
        ),
    )
    return role, rights


def make_end(
    children: Children,
    workload: str,
    time: timedelta,
    role: tuple[aws.iam.Role, aws.iam.RolePolicy],
    called: pulumi.Input[str],
    failed: pulumi.Input[str],
) -> pulumi.Output[str]:
    """Register the schedule of one workload, and return its moment.

    The schedule stays when it is done: deleted by AWS, it would look like drift, and the next up
    would make it again in the past. A moment that has passed ends the program: machines that an
    up started again would have no end.
    """
    moment = pinned(
        children, f"{workload}_end", [workload, format_duration(time)], _after(time)
    ).apply(lambda fixed: still_to_come(workload, time, fixed))
    children.make(
        aws.scheduler.Schedule,
        f"{workload}_end",
        opts=children.options(depends_on=[role[1]]),
        description=f"takes {workload} of the stack {children.order.stack} down",
        schedule_expression=moment.apply(lambda fixed: f"at({fixed})"),
        schedule_expression_timezone="UTC",
        flexible_time_window={"mode": "OFF"},
        action_after_completion="NONE",
        target={
            "arn": called,
            "role_arn": role[0].arn,
            "input": json.dumps({"workload": workload, "cause": "its time to live is over"}),
            "dead_letter_config": {"arn": failed},
        },
    )
    return moment.apply(lambda fixed: f"{fixed}Z")


def still_to_come(workload: str, time: timedelta, fixed: str) -> str:
    """The moment, which is not over yet.

    Raises:
        RunError: it is over.
    """
    if datetime.strptime(fixed, FORM).replace(tzinfo=UTC) > _now():
        return fixed
    written = format_duration(time)
    raise pulumi.RunError(
        f"{workload}: its time to live of {written} was over at {fixed} UTC, and its machines were"
        f" taken down; write another time_to_live, which counts from the next up, or remove"
        f" {workload} from the file"
    )


def _after(time: timedelta) -> str:
    return (_now() + time).strftime(FORM)


def _now() -> datetime:
    return datetime.now(UTC)
