"""The permissions that deploying a stack needs: for its resources only, from a sourced table."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from gpuinfra.clouds.aws.declare.launch_template import TAGGED_RESOURCE_TYPES
from gpuinfra.clouds.aws.tables import TABLES

STACK: Final = "gpuinfra:stack"
RESOURCE_TAG: Final = f"aws:ResourceTag/{STACK}"
REQUEST_TAG: Final = f"aws:RequestTag/{STACK}"
REGION: Final = "aws:RequestedRegion"

GLOBAL: Final = frozenset({"budgets", "iam", "s3", "sts"})
"""Services whose requests go to no region of the stack's."""

LAUNCHING: Final = ("aws:autoscaling/group:Group", "aws:ec2/fleet:Fleet")
"""The types that launch machines."""

Verb = Literal["create", "read", "change"]
VERBS: Final[tuple[Verb, ...]] = ("create", "read", "change")

Condition = tuple[str, str, tuple[str, ...]]
"""An operator, a key, and the values of which one has to match."""


class RegisteredResource(NamedTuple):
    """A resource that a stack registers.

    Attributes:
        type: its Pulumi type.
        name: its logical name.
        physical_name: its name in AWS, with ? where it is drawn by lot.
        is_read_only: whether it may only be read: what gives the deploying role its own rights.
        child: its name in its component.
    """

    type: str
    name: str
    physical_name: str
    is_read_only: bool = False
    child: str = ""


class Right(NamedTuple):
    """A permission: an action on a kind of resource, both as narrow as possible."""

    action: str
    resource: str
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The scope of permissions: the stack, its regions, and the resources that it registers."""

    stack: str
    partition: str
    regions: tuple[str, ...]
    resources: tuple[RegisteredResource, ...]
    resources_by_type: Mapping[str, tuple[RegisteredResource, ...]] = field(init=False)

    def __post_init__(self) -> None:
        by_type: dict[str, tuple[RegisteredResource, ...]] = defaultdict(tuple)
        for resource in self.resources:
            by_type[resource.type] = (*by_type[resource.type], resource)
        object.__setattr__(self, "resources_by_type", by_type)

    def fill_arn(self, arn: str, physical: str = "*") -> str:
        """Return an ARN of the table, filled in for this scope and one resource."""
        region = self.regions[0] if len(self.regions) == 1 else "*"
        return arn.format(partition=self.partition, region=region, stack=self.stack, name=physical)


def unknown(registered: Iterable[RegisteredResource]) -> tuple[str, ...]:
    """Return the types that no row of the table has, sorted."""
    return tuple(sorted({resource.type for resource in registered} - set(_table("types"))))


def unverified_actions(registered: Iterable[RegisteredResource]) -> tuple[str, ...]:
    """Return the actions without a source for their resource type, sorted."""
    rows = _table("types")
    return tuple(
        sorted(
            {
                action
                for resource in registered
                if resource.type in rows
                for action in rows[resource.type]["unverified"]
            }
        )
    )


def needed_rights(scope: Scope) -> Iterator[Right]:
    """Yield every permission to create, read, change and delete the stack."""
    for action in TABLES.table("rights")["always"]:
        yield from _looked_up(scope, action)
    for kind, resources in sorted(scope.resources_by_type.items()):
        row = _table("types").get(kind)
        if row is None:
            continue
        for resource in resources:
            for verb in ("read",) if resource.is_read_only else VERBS:
                for action in row[verb]:
                    yield from _rights_on_resource(scope, row, resource, verb, action)
    yield from _launches(scope)
    yield from _roles(scope)


def _rights_on_resource(
    scope: Scope, row: Mapping[str, Any], resource: RegisteredResource, verb: Verb, action: str
) -> Iterator[Right]:
    """Yield one action for one resource: on the resource, and on others that it involves."""
    service, touched = action.partition(":")[0], _table("actions")[action]
    if not any(touched):
        is_tagged = verb == "create" and touched.get("") == "r"
        yield Right(
            action,
            "*",
            (_stack_tag_condition(REQUEST_TAG, scope),)
            if is_tagged
            else _in_regions(scope, service),
        )
        return
    for kind, condition_flags in kinds_of(scope, row, action):
        if kind == row["own"]:
            conditions = _own_conditions(scope, row, verb, action, condition_flags)
            for arn in own_arns(scope, row, resource):
                yield Right(action, arn, conditions)
        else:
            is_kind_known = _present_kind(scope, kind) and knows_tags(kind, condition_flags)
            tagged_so = (_stack_tag_condition(RESOURCE_TAG, scope),) if is_kind_known else ()
            yield Right(action, arn_of_kind(scope, kind), tagged_so)


def kinds_of(scope: Scope, row: Mapping[str, Any], action: str) -> Iterator[tuple[str, str]]:
    """Yield the kinds that an action needs permission for: the resource's and related ones."""
    service = action.partition(":")[0]
    touched = {f"{service}:{short}": flags for short, flags in _table("actions")[action].items()}
    own_kind = touched.get(row["own"], "")
    for kind, condition_flags in touched.items():
        if kind == row["own"] or (
            not own_kind.startswith("?")
            and (not condition_flags.startswith("?") or _present_kind(scope, kind))
        ):
            yield kind, condition_flags


