"""The Google Cloud inputs that refer to existing resources, and the check of them.

Not checked: images and snapshots (the sandbox does not know all of Google's), reservations, users
and groups, which are no resources of a project. Every project has the network `default`, with a
subnetwork of that name in each region, and the default service account of Compute Engine.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts, records
from gpuinfra.sandbox.plugin.gcp import places, resource_names
from gpuinfra.sandbox.plugin.operation_context import OperationContext, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTarget:
    """A kind of reference target.

    Attributes:
        types: the Pulumi types that make it.
        collection: its name in paths, for example `networks`.
        scope: where a bare name is looked for: global, region, zone, or place for the referring
            resource's own; empty where a reference is a whole name that `key` holds.
        key: the output that holds the reference where it is no path.
        blocks_deletion: whether it can't be deleted while something refers to it.
        service: whose words a refusal has: compute, or another service's.
    """

    types: tuple[str, ...]
    collection: str = ""
    scope: str = ""
    key: str = ""
    blocks_deletion: bool = True
    service: str = "compute"


KINDS = records("gcp", "kinds", ReferenceTarget)

# Input path -> kind of thing.
REFERENCES: dict[str, dict[str, str]] = facts("gcp", "references")
_USER_ACCOUNTS = ".iam.gserviceaccount.com"


def verify(context: OperationContext) -> None:
    """Raise the cloud's refusal for the first reference whose target does not exist."""
    call = context.call
    for path, name in REFERENCES.get(call.token, {}).items():
        for place, value in values_at(call.inputs, path):
            target_path = reference(call, name, value)
            if target_path is not None and not _exists(context, KINDS[name], target_path):
                raise _not_found_error(KINDS[name], place, target_path)


def blocking_references(context: OperationContext, resource_id: str) -> Iterator[Record]:
    """Yield the records whose references prevent the deletion of a resource."""
    call = context.call
    for token, references in REFERENCES.items():
        holding = {
            path: name
            for path, name in references.items()
            if KINDS[name].blocks_deletion and call.token in KINDS[name].types
        }
        for record in context.records(token) if holding else ():
            if record.urn != call.urn and _refers(record, holding, resource_id, call):
                yield record


def reference(call: Call, name: str, value: Any) -> str | None:
    """Return a reference's target as a full path or name; None if it is not checked."""
    kind = KINDS[name]
    if not isinstance(value, str) or not value:
        return None
    if name == "service-account":
        return _account(value, {call.inputs.get("project"), call.settings.account.get("project")})
    if name == "custom-role":
        return value if value.startswith("projects/") else None
    if name == "address" and "/" not in value:
        return None  # an IP address itself
    if not kind.scope:
        return resource_names.last_segment(value)
    place = _SCOPES[kind.scope](call)
    return resource_names.full_path(
        value, kind.collection, str(call.inputs.get("project", "")), place
    )


def target(context: OperationContext, name: str, value: Any) -> Mapping[str, Any]:
    """Return the outputs of a reference's target; empty if it is missing."""
    path = reference(context.call, name, value)
    record = _record(context, KINDS[name], path) if path else None
    return record.properties if record else {}


def _exists(context: OperationContext, kind: ReferenceTarget, path: str) -> bool:
    if resource_names.last_segment(path) == "default" and kind.collection in (
        "networks",
        "subnetworks",
    ):
        return True
    return _record(context, kind, path) is not None


def _record(context: OperationContext, kind: ReferenceTarget, path: str) -> Record | None:
    for token in kind.types:
        for record in context.records(token):
            if path == record.id or (kind.key and _key(record, kind) == path):
                return record
    return None


def _key(record: Record, kind: ReferenceTarget) -> str:
    value = str(record.properties.get(kind.key, ""))
    return resource_names.relative(value)


def _refers(record: Record, holding: Mapping[str, str], resource_id: str, call: Call) -> bool:
    other = Call(
        record.type,
        record.name,
        record.urn,
        record.properties,
        record.region,
        call.client,
        call.settings,
    )
    own = {resource_id}
    group = call.inputs.get("instanceGroup")
    if isinstance(group, str):
        own.add(resource_names.relative(group))
    address = call.inputs.get("address")
    if isinstance(address, str) and record.type.endswith("orwardingRule"):
        own.add(address)
    return any(
        reference(other, name, value) in own or value in own
        for path, name in holding.items()
        for _, value in values_at(record.properties, path)
    )


def _not_found_error(kind: ReferenceTarget, place: str, path: str) -> CloudRefusalError:
    if kind.service == "compute":
        return CloudRefusalError(
            "invalid",
            f"Error 400: Invalid value for field 'resource.{place}': "
            f"'{resource_names.COMPUTE}{path}'. The referenced resource does not exist.",
        )
    if kind.service == "iam":
        noun = "Service account" if "@" in path else "Role"
        return CloudRefusalError("badRequest", f"Error 400: {noun} {path} does not exist.")
    if kind.service == "storage":
        return CloudRefusalError(
            "notFound", f"Error 404: The specified bucket {path} does not exist."
        )
    return CloudRefusalError("notFound", f"Error 404: Not found: {path}.")


def _account(value: str, projects: set[Any]) -> str | None:
    """Return the e-mail address of an account in the projects; None for others."""
    kind, _, email = value.rpartition(":")
    owner = email.partition("@")[2].removesuffix(_USER_ACCOUNTS)
    is_of_stack = kind in ("", "serviceAccount") and owner in projects
    return email if is_of_stack and email.endswith(_USER_ACCOUNTS) else None


def default_account() -> str:
    """Return the e-mail address of the Compute Engine default service account."""
    return f"{resource_names.PROJECT_NUMBER}-compute@developer.gserviceaccount.com"


def _region(call: Call) -> str:
    stated_region = call.inputs.get("region")
    return str(stated_region or places.region_of(call.region) or call.settings.place)


def _call_place(call: Call) -> str:
    return f"{'zones' if places.is_zone(call.region) else 'regions'}/{call.region}"


_SCOPES: dict[str, Callable[[Call], str]] = {
    "global": lambda _call: "global",
    "location": lambda call: f"locations/{call.region}",
    "place": _call_place,
    "region": lambda call: f"regions/{_region(call)}",
    "whole": lambda _call: "global",
    "zone": lambda call: f"zones/{call.region}",
}
