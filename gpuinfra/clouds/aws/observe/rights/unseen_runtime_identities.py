"""The roles and policies outside the stack that its code runs with, and does not show."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import held_rights, role_holders, wide_rights
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing import unseen_runtime_identities
from gpuinfra.model import NotJudged, Resource

_HAS: Final = (
    "code runs as it with a policy outside this stack, whose permissions are not visible; `trust` "
    "with `limited: true` accepts it"
)
_JUDGED_KINDS: Final = frozenset({"machines"})
"""Holders whose permissions the rule administrator-role judges."""


def rows(index: Index) -> Iterator[NotJudged]:
    """Yield a row for each resource with such a role, and each role with such a policy."""

    def is_role(resource: Resource, prop: str, name: str) -> bool:
        return _is_ours(resource, prop, name, resource_types.ROLE, index)

    yield from unseen_runtime_identities.rows(index, "aws:", is_role)
    for kind, row in TABLES.table("may_start")["held_by"].items():
        yield from unseen_runtime_identities.unseen_identity_rows(
            index, kind, row["roles"], is_role
        )
    for role in index.of_kind(resource_types.ROLE):
        names = tuple(dict.fromkeys(_policies(role, index)))
        if names and _runs_code(role, index):
            yield unseen_runtime_identities.row(role, names, _HAS)


def _policies(role: Resource, index: Index) -> Iterator[str]:
    for holder, prop, arn in held_rights.attached_to(role, index):
        if isinstance(arn, str) and not (
            wide_rights.is_managed_by_aws(arn)
            or _is_ours(holder, prop, arn, resource_types.POLICY, index)
        ):
            yield arn


def _runs_code(role: Resource, index: Index) -> bool:
    functions = index.referrers(role, resource_types.FUNCTION, "role").certain
    return bool(functions or set(role_holders.holders_of(role, index)) - _JUDGED_KINDS)


def _is_ours(resource: Resource, prop: str, name: str, kind: str, index: Index) -> bool:
    """Return whether a name means a resource of the stack, or may."""
    return unseen_runtime_identities.are_ours(index.targets(resource, prop, kind, name))
