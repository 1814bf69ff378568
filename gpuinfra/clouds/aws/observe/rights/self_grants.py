"""The permissions with which an identity of the stack can change its own permissions.

https://rhinosecuritylabs.com/aws/aws-privilege-escalation-methods-mitigation/
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.rights import permissions
from gpuinfra.clouds.aws.observe.rights.identity import (
    matches_identity,
    matches_name,
    statements_of,
)
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource

_KINDS: Final[Mapping[str, str]] = {
    resource_types.ROLE: "role",
    resource_types.USER: "user",
    resource_types.IAM_GROUP: "group",
}
_POLICY: Final = "policy"
_GAIN: Final = "with which it can grant itself every permission"
_OWN_NAME: Final = "${aws:username}"
"""https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html"""


_Matches = Callable[[str], bool]
"""Whether a pattern of resources matches an identity or a policy."""


def self_grants(
    identity: Resource, documents: Iterable[Any], policies: Iterable[Resource]
) -> Iterator[str]:
    """Yield the actions that an identity may do to itself, or to a policy attached to it."""
    kind = _KINDS[resource_types.canonical(identity.type)]
    yield from _grants(documents, "itself", kind, partial(_matches, identity, kind))
    for policy in policies:
        matches = partial(_matches, policy, _POLICY)
        yield from _grants(documents, f"its policy {policy.name}", _POLICY, matches)


def outside_self_grants(kind: str, name: str, documents: Iterable[Any]) -> Iterator[str]:
    """Yield the actions that an identity outside the stack may do to itself."""
    suffix = f"{_KINDS[kind]}/{name}"
    yield from _grants(documents, "itself", _KINDS[kind], lambda arn: matches_name(arn, suffix))


def _matches(role: Resource, kind: str, pattern: str) -> bool:
    return matches_identity(pattern, role, kind)


def _grants(documents: Iterable[Any], holder: str, kind: str, matches: _Matches) -> Iterator[str]:
    """Yield the changes of rights that statements allow on one thing.

    What they allow on everything is a wide permission of the policy that allows it.
    """
    statements = tuple(
        statement for document in documents for statement in statements_of(document)
    )
    for statement in permissions.without_denied(statements):
        granted_actions = permissions.wide_actions(statement, "own")
        if not granted_actions or not _is_narrow(statement) or not _covers(statement, matches):
            continue
        rows = permissions.wide_rows("own")
        for action in (row.action for row in rows if kind in row.target_types):
            if action in granted_actions:
                yield f"allows {action} on {holder}, {_GAIN}"
                break


def _is_narrow(statement: Any) -> bool:
    is_wide = permissions.is_everywhere(statement, "iam") is True
    return permissions.is_allowed(statement) and not is_wide


def _covers(statement: Any, matches: _Matches) -> bool:
    patterns = (
        pattern for pattern in as_list(at(statement, "Resource")) if isinstance(pattern, str)
    )
    return any(matches(pattern.replace(_OWN_NAME, "*")) for pattern in patterns)
