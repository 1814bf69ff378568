"""Kubernetes bindings that give a cluster role to everyone, or every right to pods."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.grants import grant_rows
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown

TABLE: Final = Path(__file__).parents[1] / "cluster_rights.json"
_BINDING: Final = re.compile(
    r"kubernetes:rbac\.authorization\.k8s\.io/\w+:(?:Cluster)?RoleBinding(?:Patch|List)?"
)
_CLUSTER_ROLE_BINDING: Final = ":ClusterRoleBinding"
_ROLES: Final = tuple(
    f"kubernetes:rbac.authorization.k8s.io/v1:{kind}" for kind in ("ClusterRole", "Role")
)


def bindings(resource: Resource, index: Index, cloud: str, *, is_here: bool) -> Rows:
    """Return the grants of a role binding to everyone.

    A name that is not known yet comes from another resource, and none is called as these are.

    Args:
        resource: an object in a cluster.
        index: of the stack.
        cloud: whose clusters it may be in.
        is_here: whether it is in one of this cloud's.
    """
    if not _BINDING.fullmatch(resource.type):
        return Rows()
    items = as_list(resource.inputs.get("items")) or (resource.inputs,)
    faults = tuple(
        fault
        for binding in items
        for fault in (
            *_faults(resource, binding, index, cloud, is_here),
            *_administrators(resource, binding, index),
        )
    )
    return grant_rows(cloud, resource, faults) if faults else Rows()


def _faults(
    resource: Resource, binding: Any, index: Index, cloud: str, is_here: bool
) -> Iterator[str | Unknown]:
    role = at(binding, "roleRef", "name")
    names = [at(subject, "name") for subject in as_list(at(binding, "subjects"))]
    for row in rows_of(digests.table(TABLE)):
        only = row["only"].split()
        if row["subject"] not in names or role in row["unless"].split():
            continue
        if isinstance(role, Unknown) and only:
            yield UNKNOWN
        elif (not only or role in only) and not _only_tells(resource, role, index):
            spelled = role if isinstance(role, str) else "a role"
            if not row["clouds"] or (is_here and cloud in row["clouds"].split()):
                yield f"grants {spelled} to {row['who']}"
            elif not is_here:
                yield UNKNOWN


def _administrators(resource: Resource, binding: Any, index: Index) -> Iterator[str]:
    """Yield the faults of a cluster-wide binding that makes pods of the stack administrators."""
    if _CLUSTER_ROLE_BINDING not in resource.type:
        return
    from gpuinfra.clouds.observing import cluster_admins  # noqa: PLC0415  (few stacks have pods)

    role = at(binding, "roleRef", "name")
    own_roles = cluster_admins.with_aggregated(_own_roles(resource, role, index), index)
    administrators = digests.table(TABLE)["administrators"].split()
    if role in administrators or any(map(cluster_admins.allows_everything, own_roles)):
        right: str | None = role if isinstance(role, str) else "every right in the cluster"
    else:
        right = next(_escalations(own_roles), None)
    for name in () if right is None else cluster_admins.names(resource, binding, index):
        yield f"grants {right} to the service account {name}, which pods here run as"


def _escalations(roles: Iterable[Resource]) -> Iterator[str]:
    """Yield what roles of the stack's own may do by which they take what others have."""
    rules = [rule for role in roles for rule in as_list(role.inputs.get("rules"))]
    for row in rows_of(digests.table(TABLE)["escalations"]):
        parts = {
            "verbs": row["verbs"].split(),
            "apiGroups": [row["group"]],
            "resources": row["resources"].split(),
        }
        if any(_is_on_all(rule, parts, row["names"].split()) for rule in rules):
            yield f"the right to {row['words']}"


def _is_on_all(rule: Any, parts: Mapping[str, Sequence[str]], names: Sequence[str]) -> bool:
    """Return whether a rule has one of each part, or all, on every object or one of `names`."""
    named = as_list(at(rule, "resourceNames"))
    return (not named or any(name in named for name in names)) and all(
        not {"*", *values}.isdisjoint(
            value for value in as_list(at(rule, key)) if isinstance(value, str)
        )
        for key, values in parts.items()
    )


def _only_tells(resource: Resource, role: Any, index: Index) -> bool:
    """Return whether a role is of the stack and allows only health and discovery reads."""
    own_roles = _own_roles(resource, role, index)
    return bool(own_roles) and all(_is_harmless(own_role) for own_role in own_roles)


def _own_roles(resource: Resource, role: Any, index: Index) -> list[Resource]:
    """Return the roles of the stack that a binding may mean."""
    related_resources = index.related_resources(resource, "roleRef")
    return [
        kind_role
        for kind in _ROLES
        for kind_role in index.of_kind(kind)
        if kind_role in related_resources
        or (isinstance(role, str) and at(kind_role.inputs.get("metadata"), "name") == role)
    ]


def _is_harmless(role: Resource) -> bool:
    rules = as_list(role.inputs.get("rules"))
    paths = [path for rule in rules for path in as_list(at(rule, "nonResourceURLs"))]
    harmless_paths = tuple(digests.table(TABLE)["paths"].split())
    is_without_resources = all(at(rule, "resources") is None for rule in rules)
    aggregates = role.inputs.get("aggregationRule") is not None
    are_harmless = all(isinstance(path, str) and path.startswith(harmless_paths) for path in paths)
    return bool(rules) and is_without_resources and are_harmless and not aggregates
