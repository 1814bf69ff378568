"""The role that continuous integration deploys with, and the policy that stops new machines."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare import bucket_copy, names
from gpuinfra.clouds.aws.declare.bucket import LOGS
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.rights import deploy_rights as rights
from gpuinfra.clouds.aws.rights import policies as rights_policies
from gpuinfra.clouds.aws.statements import allow, document, trust
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.names import DIGITS, logs_name, replica_name
from gpuinfra.errors import InputError
from gpuinfra.graph import Options, Resource, ResourceGraph, format_values, json_text
from gpuinfra.specs.schema import Stack

BUCKET: Final = "aws:s3/bucket:Bucket"
PROVIDER: Final = "deploy_provider"
CHILDREN: Final = frozenset(
    {
        PROVIDER,
        "deploy_role",
        "deploy_blocked",
        "deploy_blocker",
        "deploy_blocker_rights",
        "deploy_block",
    }
)
"""Children that the role may look at and not change: it would give itself more rights."""

MAX_ROLE_POLICIES: Final = 10
"""Policies that a role holds: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html"""

CREATION_ACTIONS: Final = (
    "autoscaling:CreateAutoScalingGroup",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:StartInstanceRefresh",
    "ec2:CreateCapacityReservation",
    "ec2:CreateFleet",
    "ec2:RunInstances",
    "ec2:StartInstances",
    "fsx:CreateFileSystem",
)
"""The actions by which an up creates or starts machines and file systems."""


def make_deploy_role(build_spec: BuildSpec, stack: Stack, graph: ResourceGraph) -> Resource | None:
    """Declare the role without its policy, and the identity provider unless one is given.

    None when the stack file has no such role.
    """
    spec = stack.deploy_role
    if spec is None:
        return None
    children = Children(build_spec, ROOT_KEY, graph=graph)
    provider: Any = spec.provider
    if provider is None:
        provider = children.make(
            "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
            PROVIDER,
            url=f"https://{rights_policies.GITHUB}",
            clientIdLists=[rights_policies.AUDIENCE],
        )["arn"]
    return children.make(
        "aws:iam/role:Role",
        "deploy_role",
        description=f"deploys the gpuinfra stack {stack.name} from {spec.repository}",
        assumeRolePolicy=json_text(rights_policies.trust(provider, spec.repository, spec.branch)),
    )


def grant(
    spec: BuildSpec,
    graph: ResourceGraph,
    role: Resource,
    declared_resources: Mapping[str, Resource],
    regions: Sequence[str],
) -> None:
    """Declare the role's policies, for all resources that the stack has declared so far.

    Raises:
        InputError: they are more than a role holds.
    """
    policies = rights_policies.documents(scope_of(spec, declared_resources, regions))
    if len(policies) > MAX_ROLE_POLICIES:
        raise InputError.of(
            f"the permissions of the deploy role need {len(policies)} policies",
            path=("deploy_role",),
            allowed=f"{MAX_ROLE_POLICIES}, the most that a role can have",
            fix="split the workloads into two stack files",
        )
    children = Children(spec, ROOT_KEY, graph=graph)
    for number, policy in enumerate(policies, start=1):
        name = f"deploy_rights_{number}"
        role_policy = children.make(
            "aws:iam/policy:Policy", name, policy=rights_policies.compact_json(policy)
        )
        children.make(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{name}_held",
            role=role["name"],
            policyArn=role_policy["arn"],
        )


def scope_of(
    spec: BuildSpec, declared_resources: Mapping[str, Resource], regions: Sequence[str]
) -> rights.Scope:
    """Return the scope of the role: all resources of a stack on AWS.

    Args:
        spec: of the stack.
        declared_resources: all that the stack has, its components included, by key.
        regions: the regions of its machines; the build spec's where it has none.
    """
    own_names = {f"{spec.name}-{child.replace('_', '-')}" for child in CHILDREN}
    resources = {
        rights.RegisteredResource(
            resource.type,
            resource.name,
            physical(spec, resource, declared_resources[resource.parent].name),
            is_read_only=resource.name in own_names
            or resource.name.startswith(f"{spec.name}-deploy-rights-"),
            child=resource.name.removeprefix(f"{declared_resources[resource.parent].name}-"),
        )
        for resource in declared_resources.values()
        if resource.parent is not None and resource.type.startswith("aws:")
    }
    return rights.Scope(
        stack=spec.stack,
        partition=partition_of(spec.region),
        regions=tuple(dict.fromkeys(regions)) or (spec.region,),
        resources=tuple(sorted(resources)),
    )


def physical(spec: BuildSpec, resource: Resource, component: str) -> str:
    """Return a resource's name in AWS: Pulumi adds seven digits, gpuinfra a digest to a bucket's.

    Args:
        spec: of the stack.
        resource: the resource.
        component: the name of its component; a bucket's copy and its log are called after it.
    """
    if resource.type != BUCKET:
        return f"{resource.name}-{'?' * 7}"
    name_makers = {f"bucket{bucket_copy.PART}": replica_name, f"bucket{LOGS}": logs_name}
    maker = name_makers.get(resource.child)
    name = maker(component) if maker else component
    readable = names.bucket_name(spec.stack, name, ())
    return f"{readable[:-DIGITS]}{'?' * DIGITS}"


def block(
    spec: BuildSpec,
    graph: ResourceGraph,
    budget: Resource,
    role: Resource,
    statements: Sequence[dict[str, Any]],
) -> None:
    """Have the budget deny the role new machines once the month's limit is spent.

    That ends ups, not what runs: a scaling group launches by a role of its own service, to which
    no policy can be attached. That AWS takes the policy off when the next month begins is what we
    expect of budgets of a month; no page of AWS's that says so was found.
    """
    children = Children(spec, ROOT_KEY, graph=graph)
    denied = children.make("aws:iam/policy:Policy", "deploy_blocked", policy=json_text(deny()))
    blocker = children.make(
        "aws:iam/role:Role",
        "deploy_blocker",
        assumeRolePolicy=format_values(partial(trust, "budgets"), children.account),
    )
    attaches = allow(
        ["iam:AttachRolePolicy", "iam:DetachRolePolicy"],
        role["arn"],
        ArnEquals={"iam:PolicyARN": denied["arn"]},
    )
    may = children.make(
        "aws:iam/rolePolicy:RolePolicy",
        "deploy_blocker_rights",
        role=blocker["id"],
        policy=json_text(document([attaches])),
    )
    children.make(
        "aws:budgets/budgetAction:BudgetAction",
        "deploy_block",
        Options(depends_on=(may.key,)),
        budgetName=budget["name"],
        actionType="APPLY_IAM_POLICY",
        approvalModel="AUTOMATIC",
        notificationType="ACTUAL",
        actionThreshold={
            "actionThresholdType": "PERCENTAGE",
            "actionThresholdValue": 100.0,
        },
        definition={"iamActionDefinition": {"policyArn": denied["arn"], "roles": [role["name"]]}},
        executionRoleArn=blocker["arn"],
        subscribers=list(statements),
    )


def deny() -> dict[str, Any]:
    """Return the policy that denies new machines and larger groups, but not scaling to zero."""
    deny_statement = {"Effect": "Deny", "Resource": "*"}
    return document(
        [
            {**deny_statement, "Action": list(CREATION_ACTIONS)},
            {
                **deny_statement,
                "Action": ["autoscaling:UpdateAutoScalingGroup"],
                "Condition": {"NumericGreaterThan": {"autoscaling:MaxSize": "0"}},
            },
        ]
    )
