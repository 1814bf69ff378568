"""The Azure inputs that refer to existing resources, and the check of them.

Not checked: image ids, principals, role definitions (the sandbox knows none of Azure's own), and
all ids without a type in the tables.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.ids import Records
from gpuinfra.sandbox.plugin.azure.locations import normal
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext, values_at

VNET = "Microsoft.Network/virtualNetworks"
ZONE = "Microsoft.Network/privateDnsZones"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities"


# Input path -> the type, in Azure's words, that its id must name; empty for any type.
REFERENCES: dict[str, dict[str, str]] = facts(ids.PACKAGE, "references")

# What these types refer to must stand in their own location; the refusal is the same as for what
# is not there (github.com/microsoft/CromwellOnAzure/issues/231).
_LOCAL = ("Microsoft.Network/", "Microsoft.Compute/")
_EVERYWHERE = (ZONE, VNET)  # a zone is global, and virtual networks are peered across regions


def verify(context: OperationContext, resource_id: str) -> None:
    """Raise Azure's error if the group, the parent or a referenced resource is missing."""
    _group_stands(context, resource_id)
    _parent_stands(context, resource_id)
    seen: set[str] = set()
    for path, type_name, value in named_references(context.call.token, context.call.inputs):
        if value not in seen:
            seen.add(value)
            _require_existing(context, resource_id, (path, type_name, value))


def named_references(token: str, inputs: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the path, the target's type and the id of every reference in the inputs."""
    for path, type_name in REFERENCES.get(token.removeprefix(f"{ids.PACKAGE}:"), {}).items():
        for spelled, value in values_at(inputs, path):
            if isinstance(value, str) and value:
                yield spelled, type_name, value


def referring_resources(records: Records, token: str, resource_id: str) -> list[Record]:
    """Return resources that refer to this one or to a part of it, except nested ones."""
    return [
        record
        for user in _referring_types(token)
        for record in records(user)
        if not _same_or_within(record.id, resource_id)
        and any(
            _same_or_within(value, resource_id)
            for _, _, value in named_references(record.type, record.properties)
        )
    ]


@cache
def _referring_types(token: str) -> tuple[str, ...]:
    """Return the types that may refer to this type or to a part of it."""
    api_type = ids.api_type(token).lower()
    return tuple(
        f"{ids.PACKAGE}:{short}"
        for short, paths in REFERENCES.items()
        if any(
            f"{path.lower()}/".startswith(f"{api_type}/") or not path for path in paths.values()
        )
    )


def _group_stands(context: OperationContext, resource_id: str) -> None:
    if context.call.token == ids.RESOURCE_GROUP:
        return
    name = context.call.inputs.get("resourceGroupName")
    group = resource_id.split("/providers/", 1)[0]
    if name and ids.record(context.records, group) is None:
        raise CloudRefusalError(
            "ResourceGroupNotFound", f"Resource group '{name}' could not be found."
        )


def _parent_stands(context: OperationContext, resource_id: str) -> None:
    outer = ids.parent(resource_id)
    if outer is not None and outer.endswith("/default"):
        outer = ids.parent(outer)  # there with its own parent, as the blob service of an account
    if outer is not None and not _exists(context.records, outer):
        raise CloudRefusalError(
            "ParentResourceNotFound",
            "Can not perform requested operation on nested resource. Parent resource "
            f"'{outer.rsplit('/', 1)[-1]}' not found.",
        )


def _require_existing(
    context: OperationContext, resource_id: str, reference: tuple[str, str, str]
) -> None:
    path, type_name, value = reference
    parsed = ids.parse(value)
    if parsed is None:
        if type_name or not value.lower().startswith(("/subscriptions/", "/providers/")):
            raise _malformed_id_error(path, value)
        return  # a subscription or a management group
    if type_name and parsed.type.lower() != type_name.lower():
        raise CloudRefusalError(
            "InvalidResourceReference",
            f"Resource {value} referenced by resource {resource_id} is a {parsed.type}; property "
            f"'{path}' takes a {type_name}.",
        )
    if ids.is_within(value, resource_id):
        is_missing = _lacks_own_part(context.call.inputs, value, parsed)
    else:
        known = type_name or ids.token_of(value)
        is_missing = bool(known) and not _exists(
            context.records, value, _required_location(context, resource_id, parsed)
        )
    if is_missing:
        local = ids.api_type(context.call.token).startswith(_LOCAL)
        raise _not_found(resource_id, value, parsed, local)


def _exists(records: Records, resource_id: str, location: str = "") -> bool:
    outer = ids.parent(resource_id)
    record = ids.record(records, resource_id)
    if record is None and ids.inline(records, resource_id) is None:
        return False
    located = record if record is not None and "location" in record.properties else None
    holder = located or (ids.record(records, outer) if outer else None)
    stands = normal(str((holder.properties if holder else {}).get("location") or ""))
    return not location or not stands or stands == location


def _required_location(context: OperationContext, resource_id: str, parsed: ids.ResourceId) -> str:
    """Return the required location of a reference's target; empty for any."""
    local = ids.api_type(context.call.token).startswith(_LOCAL) and parsed.type.startswith(_LOCAL)
    if not local or parsed.type in _EVERYWHERE:
        return ""
    outer = ids.parent(resource_id)
    holder = ids.record(context.records, outer) if outer else None
    inputs = holder.properties if holder else context.call.inputs
    return normal(str(inputs.get("location") or ""))


def _lacks_own_part(inputs: Any, value: str, parsed: ids.ResourceId) -> bool:
    """Return whether the resource lacks a part of its own to which it refers."""
    items = next(
        (items for key, items in inputs.items() if key.lower() == parsed.types[-1].lower()), None
    )
    names = {str(item.get("name", "")).lower() for item in items or () if isinstance(item, dict)}
    return value.rsplit("/", 1)[-1].lower() not in names


def _same_or_within(resource_id: str, outer: str) -> bool:
    return ids.canonical_id(resource_id) == ids.canonical_id(outer) or ids.is_within(
        resource_id, outer
    )


def _malformed_id_error(path: str, value: str) -> CloudRefusalError:
    return CloudRefusalError(
        "LinkedInvalidPropertyId",
        f"Property id '{value}' at path '{path}' is invalid. Expect fully qualified resource Id "
        "that start with '/subscriptions/{subscriptionId}' or "
        "'/providers/{resourceProviderNamespace}/'.",
    )


def _not_found(
    resource_id: str, value: str, parsed: ids.ResourceId, local: bool
) -> CloudRefusalError:
    if parsed.type == "Microsoft.Resources/resourceGroups":
        return CloudRefusalError(
            "ResourceGroupNotFound", f"Resource group '{parsed.name}' could not be found."
        )
    if parsed.type == IDENTITY:
        return CloudRefusalError(
            "FailedIdentityOperation",
            f"Identity operation for resource '{resource_id}' failed: Resource '{value}' was "
            "not found.",
        )
    if local and parsed.type.startswith(_LOCAL):
        return CloudRefusalError(
            "InvalidResourceReference",
            f"Resource {value} referenced by resource {resource_id} was not found. Please make "
            "sure that the referenced resource exists, and that both resources are in the same "
            "region.",
        )
    group = parsed.scope.rsplit("/", 1)[-1]
    return CloudRefusalError(
        "ResourceNotFound",
        f"The Resource '{parsed.type}/{parsed.name}' under resource group '{group}' was not "
        "found. For more details please go to https://aka.ms/ARMResourceNotFoundFix",
    )
