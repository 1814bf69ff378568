"""An offline proof that a role's policies allow the stack's requests and no others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpuinfra.clouds.aws.rights import deploy_rights as rights
from gpuinfra.clouds.aws.rights.deploy_rights import RegisteredResource, Scope
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import matches_pattern


class AccessRequest(NamedTuple):
    """A request as IAM sees it: the action, the resource, and the known facts about both."""

    action: str
    resource: str
    known: Mapping[str, str]
    own: bool


def is_allowed(policies: Sequence[Mapping[str, Any]], request: AccessRequest) -> bool:
    """Return whether policies allow a request; a denial overrides any permission.

    Only what this library writes is understood: actions, resources, and the operators
    StringEquals, ArnLike and NumericGreaterThan.
    """
    hits = [
        statement["Effect"]
        for policy in policies
        for statement in policy["Statement"]
        if _matches(statement, request)
    ]
    return "Allow" in hits and "Deny" not in hits


def requests(scope: Scope, resource: RegisteredResource, owner: str) -> Iterator[AccessRequest]:
    """Yield every request that creating, reading, changing and deleting a resource sends.

    Args:
        scope: of the stack that the resource is in.
        resource: the resource.
        owner: what its tag gpuinfra:stack says.
    """
    table = TABLES.table("rights")
    row = table["types"][resource.type]
    for verb in ("read",) if resource.is_read_only else rights.VERBS:
        for action in row[verb]:
            yield from _requests_of_action(scope, row, resource, owner, verb, action)


def _requests_of_action(
    scope: Scope,
    row: Mapping[str, Any],
    resource: RegisteredResource,
    owner: str,
    verb: str,
    action: str,
) -> Iterator[AccessRequest]:
    """Yield the requests of one action, on each kind of resource that IAM checks."""
    condition_values = {rights.REGION: scope.regions[0]}
    is_creation = verb == "create" and not row["of"]
    touched = TABLES.table("rights")["actions"][action]
    if not any(touched):
        if "r" in touched.get("", ""):
            condition_values[rights.REQUEST_TAG] = owner
        yield AccessRequest(action, "*", condition_values, own=False)
        return
    for kind, condition_flags in rights.kinds_of(scope, row, action):
        is_own = kind == row["own"]
        action_context = dict(condition_values)
        if is_own and is_creation and "r" in condition_flags:
            action_context[rights.REQUEST_TAG] = owner
            action_context["ec2:CreateAction"] = row["create"][0].partition(":")[2]
        if rights.knows_tags(kind, condition_flags) and not (
            is_own and is_creation and action == row["create"][0]
        ):
            action_context[rights.RESOURCE_TAG] = owner
        for arn in (
            rights.own_arns(scope, row, resource) if is_own else (rights.arn_of_kind(scope, kind),)
        ):
            yield AccessRequest(action, with_sample_characters(arn), action_context, is_own)


def denied_requests(
    scope: Scope, policies: Sequence[Mapping[str, Any]]
) -> list[tuple[RegisteredResource, AccessRequest]]:
    """Return the requests of a stack that its policies do not allow."""
    return [
        (resource, request)
        for resource in scope.resources
        if not rights.unknown([resource])
        for request in requests(scope, resource, scope.stack)
        if not is_allowed(policies, request)
    ]


def with_sample_characters(arn: str) -> str:
    """Return an ARN with its wildcards replaced by sample characters."""
    return arn if arn == "*" else arn.replace("*", "x1").replace("?", "0")


def _matches(statement: Mapping[str, Any], request: AccessRequest) -> bool:
    if not any(
        matches_pattern(pattern, request.action, ignore_case=True)
        for pattern in _list(statement["Action"])
    ):
        return False
    if not any(
        matches_pattern(pattern, request.resource) for pattern in _list(statement["Resource"])
    ):
        return False
    return all(
        key in request.known
        and any(_condition_holds(operator, value, request.known[key]) for value in _list(values))
        for operator, pairs in statement.get("Condition", {}).items()
        for key, values in pairs.items()
    )


def _condition_holds(operator: str, value: str, actual: str) -> bool:
    if operator == "StringEquals":
        return value == actual
    if operator == "ArnLike":
        return matches_pattern(value, actual)
    if operator == "NumericGreaterThan":
        return float(actual) > float(value)
    raise ValueError(f"the operator {operator} is not supported")


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
