"""The role that continuous integration deploys with, and what keeps it from new machines."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.declare import names
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.rights import needs as rights
from gpuinfra.clouds.aws.rights import policies as rights_policies
from gpuinfra.clouds.aws.statements import allow, document, text, trust
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.declaring.names import DIGITS
from gpuinfra.clouds.order import Given, Order
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile.schema import Stack

BUCKET: Final = "aws:s3/bucket:Bucket"
PROVIDER: Final = "deploy_provider"
KINDS: Final[Kinds] = {
    PROVIDER: aws.iam.OpenIdConnectProvider,
    "deploy_role": aws.iam.Role,
}
BLOCKED: Final[Kinds] = {
    "deploy_blocked": aws.iam.Policy,
    "deploy_blocker": aws.iam.Role,
    "deploy_blocker_rights": aws.iam.RolePolicy,
    "deploy_block": aws.budgets.BudgetAction,
}
OURS: Final = frozenset(KINDS) | frozenset(BLOCKED)
"""Children that the role may look at and not change: it would give itself more rights."""

MOST: Final = 10
"""Policies that a role holds: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html"""

NEW: Final = (
    "autoscaling:CreateAutoScalingGroup",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:StartInstanceRefresh",
    "ec2:CreateCapacityReservation",
    "ec2:CreateFleet",
    "ec2:RunInstances",
    "ec2:StartInstances",
    "fsx:CreateFileSystem",
)
"""How an up brings machines and file systems to life."""


def make_deploy_role(order: Order, stack: Stack, given: Given) -> aws.iam.Role | None:
    """Register the role without its rights, and the identity provider unless it is given.

    None when the stack file asks for no such role.
    """
    wish = stack.deploy_role
    if wish is None:
        return None
    children = Children(order, given, KINDS)
    provider: pulumi.Input[str] | None = wish.provider
    if provider is None:
        provider = children.make(
            aws.iam.OpenIdConnectProvider,
            PROVIDER,
            url=f"https://{rights_policies.GITHUB}",
            client_id_lists=[rights_policies.AUDIENCE],
        ).arn
    role = children.make(
        aws.iam.Role,
        "deploy_role",
        description=f"deploys the gpuinfra stack {stack.name} from {wish.repository}",
        assume_role_policy=pulumi.Output.from_input(provider).apply(
            lambda arn: json.dumps(rights_policies.trust(arn, wish.repository, wish.branch))
        ),
    )
    children.finish()
    return role


def grant(order: Order, given: Given, role: aws.iam.Role, regions: Sequence[str]) -> None:
    """Register the role's rights: those to all that the stack has registered so far.

    Raises:
        InputError: they are more than a role holds.
    """
    policies = rights_policies.documents(scope_of(order, given.parent, regions))
    if len(policies) > MOST:
        problem = Problem(
            message=f"the rights of the deploy role take {len(policies)} policies",
            path=("deploy_role",),
            allowed=f"{MOST}, the most that a role holds",
            fix="take workloads apart into two stack files",
        )
        raise InputError([problem])
    parts = [f"deploy_rights_{number}" for number in range(1, len(policies) + 1)]
    kinds: Kinds = {
        **dict.fromkeys(parts, aws.iam.Policy),
        **{f"{name}_held": aws.iam.RolePolicyAttachment for name in parts},
    }
    children = Children(order, given, kinds)
    for name, policy in zip(parts, policies, strict=True):
        made = children.make(aws.iam.Policy, name, policy=rights_policies.written(policy))
        children.make(
            aws.iam.RolePolicyAttachment, f"{name}_held", role=role.name, policy_arn=made.arn
        )
    children.finish()


def scope_of(order: Order, root: pulumi.Resource, regions: Sequence[str]) -> rights.Scope:
    """All resources on AWS that stand under a component.

    Args:
        order: of the stack.
        root: its component.
        regions: where its machines stand; the order's where it has none.
    """
    ours = {f"{order.name}-{child.replace('_', '-')}" for child in OURS}
    made = {
        rights.Made(
            one.pulumi_resource_type,
            name,
            _physical(order, one),
            looked_at=name in ours or name.startswith(f"{order.name}-deploy-rights-"),
            child=name.removeprefix(f"{holder.pulumi_resource_name}-"),
        )
        for holder, one in _below(root)
        if one.pulumi_resource_type.startswith("aws:")
        for name in (one.pulumi_resource_name,)
    }
    return rights.Scope(
        stack=order.stack,
        partition=partition_of(order.region),
        regions=tuple(dict.fromkeys(regions)) or (order.region,),
        made=tuple(sorted(made)),
    )


def _physical(order: Order, one: pulumi.Resource) -> str:
    """A resource's name in AWS: Pulumi adds seven digits, a bucket has a digest of ours."""
    name = one.pulumi_resource_name
    if one.pulumi_resource_type != BUCKET:
        return f"{name}-{'?' * 7}"
    readable = names.bucket_name(order.stack, name.removesuffix("-bucket"), ())
    return f"{readable[:-DIGITS]}{'?' * DIGITS}"


def block(
    order: Order,
    given: Given,
    budget: aws.budgets.Budget,
    role: aws.iam.Role,
    account: pulumi.Output[str],
    told: Sequence[dict[str, Any]],
) -> None:
    """Have the budget keep the role from new machines once the month's limit is spent.

    That ends ups, not what runs: a scaling group launches by a role of its own service, to which
    no policy can be attached. That AWS takes the policy off when the next month begins is what we
    expect of budgets of a month; no page of AWS's that says so was found.
    """
    children = Children(order, given, BLOCKED)
    denied = children.make(aws.iam.Policy, "deploy_blocked", policy=json.dumps(deny()))
    by = children.make(
        aws.iam.Role,
        "deploy_blocker",
        assume_role_policy=account.apply(lambda one: trust("budgets", one)),
    )
    may = children.make(
        aws.iam.RolePolicy,
        "deploy_blocker_rights",
        role=by.id,
        policy=pulumi.Output.all(role.arn, denied.arn).apply(
            lambda arns: text(
                [
                    allow(
                        ["iam:AttachRolePolicy", "iam:DetachRolePolicy"],
                        arns[0],
                        ArnEquals={"iam:PolicyARN": arns[1]},
                    )
                ]
            )
        ),
    )
    children.make(
        aws.budgets.BudgetAction,
        "deploy_block",
        opts=children.options(depends_on=[may]),
        budget_name=budget.name,
        action_type="APPLY_IAM_POLICY",
        approval_model="AUTOMATIC",
        notification_type="ACTUAL",
        action_threshold={
            "action_threshold_type": "PERCENTAGE",
            "action_threshold_value": 100.0,
        },
        definition={"iam_action_definition": {"policy_arn": denied.arn, "roles": [role.name]}},
        execution_role_arn=by.arn,
        subscribers=list(told),
    )
    children.finish()


def deny() -> dict[str, Any]:
    """What is denied: new machines, and a larger group; going to zero and deleting are not."""
    refused = {"Effect": "Deny", "Resource": "*"}
    return document(
        [
            {**refused, "Action": list(NEW)},
            {
                **refused,
                "Action": ["autoscaling:UpdateAutoScalingGroup"],
                "Condition": {"NumericGreaterThan": {"autoscaling:MaxSize": "0"}},
            },
        ]
    )


def _below(root: pulumi.Resource) -> Iterator[tuple[pulumi.Resource, pulumi.Resource]]:
    """A component's children and theirs, each with what it stands under."""
    for child in root._childResources:  # noqa: SLF001  (the SDK shows them nowhere else)
        yield root, child
        yield from _below(child)
