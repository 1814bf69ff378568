"""The permissions of the machines' service account on the buckets in their script."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.rights import script_programs
from gpuinfra.clouds.gcp.observe.rights.identity import gives_everything
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import UNKNOWN, Resource

_SCRIPT: Final = "metadataStartupScript"
_SCRIPTS: Final = (_SCRIPT, "metadata")
_STORAGE_SERVICE: Final = "storage"
_OTHER_GRANT_TYPES: Final = (
    (resource_types.BUCKET_BINDING, "members"),
    *((kind, "member") for kind in resource_types.MEMBERS),
    *((kind, "members") for kind in resource_types.BINDINGS),
)


def bucket_role_remarks(
    launch: LaunchSources, index: Index, *, together: bool
) -> Iterator[Remark]:
    """Yield the machines' roles on this stack's buckets, and buckets used without a role.

    A role may be granted in another way, as by a policy of the project: then this yields nothing.
    """
    buckets = list(_buckets(launch, index))
    if launch.get(_SCRIPT) is not None:
        yield (
            True,
            " ".join(["a start-up script", *(f"with {resource.name}" for resource in buckets)]),
        )
    if launch.hidden:
        return
    started = list(script_programs.started_programs(launch, together=together))
    if launch.get("serviceAccount") is None:
        for bucket in buckets:
            yield False, f"its script uses the bucket {bucket.name}, and it has no service account"
        for program in started:
            yield False, f"its script starts {program.name}, and it has no service account"
        return
    accounts = launch.targets(index, "serviceAccount", resource_types.ACCOUNT, "email")
    account = None if accounts is None else accounts.only
    if account is None:
        return
    yield True, f"machines that act as {account.name}"
    grants = list(_grants(account, index))
    for grant, bucket in grants:
        yield True, _grant_text(grant, bucket)
    yield from script_programs.missing_roles(started, account, index)
    granted_urns = {bucket.urn for _, bucket in grants}
    for bucket in buckets:
        if bucket.urn not in granted_urns and not _may_have_other_role(account, bucket, index):
            script_use_text = f"its script uses the bucket {bucket.name}"
            yield False, f"{script_use_text}, and {account.name} has no role on it"


def _buckets(launch: LaunchSources, index: Index) -> Iterator[Resource]:
    """Yield the buckets of this stack that a start-up script is written from, each once."""
    buckets: dict[str, Resource] = {}
    for key in _SCRIPTS:
        layer, _ = launch.stating_layer_and_value(key)
        for resource in () if layer is None else index.related_resources(layer, key):
            if resource.type == resource_types.BUCKET:
                buckets[resource.urn] = resource
    yield from buckets.values()


def _grants(account: Resource, index: Index) -> Iterator[tuple[Resource, Resource]]:
    """Yield each grant of a role to an account on a bucket of this stack, with the bucket."""
    for grant in index.referrers(account, resource_types.BUCKET_MEMBER, "member").certain:
        for bucket in index.targets(grant, "bucket", resource_types.BUCKET).certain:
            yield grant, bucket


def _grant_text(grant: Resource, bucket: Resource) -> str:
    role = text(grant.inputs.get("role"))
    name = last_part(role) if isinstance(role, str) else "a role"
    condition = grant.inputs.get("condition")
    if condition is None:
        return f"{name} on all of {bucket.name}"
    title = text(at(condition, "title"))
    return f"{name} on a part of {bucket.name} ({title if isinstance(title, str) else '…'})"


def _may_have_other_role(account: Resource, bucket: Resource, index: Index) -> bool:
    """Return whether an account may have a role on a bucket in another way."""
    members = index.of_kind(resource_types.BUCKET_MEMBER)
    has_unread_members = not all(_is_read(member, index) for member in members)
    policies: Sequence[Resource] = [
        *index.of_kind(resource_types.BUCKET_POLICY),
        *(resource for kind in resource_types.POLICIES for resource in index.of_kind(kind)),
    ]
    acls = index.referrers(bucket, resource_types.BUCKET_ACL, "bucket")
    grants = (
        grant
        for kind, prop in _OTHER_GRANT_TYPES
        for grant in index.of_kind(kind)
        if _may_name(grant, prop, account, index) and _may_open(grant)
    )
    return bool(has_unread_members or policies or acls.certain or any(True for _ in grants))


def _is_read(member: Resource, index: Index) -> bool:
    bucket = index.targets(member, "bucket", resource_types.BUCKET)
    return _is_exact(bucket) and (
        isinstance(member.inputs.get("member"), str)
        or _is_exact(index.targets(member, "member", resource_types.ACCOUNT))
    )


def _is_exact(targets: Targets) -> bool:
    return targets.exact and bool(targets.certain)


def _may_name(grant: Resource, prop: str, account: Resource, index: Index) -> bool:
    targets = index.targets(grant, prop, resource_types.ACCOUNT)
    is_ours = account.urn in {resource.urn for resource in (*targets.certain, *targets.possible)}
    has_unknowns = UNKNOWN in as_list(grant.inputs.get(prop))
    return is_ours or (has_unknowns and not targets.exact)


def _may_open(grant: Resource) -> bool:
    """Return whether a role may open objects: a storage, basic or custom role."""
    role: Any = text(grant.inputs.get("role"))
    if not isinstance(role, str) or not role.startswith("roles/"):
        return True
    return _STORAGE_SERVICE in role or role.endswith("viewer") or gives_everything(role)
