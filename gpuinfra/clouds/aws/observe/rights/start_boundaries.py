"""The actions that start machines and that a permissions boundary allows.

https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
"""

from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import permissions, wide_rights
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource
from gpuinfra.records import record

_BOUNDARY: Final = "permissionsBoundary"


@record(kw_only=False)
class PermissionsBoundaries:
    """The visible statements of a role's boundaries; `nothing`: one allows nothing."""

    documents: tuple[tuple[Any, ...], ...] = ()
    nothing: bool = False

    def has(self, action: str) -> bool:
        """Return whether an action may remain: each boundary allows it, or is unknown."""
        return not self.nothing and all(_allows(document, action) for document in self.documents)


def boundaries_of(role: Resource, index: Index) -> PermissionsBoundaries:
    """Return the permissions that a role's boundary leaves; all without a visible boundary."""
    arn = role.inputs.get(_BOUNDARY)
    if arn is None:
        return PermissionsBoundaries()
    if isinstance(arn, str) and wide_rights.is_managed_by_aws(arn):
        return PermissionsBoundaries(nothing=only_reads(arn))
    policies = index.targets(role, _BOUNDARY, resource_types.POLICY, arn)
    if not policies.exact:
        return PermissionsBoundaries()
    documents = (tuple(statements_of(policy.inputs.get("policy"))) for policy in policies.certain)
    return PermissionsBoundaries(tuple(documents))


def _allows(statements: tuple[Any, ...], action: str) -> bool:
    allowed = (
        permissions.grants(statement, action) is not False
        for statement in statements
        if at(statement, "Effect") != "Deny"
    )
    return any(allowed) and not permissions.denies(statements, action)


def only_reads(arn: str) -> bool:
    """Return whether a policy of AWS, used as a boundary, allows only reading."""
    patterns = TABLES.table("may_start")["starts_none"].split()
    return any(matches_pattern(pattern, arn.rpartition("/")[2]) for pattern in patterns)
