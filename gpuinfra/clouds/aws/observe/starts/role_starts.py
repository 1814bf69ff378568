"""The code that may start machines through its role: functions, machines, pods and tasks.

A role may also become another of the stack, and do what that one may.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import permissions, role_holders
from gpuinfra.clouds.aws.observe.rights.identity import matches_identity, statements_of
from gpuinfra.clouds.aws.observe.starts.calls_within_stack import is_counted
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import FixableFault
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.records import record

_ASSUMES: Final = "sts:AssumeRole"
_FIELDS: Final = 6
_WILD: Final = frozenset("*?")


@record(kw_only=False)
class _Right:
    """A policy statement, with the resource and the input that hold the policy."""

    statement: Any
    holder: Resource
    prop: str


@cache
def actions() -> tuple[str, ...]:
    """Return actions that start machines or raise their number: data/may_start.json."""
    return tuple(
        action
        for service_actions in _start_actions_by_service().values()
        for action in service_actions
    )


@cache
def _start_actions_by_service() -> Mapping[str, tuple[str, ...]]:
    rows = TABLES.table("may_start")["actions"]
    return {
        row["service"]: tuple(f"{row['service']}:{name}" for name in row["names"].split())
        for row in rows
    }


@cache
def _starting_managed_policies() -> frozenset[str]:
    return frozenset(TABLES.table("may_start")["managed"].split())


def function_starts(function: Resource, index: Index) -> Iterator[FixableFault | Unknown]:
    """Yield the machines that a function may start with its role's permissions.

    UNKNOWN stands for rights that only an update writes.
    """
    for role in index.targets(function, "role", resource_types.ROLE).certain:
        yield from _faults(role, "its role", "", index)


def role_starts(role: Resource, index: Index) -> Iterator[FixableFault | Unknown]:
    """Yield the holders of a role that may start machines; functions have rows of their own."""
    holders = ", ".join(dict.fromkeys(role_holders.holders_of(role, index)))
    if holders:
        yield from _faults(role, holders, " with it", index)


def _faults(
    role: Resource, holders: str, means: str, index: Index
) -> Iterator[FixableFault | Unknown]:
    start = _start_of(role, index)
    if isinstance(start, Unknown):
        yield start
    elif start is not None:
        from gpuinfra.clouds.aws.observe.starts.role_fixes import start_fault  # noqa: PLC0415  (few may)

        yield start_fault(holders, means, *start)


def _start_of(role: Resource, index: Index) -> tuple[str, tuple[str, ...]] | Unknown | None:
    """Return what lets a role start machines, with the roles that it becomes; None for nothing.

    It is an action, or the name of a policy of AWS, and the first of the roles has it.
    """
    unknown = False
    visited = {role.urn}
    queue: list[tuple[Resource, tuple[str, ...]]] = [(role, (role.name,))]
    for current_role, names in queue:  # it grows: roles may assume each other
        allowed = index.memo(
            ("starts", current_role.urn), partial(_first_start, current_role, index)
        )
        if isinstance(allowed, str) and allowed:
            return allowed, names
        unknown = unknown or isinstance(allowed, Unknown)
        for other in index.memo(
            ("becomes", current_role.urn), partial(_becomes_others, current_role, index)
        ):
            if other.urn not in visited:
                visited.add(other.urn)
                queue.append((other, (other.name, *names)))
    return UNKNOWN if unknown else None


def _first_start(role: Resource, index: Index) -> str | Unknown:
    """Return the first of what `_own_starts` yields for a role; empty for none."""
    allowed = tuple(_own_starts(role, index))
    known_actions = (action for action in allowed if isinstance(action, str))
    return next(known_actions, UNKNOWN if allowed else "")


def _own_starts(role: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the actions of a role's own policies, and AWS's policies, that start machines."""
    arns, rights = _policies_of_role(role, index)
    allowed_statements = _left_by_boundary(role, index)
    any_left = any(map(allowed_statements, actions()))
    if any_left:
        names = (arn.rpartition("/")[2] for arn in arns)
        yield from (name for name in names if name in _starting_managed_policies())
    statements = tuple(right.statement for right in rights)
    for right in rights:
        if isinstance(right.statement, Unknown) and any_left:
            yield UNKNOWN
        if at(right.statement, "Effect") != "Allow":
            continue
        yield from (
            action
            for action in _unjudged_start_actions(right, index)
            if not permissions.denies(statements, action) and allowed_statements(action)
        )


def _left_by_boundary(role: Resource, index: Index) -> Callable[[str], bool]:
    """Return the test for the actions that a role's permissions boundary allows."""
    if role.inputs.get("permissionsBoundary") is None:
        return lambda _: True
    from gpuinfra.clouds.aws.observe.rights import start_boundaries  # noqa: PLC0415  (few roles have one)

    return start_boundaries.boundaries_of(role, index).has


def _becomes_others(role: Resource, index: Index) -> tuple[Resource, ...]:
    """Return the roles that a role may assume by its policies."""
    if not _left_by_boundary(role, index)(_ASSUMES):
        return ()
    return tuple(
        other
        for right in _policies_of_role(role, index)[1]
        if at(right.statement, "Effect") == "Allow"
        for other in _assumable_roles(right, index)
    )


