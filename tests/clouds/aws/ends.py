"""A machine, a schedule that ends it by an API call, and whether it surely ends."""

import json
from datetime import timedelta

from gpuinfra.model import Group, Usage
from gpuinfra.today import today
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Handle, Program

INSTANCE = "aws:ec2/instance:Instance"
SCHEDULE = "aws:scheduler/schedule:Schedule"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
READ_ONLY = "arn:aws:iam::aws:policy/ReadOnlyAccess"

SOON = today() + timedelta(days=2)


def document(*statements: dict[str, object]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(*actions: str, resource: object = "*", **more: object) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": resource, **more}


def deny(*actions: str, resource: object = "*", **more: object) -> dict[str, object]:
    return {**allow(*actions, resource=resource, **more), "Effect": "Deny"}


TRUST = document(
    {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "scheduler.amazonaws.com"},
    }
)
TERMINATE = allow("ec2:TerminateInstances")
STOP = allow("ec2:StopInstances")
LOGS = allow("logs:PutLogEvents")


def ended(
    *statements: dict[str, object],
    action: str = "terminateInstances",
    role: dict[str, object] | None = None,
    schedule: dict[str, object] | None = None,
    **machine: object,
) -> tuple[Program, Handle]:
    """A machine, a schedule that ends it, and its role with the statements as a policy."""
    program = Program()
    node = program.add(INSTANCE, "node", ami="ami-1", instanceType="p5.48xlarge", **machine)
    made = program.add(ROLE, "clock", assumeRolePolicy=TRUST, **(role or {}))
    if statements:
        program.add(ROLE_POLICY, "rights", role=made.id, policy=document(*statements))
    program.add(
        SCHEDULE,
        "end",
        scheduleExpression=f"at({SOON}T00:00:00)",
        target={
            "arn": f"arn:aws:scheduler:::aws-sdk:ec2:{action}",
            "roleArn": made.arn,
            "input": node.id,
        },
        **(schedule or {}),
    )
    return program, made


def kept(program: Program, moment: str = "preview") -> tuple[object, bool]:
    """Whether the machine ends, and whether that shortens a month.

    Once it is created, the schedule's input names it in quotes.
    """
    for handle in list(program.handles.values()):
        if moment == "created" and handle.type == SCHEDULE:
            (node,) = (each for each in program.handles.values() if each.type == INSTANCE)
            target = {**handle.inputs["target"], "input": f'{{"Ids": ["{node.outputs["id"]}"]}}'}
            program.change(handle, target=target)
    group = only(program, moment)
    return group.lifecycle.ends, group.lifecycle.ends_within is not None


def only(program: Program, moment: str) -> Group:
    usage = Usage(purpose={"node": "training"})
    (group,) = of_resources(program.resources(moment), usage=usage).groups
    return group


def arn(tail: str, region: str = "us-east-1", service: str = "ec2") -> str:
    return f"arn:aws:{service}:{region}:123456789012:{tail}"