def own_arns(
    scope: Scope, row: Mapping[str, Any], resource: RegisteredResource
) -> tuple[str, ...]:
    """Return the ARNs of a resource, or of the resources that it is a part of."""
    if not row["arn"]:
        return (arn_of_kind(scope, row["own"]),)
    holders = scope.resources_by_type.get(row["of"], ()) if row["of"] else (resource,)
    changed_holders = [
        holder for holder in holders if resource.is_read_only or not holder.is_read_only
    ]
    return tuple(scope.fill_arn(row["arn"], holder.physical_name) for holder in changed_holders)


def arn_of_kind(scope: Scope, kind: str) -> str:
    """Return the ARN pattern of all resources of a kind."""
    return scope.fill_arn(_table("kinds")[kind]["arn"])


def _own_conditions(
    scope: Scope, row: Mapping[str, Any], verb: Verb, action: str, condition_flags: str
) -> tuple[Condition, ...]:
    """Return the conditions for the stack's own resource: the tags it is created with or has."""
    if not row["tagged"]:
        return ()
    if verb == "create" and not row["of"]:
        made_with = (_stack_tag_condition(REQUEST_TAG, scope),)
        if action == "ec2:CreateTags":
            making = tuple(name.partition(":")[2] for name in row["create"] if name != action)
            return (("StringEquals", "ec2:CreateAction", making), *made_with)
        if "r" in condition_flags:
            return made_with
        if action == row["create"][0]:
            return ()
    return (
        (_stack_tag_condition(RESOURCE_TAG, scope),)
        if knows_tags(row["own"], condition_flags)
        else ()
    )


def _launches(scope: Scope) -> Iterator[Right]:
    """Yield the permissions for launches by groups and fleets, with this stack's templates only.

    A template that tags what it launches requires the right to those tags too, or AWS answers that
    the role may not use the template.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/permissions-for-launch-templates.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-launch-template-permissions.html
    """
    if not set(LAUNCHING) & set(scope.resources_by_type):
        return
    launched = ("StringEquals", "ec2:CreateAction", ("RunInstances",))
    for short in TAGGED_RESOURCE_TYPES:
        tagged = (launched, _stack_tag_condition(REQUEST_TAG, scope))
        yield Right("ec2:CreateTags", arn_of_kind(scope, f"ec2:{short}"), tagged)
    template = arn_of_kind(scope, "ec2:launch-template")
    for short in _table("actions")["ec2:RunInstances"]:
        arn = arn_of_kind(scope, f"ec2:{short}")
        is_own_template = short == "launch-template"
        yield Right(
            "ec2:RunInstances",
            arn,
            (
                _stack_tag_condition(RESOURCE_TAG, scope)
                if is_own_template
                else ("ArnLike", "ec2:LaunchTemplate", (template,)),
            ),
        )


def _roles(scope: Scope) -> Iterator[Right]:
    """Yield the permission to pass each role to its one service, if the stack uses that."""
    rows = _table("types")
    types = {registered.type for registered in scope.resources if not registered.is_read_only}
    changed_rows = [rows[kind] for kind in sorted(types) if kind in rows]
    receivers = {row["passes"] for row in changed_rows}
    role = rows["aws:iam/role:Role"]
    for resource in scope.resources_by_type.get("aws:iam/role:Role", ()):
        receiver = _table("roles").get(resource.child)
        if receiver in receivers and not resource.is_read_only:
            arn = scope.fill_arn(role["arn"], resource.physical_name)
            to = ("StringEquals", "iam:PassedToService", (f"{receiver}.amazonaws.com",))
            yield Right("iam:PassRole", arn, (to,))
    linked = tuple(
        sorted({f"{name}.amazonaws.com" for row in changed_rows for name in row["linked"]})
    )
    if linked:
        arn = scope.fill_arn("arn:{partition}:iam::*:role/aws-service-role/*")
        condition = ("StringEquals", "iam:AWSServiceName", linked)
        yield Right("iam:CreateServiceLinkedRole", arn, (condition,))


def _looked_up(scope: Scope, action: str) -> Iterator[Right]:
    """Yield the permissions for look-ups: the account, zones, public images."""
    service = action.partition(":")[0]
    if service == "ssm":
        arn = scope.fill_arn("arn:{partition}:ssm:{region}::parameter/aws/service/*")
        yield Right(action, arn)
    else:
        yield Right(action, "*", _in_regions(scope, service))


def _present_kind(scope: Scope, kind: str) -> bool:
    """Return whether the stack has resources of a kind; a caller's own network has no tag."""
    rows = _table("types")
    return any(rows[type_]["own"] == kind for type_ in scope.resources_by_type if type_ in rows)


def knows_tags(kind: str, condition_flags: str) -> bool:
    """Return whether the tags of a resource can be a condition of an action on it."""
    return "t" in condition_flags or bool(_table("kinds")[kind]["tags"])


def _stack_tag_condition(key: str, scope: Scope) -> Condition:
    return ("StringEquals", key, (scope.stack,))


def _in_regions(scope: Scope, service: str) -> tuple[Condition, ...]:
    return () if service in GLOBAL else (("StringEquals", REGION, scope.regions),)


def _table(name: str) -> dict[str, Any]:
    table: dict[str, Any] = TABLES.table("rights")[name]
    return table
