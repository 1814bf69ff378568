"""The permissions with which an identity of the stack can change its own permissions.

https://rhinosecuritylabs.com/aws/aws-privilege-escalation-methods-mitigation/
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import permissions, resource_types
from gpuinfra.clouds.aws.observe.identity import matches_identity, statements_of
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource

_KINDS: Final[Mapping[str, str]] = {
    resource_types.ROLE: "role",
    resource_types.USER: "user",
    resource_types.IAM_GROUP: "group",
    resource_types.POLICY: "policy",
}
_GAIN: Final = "with which it can grant itself every permission"
_OWN_NAME: Final = "${aws:username}"
"""https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html"""


def self_grants(
    identity: Resource, documents: Iterable[Any], policies: Sequence[Resource]
) -> Iterator[str]:
    """Yield the actions that an identity may do to itself, or to a policy attached to it.

    What it may do to everything is a wide permission of the policy that allows it.
    """
    every = tuple(statement for document in documents for statement in statements_of(document))
    for statement in permissions.without_denied(every):
        given = permissions.wide_actions(statement, "own")
        if not given or not _is_narrow(statement):
            continue
        for own in (identity, *policies):
            kind = _KINDS[resource_types.canonical(own.type)]
            rows = permissions.wide_rows("own")
            actions = (row.action for row in rows if kind in row.target_types)
            action = next((each for each in actions if each in given), None)
            if action is not None and _covers(statement, own, kind):
                what = "itself" if own is identity else f"its policy {own.name}"
                yield f"allows {action} on {what}, {_GAIN}"


def _is_narrow(statement: Any) -> bool:
    is_wide = permissions.is_everywhere(statement, "iam") is True
    return permissions.is_allowed(statement) and not is_wide


def _covers(statement: Any, own: Resource, kind: str) -> bool:
    patterns = (each for each in as_list(at(statement, "Resource")) if isinstance(each, str))
    return any(matches_identity(each.replace(_OWN_NAME, "*"), own, kind) for each in patterns)
