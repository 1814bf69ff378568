"""Roles may do what their holders do: calls in code and scripts, and what services need."""

import ast
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.graph import Archive, Resource
from tests.witnesses.aws.stack import Stack, each, listed, statements

SERVICES: Final[Mapping[str, tuple[str, ...]]] = {
    "vpc-flow-logs.amazonaws.com": ("logs:CreateLogStream", "logs:PutLogEvents"),
    "s3.amazonaws.com": ("s3:ReplicateObject", "s3:GetObjectVersionForReplication"),
    "scheduler.amazonaws.com": ("lambda:InvokeFunction",),
    "budgets.amazonaws.com": ("iam:AttachRolePolicy", "iam:DetachRolePolicy"),
}
"""What services do with the roles that they are given:
https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html
https://docs.aws.amazon.com/scheduler/latest/UserGuide/setting-up.html
https://docs.aws.amazon.com/cost-management/latest/userguide/billing-permissions-ref.html"""

PROGRAMS: Final[Mapping[str, tuple[str, ...]]] = {
    "amazon-cloudwatch-agent": ("cloudwatch:PutMetricData",),
    "mount-s3": ("s3:ListBucket", "s3:GetObject"),
    '"complete-lifecycle-action"': ("autoscaling:CompleteLifecycleAction",),
    '"put-metric-data"': ("cloudwatch:PutMetricData",),
    "elbv2 deregister-targets": ("elasticloadbalancing:DeregisterTargets",),
}
"""Programs of a start-up script, and the actions that they need:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/create-iam-roles-for-cloudwatch-agent.html
https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md#iam-permissions
https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-pull.html"""

QUEUED: Final = ("sqs:ReceiveMessage", "sqs:DeleteMessage")
PULLED: Final = ("ecr:GetAuthorizationToken", "ecr:BatchGetImage")
TOGETHER: Final = ("ec2:DescribeInstances", "ec2:CreateTags")
"""What machines do that find each other, and mark one that failed its preflight."""
MACHINES: Final = "ec2.amazonaws.com"


def complaints(stack: Stack) -> Iterator[str]:
    """Roles that lack an action of which their holder makes use."""
    allowed = _allowed(stack)
    for role, inputs in stack.of("Role"):
        for statement in statements(inputs.get("assumeRolePolicy")):
            for service in listed((statement.get("Principal") or {}).get("Service")):
                yield from _lacking(role, allowed, SERVICES.get(str(service), ()))
    for function, inputs in stack.of("Function"):
        role = stack.named(inputs.get("role"))
        code = function.inputs.get("code")
        if role is not None and isinstance(code, Archive):
            for text in code.files.values():
                told = bool(next(each(inputs, "environment.variables.NOTICES"), None))
                calls = [call for call in _calls(text) if told or call != "sns:Publish"]
                yield from _lacking(role, allowed, calls)
    yield from _of_machines(stack, allowed)


def _of_machines(stack: Stack, allowed: Mapping[str, frozenset[str]]) -> Iterator[str]:
    for role, inputs in stack.of("Role"):
        for template, _ in stack.of("LaunchTemplate"):
            if template.parent == role.parent and MACHINES in str(inputs):
                text = stack.scripts.get(template.name, "")
                yield from _lacking(role, allowed, _needed(text, stack, role))


def _needed(text: str, stack: Stack, role: Resource) -> Iterator[str]:
    """What a script's programs need where it starts machines of a component."""
    for program, actions in PROGRAMS.items():
        yield from actions if program in text else ()
    groups = [inputs for group, inputs in stack.of("Group") if group.parent == role.parent]
    several = any(inputs.get("maxSize", 0) > 1 for inputs in groups)
    yield from TOGETHER if several and "aws ec2 describe-instances" in text else ()
    if groups and "set-instance-health" in text:
        yield "autoscaling:SetInstanceHealth"
    yield from PULLED if ".dkr.ecr." in text else ()
    if any(queue.parent == role.parent for queue, _ in stack.of("Queue")):
        yield from QUEUED


def _camel(words: str) -> str:
    return "".join(word.capitalize() for word in words.split("-"))


@cache
def known(service: str) -> frozenset[str]:
    """The actions of a service."""
    table = TABLES.table("actions")["services"].get(service, {"reads": "", "changes": ""})
    return frozenset(f"{table['reads']} {table['changes']}".split())


@cache
def _calls(text: str) -> tuple[str, ...]:
    """The actions that a function calls through boto3, a paginator's among them."""
    tree = ast.parse(text)
    services = {
        str(node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "boto3.client"
        and isinstance(node.args[0], ast.Constant)
    }
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    camel = {_camel(name.replace("_", "-")) for name in names if re.fullmatch("[a-z_]+", name)}
    return tuple(
        f"{service}:{action}"
        for service in sorted(services)
        for action in sorted(camel & known(service))
    )


def _allowed(stack: Stack) -> dict[str, frozenset[str]]:
    """The actions that each role's own policies allow."""
    actions: dict[str, set[str]] = {}
    for _, inputs in stack.of("RolePolicy"):
        role = stack.named(inputs.get("role"))
        for statement in statements(inputs.get("policy")):
            if role is not None and statement.get("Effect") == "Allow":
                actions.setdefault(role.key, set()).update(listed(statement.get("Action")))
    return {key: frozenset(names) for key, names in actions.items()}


def _lacking(role: Resource, allowed: Mapping[str, Any], needed: Any) -> Iterator[str]:
    given = allowed.get(role.key, ())
    for action in dict.fromkeys(needed):
        if not any(fnmatchcase(action, pattern) for pattern in given):
            yield f"{role.key}: it lacks {action}, which its holder needs"
