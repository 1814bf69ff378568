"""Grants to everyone on single resources of services without rows of their own."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights.identity import PUBLIC_ACLS, is_everybody
from gpuinfra.clouds.gcp.observe.rights.permissions import bindings_of
from gpuinfra.clouds.observing.grants import with_grants
from gpuinfra.clouds.observing.values import as_list, at, flag, texts_in
from gpuinfra.model import Resource, Rows

_GRANT: Final = re.compile(r"gcp:\w+/\w*?[iI][aA][mM](?P<form>Member|Binding|Policy):\w+")
_ACLS: Final = frozenset(
    {
        "gcp:storage/objectAccessControl:ObjectAccessControl",
        "gcp:storage/defaultObjectAccessControl:DefaultObjectAccessControl",
        "gcp:storage/objectACL:ObjectACL",
        "gcp:storage/defaultObjectACL:DefaultObjectACL",
    }
)
_DATA: Final = frozenset(
    {"gcp:bigquery/datasetAccess:DatasetAccess", "gcp:bigquery/dataset:Dataset"}
)
_PARTS: Final = frozenset(
    {
        "gcp:bigquery/rowAccessPolicy:RowAccessPolicy",
        "gcp:bigquery/datapolicyv2DataPolicy:Datapolicyv2DataPolicy",
    }
)
_RULES: Final = re.compile(r"gcp:iam/\w+AccessPolicy:\w+")
_FOLDERS: Final = "gcp:storage/managedFolder"
_PUBLIC_BY_DESIGN: Final = re.compile(
    r"roles/(?:(?:run|cloudfunctions)\.invoker|iap\.httpsResourceAccessor|"
    r"artifactregistry\.reader|analyticshub\.\w+)"
)
"""Roles that are given to everyone on purpose: a public page, function, image or listing.
https://docs.cloud.google.com/run/docs/authenticating/public
(2026-11-26, not re-read: unverified)"""
_EVERY_APP: Final = re.compile(r"gcp:iap/(?:locationWeb|web(?:Type\w+)?)I[aA][mM]\w+:\w+")
"""The types of grants on every app behind Identity-Aware Proxy of a project, or of one of its
locations, of this stack or not.
https://cloud.google.com/iap/docs/managing-access"""


def with_public_grants(resource: Resource, rows: Rows, index: Index) -> Rows:
    """Return the rows of a resource with its certain grants to everyone."""
    return with_grants("gcp", resource, rows, _faults(resource, index))


def _faults(resource: Resource, index: Index) -> Iterator[str]:
    inputs, kind = resource.inputs, resource.type
    if kind in _ACLS:
        entries = (*as_list(inputs.get("entity")), *as_list(inputs.get("roleEntities")))
        names = [entry.rpartition(":")[2] for entry in entries if isinstance(entry, str)]
        is_public = inputs.get("predefinedAcl") in PUBLIC_ACLS
        if (is_public or any(map(_is_all, names))) and not _is_closed(resource, index):
            yield "grants everyone access to objects of a bucket"
        return
    yield from _data_grants(resource)
    if kind.startswith(_FOLDERS) and _is_closed(resource, index):
        return
    for role, members in _granted_roles(resource):
        if any(map(_is_all, as_list(members))) and not _is_on_purpose(kind, role):
            yield f"grants {role if isinstance(role, str) else 'a role'} to everyone"


def _is_on_purpose(kind: str, role: Any) -> bool:
    if not isinstance(role, str) or _EVERY_APP.fullmatch(kind):
        return False
    return _PUBLIC_BY_DESIGN.fullmatch(role) is not None


def _data_grants(resource: Resource) -> Iterator[str]:
    """Yield the public grants of types with their own terms for members."""
    if resource.type in _DATA | _PARTS:
        content = "a dataset" if resource.type in _DATA else "a part of a table"
        yield from (
            f"grants {content} to {text}" for text in texts_in(resource.inputs) if _is_all(text)
        )
    elif _RULES.fullmatch(resource.type):
        yield from _access_rule_grants(resource.inputs)


def _access_rule_grants(inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield the permissions that an access policy's rules allow to everyone."""
    for rule in as_list(at(inputs.get("details"), "rules")):
        if at(rule, "effect") == "ALLOW" and any(map(_is_all, as_list(at(rule, "principals")))):
            allowed = [
                str(permission) for permission in as_list(at(rule, "operation", "permissions"))
            ]
            yield f"grants {', '.join(allowed) or 'permissions'} to everyone"


def _granted_roles(resource: Resource) -> Iterator[tuple[Any, Any]]:
    """Yield each role that a grant gives, with its members."""
    inputs = resource.inputs
    form = _GRANT.fullmatch(resource.type)
    if form is not None and form["form"] == "Policy":
        for binding in bindings_of(inputs.get("policyData")):
            yield at(binding, "role"), at(binding, "members")
    else:
        yield inputs.get("role"), (*as_list(inputs.get("member")), *as_list(inputs.get("members")))


def _is_all(member: Any) -> bool:
    return is_everybody(member) is True


def _is_closed(resource: Resource, index: Index) -> bool:
    """Return whether the bucket is of this stack and blocks public access by this grant's type."""
    buckets = index.targets(resource, "bucket", resource_types.BUCKET)
    return bool(buckets.certain) and all(
        bucket.inputs.get("publicAccessPrevention") == "enforced"
        or (resource.type in _ACLS and flag(bucket.inputs.get("uniformBucketLevelAccess")) is True)
        for bucket in buckets.certain
    )
