"""What policies allow and demand, against the tags, services and identities of the stack.

Access levels of actions are those of the service authorization reference.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.tables import TABLES
from tests.witnesses.aws import measured
from tests.witnesses.aws.stack import Stack, each, listed, statements

EVERY: Final = re.compile(r"\*|arn:aws:[^:${]*:[^:${]*:[^:${]*:[\w-]*[:/]?[*/:]*")
TAGS: Final = ("aws:ResourceTag/", "aws:RequestTag/")
BOUND: Final = {
    "iam:PassRole": "iam:PassedToService",
    "iam:CreateServiceLinkedRole": "iam:AWSServiceName",
    "iam:AttachRolePolicy": "iam:PolicyARN",
}
"""Changes of rights, and the key that says which:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html"""

MACHINES: Final = "aws:iam/rolePolicy:RolePolicy"
UNSCOPED: Final = frozenset(
    {
        "ssm:UpdateInstanceInformation",
        *("ssmmessages:CreateControlChannel", "ssmmessages:CreateDataChannel"),
        *("ssmmessages:OpenControlChannel", "ssmmessages:OpenDataChannel"),
        "ssm:DescribeParameters",
    }
)
"""Changes that can't be narrowed to resources, or that only the machine itself makes:
https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html"""

SERVICES: Final = frozenset(
    {
        *("autoscaling.amazonaws.com", "spot.amazonaws.com", "spotfleet.amazonaws.com"),
        *("elasticloadbalancing.amazonaws.com", "fsx.amazonaws.com", "s3.data-source.lustre.fsx"),
        "s3.data-source.lustre.fsx.amazonaws.com",
    }
)
"""Services that have a role of their own which is made on first use:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html"""


def complaints(stack: Stack) -> Iterator[str]:
    """What is allowed too widely, or only to what is not there."""
    trusted = _trusted(stack)
    for resource in stack.resources.values():
        inputs = stack.inputs(resource)
        for statement in statements(inputs.get("policy")):
            for words in _of(statement, resource.type, stack, trusted):
                yield f"{resource.key}: {words}"
        for statement in statements(inputs.get("assumeRolePolicy")):
            yield from (f"{resource.key}: {words}" for words in _trust(statement, stack))


def _of(
    statement: dict[str, Any], token: str, stack: Stack, trusted: frozenset[str]
) -> Iterator[str]:
    demanded = dict(_demanded(statement))
    if statement.get("Effect") == "Deny":
        yield from _denied(statement, demanded)
    elif token.startswith("aws:iam/"):
        yield from _narrow(statement, demanded)
        if token == MACHINES:
            yield from _tagging(statement, demanded)
    yield from _fitting(demanded, stack, trusted)
    yield from _public(statement, demanded, token)


def _demanded(statement: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """The keys of a statement's conditions with the values that they may have."""
    for operator in (statement.get("Condition") or {}).values():
        for key, value in operator.items():
            yield key, listed(value)


def _denied(statement: dict[str, Any], demanded: Mapping[str, Any]) -> Iterator[str]:
    """Who may only shrink a group may still call for it."""
    shrinks = "autoscaling:UpdateAutoScalingGroup" in listed(statement.get("Action"))
    if shrinks and "autoscaling:MaxSize" not in demanded:
        yield "shrinking a group is denied, too"


def _narrow(statement: dict[str, Any], demanded: Mapping[str, list[Any]]) -> Iterator[str]:
    wide = any(_is_wide(resource) for resource in listed(statement.get("Resource")))
    changes = [action for action in listed(statement.get("Action")) if _changes(action)]
    if wide and changes and not demanded and not _is_unscoped(changes):
        yield f"{changes[0]} is allowed on all resources without a condition"
    if not demanded and any(change.startswith("autoscaling:") for change in changes):
        yield f"{changes[0]} is allowed on groups of every stack"
    of_workload = any(key.endswith("gpuinfra:workload") for key in demanded)
    if of_workload and not any(key.endswith("gpuinfra:stack") for key in demanded):
        yield "a workload of every stack is meant"
    for action, key in BOUND.items():
        if action in changes and key not in demanded:
            yield f"{action} is not bound by {key}"
    if "ec2:CreateAction" in demanded and not any(
        key.startswith("aws:RequestTag/") for key in demanded
    ):
        yield "what is created may carry any tags"
    tagging = "ec2:CreateTags" in changes and "ec2:CreateAction" not in demanded
    if tagging and not any(key.startswith("aws:ResourceTag/") for key in demanded):
        yield "what others made may be tagged"


