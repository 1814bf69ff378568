"""The parts that Azure completes: ids of rules and pools, addresses, identities."""

from collections.abc import Sequence
from typing import Any

from gpuinfra.sandbox.plugin import forms
from gpuinfra.sandbox.plugin.azure import addresses, ids
from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Inputs
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.wire import UNKNOWN, has_unknown

# Lists whose items are resources of their own within the resource, by the paths of the network
# API (azure-rest-api-specs, network.json 2024-05-01).
_PARTS = facts("azure-native", "parts")
_PARTS_WITH_ADDRESS = ("ipConfigurations", "frontendIPConfigurations")
# What Azure returns in a part and never accepts as an input.
_READ_ONLY = ("etag", "id", "provisioningState")
_SYSTEM = "SystemAssigned"


def created_parts(
    token: str, context: OperationContext, resource_id: str, old: Inputs
) -> dict[str, Any]:
    """Return the lists of parts and the identity as Azure completes them."""
    inputs = context.call.inputs
    outputs: dict[str, Any] = {}
    used_addresses: set[str] = set()
    for key in _listed_parts(token, inputs):
        before = _items_by_name(old.get(key))
        items = []
        for item in inputs[key]:
            part = {**item, "id": f"{resource_id}/{key}/{item.get('name', '')}"}
            if key in _PARTS_WITH_ADDRESS:
                part |= _address(context, item, before.get(item.get("name"), {}), used_addresses)
            items.append(part)
        outputs[key] = items
    identity = _identity(inputs)
    if identity is not None:
        outputs["identity"] = _completed_identity(identity, old.get("identity") or {}, context)
    return outputs


def preview_outputs(token: str, inputs: Inputs, old: Inputs) -> dict[str, Any]:
    """Return the outputs at a preview; unknown where the state has no value."""
    outputs: dict[str, Any] = {}
    for key in _listed_parts(token, inputs):
        old_items = _items_by_name(old.get(key))
        outputs[key] = [
            _preview_part(key, item, old_items.get(item.get("name"), {})) for item in inputs[key]
        ]
    identity = _identity(inputs)
    if identity is not None:
        outputs["identity"] = _preview_identity(identity, old.get("identity") or {})
    return outputs


def importable(resource_type: ResourceType, inputs: Inputs) -> dict[str, Any]:
    """Return the inputs of an import without values that only Azure sets."""
    excluded = {"id", "name"} - set(ids.slots(resource_type.id_form))
    if inputs.get("type") == ids.api_type(resource_type.token):
        excluded.add("type")
    properties = {key: value for key, value in inputs.items() if key not in excluded}
    for key in _listed_parts(resource_type.token, inputs):
        properties[key] = [_without_read_only(item) for item in inputs[key]]
    identity = inputs.get("identity")
    if isinstance(identity, dict):
        users = identity.get("userAssignedIdentities")
        properties["identity"] = {"type": identity.get("type")}
        if users:
            properties["identity"]["userAssignedIdentities"] = sorted(users)
    return properties


def _listed_parts(token: str, inputs: Inputs) -> Sequence[str]:
    return [key for key in _PARTS.get(token, ()) if isinstance(inputs.get(key), list)]


def _items_by_name(items: Any) -> dict[Any, Inputs]:
    return {item.get("name"): item for item in items or () if isinstance(item, dict)}


def _preview_part(key: str, item: Inputs, before: Inputs) -> dict[str, Any]:
    part = {**item, "id": before.get("id", UNKNOWN)}
    if key in _PARTS_WITH_ADDRESS and item.get("subnet") and not item.get("privateIPAddress"):
        part["privateIPAddress"] = before.get("privateIPAddress", UNKNOWN)
    return part


def _address(
    context: OperationContext, item: Inputs, before: Inputs, used_addresses: set[str]
) -> dict[str, Any]:
    """Return a configuration's private address: the one set, the previous, or the next."""
    subnet = (item.get("subnet") or {}).get("id")
    if not isinstance(subnet, str) or item.get("privateIPAddress"):
        return {}
    has_moved = (before.get("subnet") or {}).get("id") != subnet
    address = None if has_moved else before.get("privateIPAddress")
    address = address or addresses.next_free_address(
        context.records, subnet, frozenset(used_addresses)
    )
    if address is None:
        within = addresses.prefix(context.records, subnet)
        if within is None:
            return {}
        raise CloudRefusalError(
            "SubnetIsFull",
            f"Subnet {subnet.rsplit('/', 1)[-1]} with address prefix {within} does not have "
            "enough capacity for 1 IP addresses.",
        )
    used_addresses.add(address)
    return {
        "privateIPAddress": address,
        "privateIPAllocationMethod": item.get("privateIPAllocationMethod") or "Dynamic",
    }


def _identity(inputs: Inputs) -> Inputs | None:
    """Return the identity; None if its type is unknown."""
    identity = inputs.get("identity")
    is_identity = isinstance(identity, dict) and isinstance(identity.get("type"), str)
    return identity if is_identity else None


def _preview_identity(identity: Inputs, before: Inputs) -> dict[str, Any]:
    answer = dict(identity)
    if _SYSTEM in str(identity["type"]):
        answer |= {key: before.get(key, UNKNOWN) for key in ("principalId", "tenantId")}
    users = identity.get("userAssignedIdentities")
    if users is not None:
        known = before.get("userAssignedIdentities") or {}
        are_users_same = (
            isinstance(users, list) and not has_unknown(users) and known.keys() == set(users)
        )
        answer["userAssignedIdentities"] = known if are_users_same else UNKNOWN
    return answer


def _completed_identity(
    identity: Inputs, before: Inputs, context: OperationContext
) -> dict[str, Any]:
    answer = dict(identity)
    if _SYSTEM in str(identity["type"]):
        known = before.get("principalId")
        answer["principalId"] = known or forms.fill("<uuid>", {})
        answer["tenantId"] = context.call.settings.account["tenantId"]
    users = identity.get("userAssignedIdentities")
    if isinstance(users, list):
        answer["userAssignedIdentities"] = {user: _user(context, user) for user in users}
    return answer


def _user(context: OperationContext, user: str) -> dict[str, Any]:
    record = ids.record(context.records, user)
    properties = record.properties if record else {}
    return {key: properties[key] for key in ("clientId", "principalId") if key in properties}


def _without_read_only(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    part = {key: value for key, value in item.items() if key not in _READ_ONLY}
    if part.get("privateIPAllocationMethod") == "Dynamic":
        part.pop("privateIPAddress", None)
        part.pop("privateIPAllocationMethod")
    return part