def _unjudged_start_actions(right: _Right, index: Index) -> Iterator[str]:
    table = TABLES.table("may_start")
    for action in covered_start_actions(right.statement):
        types = table["judged_at"].get(action, "").split()
        if not types or not _is_within(right, types, table["beside"].get(action), index):
            yield action
    conditional = table["unless_conditioned"]
    is_wide = permissions.is_allowed(right.statement)
    if is_wide and permissions.grants(right.statement, conditional) is True:
        yield conditional


def covered_start_actions(statement: Any) -> Iterator[str]:
    """Yield the starting actions that a statement covers, by patterns of their service."""
    if at(statement, "NotAction") is not None:
        start_actions = actions()
        yield from (
            action for action in start_actions if permissions.grants(statement, action) is True
        )
        return
    for pattern in as_list(at(statement, "Action")):
        if isinstance(pattern, str):
            service = pattern.partition(":")[0].lower()
            own_actions = (
                actions() if set(service) & _WILD else _start_actions_by_service().get(service, ())
            )
            yield from (
                action
                for action in own_actions
                if matches_pattern(pattern, action, ignore_case=True)
            )


def _is_within(right: _Right, types: list[str], other_type: str | None, index: Index) -> bool:
    """Return whether a statement covers only resources of the stack that are judged themselves.

    Those whose names begin with `other_type` are needed too, and do not decide where the action
    runs.
    """
    patterns = as_list(at(right.statement, "Resource"))
    return bool(patterns) and all(
        isinstance(pattern, str)
        and (
            _is_named(pattern, other_type)
            or any(_is_counted_right(right, kind, pattern, index) for kind in types)
        )
        for pattern in patterns
    )


def _is_named(pattern: str, beginning: str | None) -> bool:
    """Return whether the resource part of an ARN begins so."""
    return beginning is not None and pattern.split(":", _FIELDS - 1)[-1].startswith(beginning)


def _is_counted_right(right: _Right, kind: str, pattern: str, index: Index) -> bool:
    targets = index.targets(right.holder, right.prop, kind, pattern).certain
    return any(is_counted(target, index) for target in targets)


def _assumable_roles(right: _Right, index: Index) -> Iterator[Resource]:
    """Yield the roles of the stack that a statement lets a role assume, and that allow it."""
    if permissions.grants(right.statement, _ASSUMES) is not True:
        return
    related_resources = index.related_resources(right.holder, right.prop)
    for other in index.of_kind(resource_types.ROLE):
        if _covers_role(
            right.statement, other, unknown_counts=other in related_resources
        ) and _lets_in_roles(other):
            yield other


def _covers_role(statement: Any, role: Resource, *, unknown_counts: bool) -> bool:
    """Return whether a statement covers a role; an unknown value counts where it may be the role.

    Args:
        statement: of a policy.
        role: of the stack, which may not be made yet.
        unknown_counts: whether the policy is made of what the role says.
    """
    excluded = as_list(at(statement, "NotResource"))
    if excluded:
        return not any(
            isinstance(excluded_pattern, str) and matches_identity(excluded_pattern, role)
            for excluded_pattern in excluded
        )
    return any(
        matches_identity(pattern, role) if isinstance(pattern, str) else unknown_counts
        for pattern in as_list(at(statement, "Resource"))
    )


def _lets_in_roles(role: Resource) -> bool:
    """Return whether a role trusts principals of accounts, or its trust is not known yet."""
    for statement in statements_of(role.inputs.get("assumeRolePolicy")):
        principal = at(statement, "Principal")
        if isinstance(statement, Unknown) or principal == "*" or at(principal, "AWS") is not None:
            return True
    return False


def _policies_of_role(role: Resource, index: Index) -> tuple[list[str], list[_Right]]:
    """Return the ARNs of AWS's policies of a role, and its statements in policies of the stack."""
    holders = [
        (role, "managedPolicyArns", arn) for arn in _input_values(role, "managedPolicyArns")
    ]
    for kind, key, prop in (
        (resource_types.ROLE_ATTACHMENT, "role", "policyArn"),
        (resource_types.POLICY_ATTACHMENT, "roles", "policyArn"),
        (resource_types.ROLE_ATTACHMENTS, "roleName", "policyArns"),
    ):
        for attachment in index.referrers(role, kind, key).certain:
            holders += [(attachment, prop, arn) for arn in _input_values(attachment, prop)]
    policies = [(policy, "policy") for policy in _inline_policies(role, index)]
    policies += [
        (policy, "policy")
        for holder, prop, arn in holders
        for policy in index.targets(holder, prop, resource_types.POLICY, arn).certain
    ]
    rights = [
        _Right(statement, policy, prop)
        for policy, prop in policies
        for statement in statements_of(policy.inputs.get(prop))
    ]
    rights += [
        _Right(statement, role, "inlinePolicies")
        for policy in _input_values(role, "inlinePolicies")
        for statement in statements_of(at(policy, "policy"))
    ]
    return [arn for _, _, arn in holders if isinstance(arn, str)], rights


def _input_values(resource: Resource, prop: str) -> tuple[Any, ...]:
    return tuple(value for value in as_list(resource.inputs.get(prop)) if value is not None)


def _inline_policies(role: Resource, index: Index) -> tuple[Resource, ...]:
    return index.referrers(role, resource_types.ROLE_POLICY, "role").certain