def _tagging(statement: dict[str, Any], demanded: Mapping[str, list[Any]]) -> Iterator[str]:
    """A machine sets the tags that it has to, on machines of its own workload."""
    if "ec2:CreateTags" in listed(statement.get("Action")):
        for key in ("aws:TagKeys", "aws:ResourceTag/gpuinfra:workload"):
            if key not in demanded:
                yield f"a machine may tag without {key}"


def _is_wide(resource: Any) -> bool:
    """Whether a resource is every one of its kind, or simply every one."""
    return isinstance(resource, str) and bool(EVERY.fullmatch(resource))


def _is_unscoped(changes: list[Any]) -> bool:
    return all(change in UNSCOPED for change in changes)


@cache
def _changes(action: Any) -> bool:
    service, _, name = str(action).partition(":")
    table = TABLES.table("actions")["services"].get(service, {"changes": ""})
    return name in table["changes"].split()


def _fitting(
    demanded: Mapping[str, list[Any]], stack: Stack, trusted: frozenset[str]
) -> Iterator[str]:
    for key, values in demanded.items():
        for value in values:
            yield from _fits(key, value, stack, trusted)


def _fits(key: str, value: Any, stack: Stack, trusted: frozenset[str]) -> Iterator[str]:
    if not isinstance(value, str) or "${" in value:
        return
    if key.startswith(TAGS) and (key.partition("/")[2], value) not in stack.tags:
        yield f"nothing carries the tag {key.partition('/')[2]}={value}"
    elif key == "aws:TagKeys" and not _is_key(value, stack):
        yield f"nothing carries a tag {value}"
    elif key == "cloudwatch:namespace" and value not in _spaces(stack):
        yield f"nothing sends to {value}"
    elif key == "aws:RequestedRegion" and value not in stack.regions:
        yield f"the stack is not in {value}"
    elif key == "ec2:CreateAction" and not _changes(f"ec2:{value}"):
        yield f"EC2 creates nothing by {value}"
    elif key == "iam:PassedToService" and value not in trusted:
        yield f"no role of the stack trusts {value}"
    elif key == "iam:AWSServiceName" and value not in SERVICES:
        yield f"{value} has no role of its own"


def _is_key(name: str, stack: Stack) -> bool:
    """Whether a tag is declared, or set by a machine's script."""
    declared = name in {key for key, _ in stack.tags}
    word = re.compile(rf"\b{re.escape(name)}\b")
    return declared or any(word.search(script) for script in stack.scripts.values())


def _spaces(stack: Stack) -> frozenset[str]:
    return frozenset(space for space, _ in measured.sent_of(stack))


def _trusted(stack: Stack) -> frozenset[str]:
    """The services that may assume a role of the stack."""
    return frozenset(
        str(service)
        for _, inputs in stack.of("Role")
        for statement in statements(inputs.get("assumeRolePolicy"))
        for service in listed((statement.get("Principal") or {}).get("Service"))
    )


PEOPLE: Final = "sts:AssumeRoleWithWebIdentity"


def _trust(statement: dict[str, Any], stack: Stack) -> Iterator[str]:
    demanded = dict(_demanded(statement))
    if not statement.get("Principal"):
        yield "nobody may assume it"
    elif PEOPLE in listed(statement.get("Action")):
        provider = statement["Principal"].get("Federated")
        declared = any(stack.of("OpenIdConnectProvider"))
        if not declared and not str(provider).startswith("arn:"):
            yield "no provider of identities may assume it"
        for claim in (":aud", ":sub"):
            if not any(key.endswith(claim) for key in demanded):
                yield f"every {claim[1:]} of the provider is let in"
        audiences = {
            audience
            for _, inputs in stack.of("OpenIdConnectProvider")
            for audience in each(inputs, "clientIdLists")
        }
        named = {
            audience for key, own in demanded.items() if key.endswith(":aud") for audience in own
        }
        if audiences and not named <= audiences:
            yield f"the provider has no audience {sorted(named - audiences)}"


SOURCED: Final = ("budgets.amazonaws.com", "cloudwatch.amazonaws.com", "logging.s3.amazonaws.com")
"""Services that say for whom they act, in aws:SourceAccount or aws:SourceArn:
https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html"""


def _public(statement: dict[str, Any], demanded: Mapping[str, Any], token: str) -> Iterator[str]:
    """Statements of a resource's own policy: who is let in, and for whom."""
    if token.startswith("aws:iam/"):
        return
    principal = statement.get("Principal")
    if not principal:
        yield "a statement lets nobody in"
    if not statement.get("Resource"):
        yield "a statement is about nothing"
    services = principal.get("Service") if isinstance(principal, dict) else None
    if set(listed(services)) & set(SOURCED) and not demanded.keys() & {
        "aws:SourceAccount",
        "aws:SourceArn",
    }:
        yield f"{services} may act for every account"
