"""Azure's checks against existing resources: address ranges, mismatched SKUs, duplicates."""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network
from typing import Any

from gpuinfra.sandbox.plugin.azure import addresses, ids
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.operation_context import OperationContext, values_at
from gpuinfra.sandbox.plugin.refusing import RefusalRule, Refusals, refuse

_VNET = "azure-native:network:VirtualNetwork"
_SUBNET = "azure-native:network:Subnet"
_BALANCER = "azure-native:network:LoadBalancer"
_SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
_ROLE = "azure-native:authorization:RoleAssignment"
_CONTAINER = "azure-native:storage:BlobContainer"
_RANGES = "https://github.com/MicrosoftDocs/azure-docs/pull/123869"


def verify(context: OperationContext, own_id: str) -> None:
    """Raise the first refusal for this resource; the message names its source."""
    _is_new(context, own_id)
    refuse(context, RULES, own_id)


def _is_new(context: OperationContext, own_id: str) -> None:
    """Refuse a resource that already exists, as azure-native does before it creates (crud.go)."""
    record = ids.record(context.records, own_id)
    if record is not None and record.urn != context.call.urn:
        raise CloudRefusalError(
            "AlreadyExists", f"cannot create already existing resource '{own_id}'"
        )


def _subnet_range(context: OperationContext, own_id: str) -> Refusals:
    holder = ids.record(context.records, ids.parent(own_id) or "")
    if holder is None:
        return
    name = own_id.rsplit("/", 1)[-1]
    others = [
        record.properties
        for record in context.records(_SUBNET)
        if ids.is_within(record.id, holder.id)
        and ids.canonical_id(record.id) != ids.canonical_id(own_id)
    ]
    inline = holder.properties.get("subnets") or ()
    others += [item for item in inline if item.get("name") != name]
    vnet = holder.id.rsplit("/", 1)[-1]
    yield from _subnet_range_refusals(name, context.call.inputs, (vnet, holder.properties), others)


def _inline_ranges(context: OperationContext, own_id: str) -> Refusals:
    vnet = own_id.rsplit("/", 1)[-1]
    earlier_subnets: list[Mapping[str, Any]] = []
    for item in context.call.inputs.get("subnets") or ():
        name = str(item.get("name"))
        yield from _subnet_range_refusals(name, item, (vnet, context.call.inputs), earlier_subnets)
        earlier_subnets.append(item)


def _subnet_range_refusals(
    name: str,
    subnet: Mapping[str, Any],
    vnet: tuple[str, Mapping[str, Any]],
    others: Sequence[Mapping[str, Any]],
) -> Refusals:
    vnet_name, properties = vnet
    space = _networks((properties.get("addressSpace") or {}).get("addressPrefixes"))
    other_ranges = [span for other in others for span in _ranges(other)]
    for within in _ranges(subnet):
        if not any(within.subnet_of(network_range) for network_range in space):
            yield CloudRefusalError(
                "NetcfgSubnetRangeOutsideVnet",
                f"Subnet '{name}' is not valid because its IP address range is outside the IP "
                f"address range of virtual network '{vnet_name}'.",
            )
        if any(within.overlaps(other) for other in other_ranges):
            yield CloudRefusalError(
                "NetcfgSubnetRangesOverlap",
                f"Subnet '{name}' is not valid because its IP address range overlaps with that of "
                f"an existing subnet in virtual network '{vnet_name}'.",
            )


def _ranges(subnet: Mapping[str, Any]) -> list[IPv4Network]:
    return _networks([subnet.get("addressPrefix"), *(subnet.get("addressPrefixes") or ())])


def _networks(texts: Any) -> list[IPv4Network]:
    return [parsed for text in texts or () if (parsed := addresses.network(text)) is not None]


def _same_sku(context: OperationContext, own_id: str) -> Refusals:
    sku = _sku(context.call.inputs)
    for _, value in values_at(
        context.call.inputs, "frontendIPConfigurations[].publicIPAddress.id"
    ):
        address = ids.record(context.records, str(value))
        if address is not None and _sku(address.properties) != sku:
            yield CloudRefusalError(
                "PublicIPAndLBSkuDoNotMatch",
                f"{sku} sku load balancer {own_id} cannot reference {_sku(address.properties)} "
                f"sku publicIP {address.id}.",
            )


def _sku(inputs: Mapping[str, Any]) -> str:
    return str((inputs.get("sku") or {}).get("name") or "Basic")


def _fits_the_subnet(context: OperationContext, own_id: str) -> Refusals:
    for subnet, count in addresses.addresses_by_subnet(context.call.inputs).items():
        free_count = addresses.free_addresses(context.records, subnet, own_id)
        if free_count is not None and count > free_count:
            record = ids.record(context.records, subnet)
            name = (record.id if record else subnet).rsplit("/", 1)[-1]
            yield CloudRefusalError(
                "SubnetIsFull",
                f"Subnet {name} with address prefix {addresses.prefix(context.records, subnet)} "
                f"does not have enough capacity for {count} IP addresses.",
            )


def _granted_once(context: OperationContext, own_id: str) -> Refusals:
    keys = ("scope", "principalId", "roleDefinitionId")
    declared = [ids.canonical_id(str(context.call.inputs.get(key))) for key in keys]
    for record in context.records(_ROLE):
        is_same = [ids.canonical_id(str(record.properties.get(key))) for key in keys] == declared
        if is_same and ids.canonical_id(record.id) != ids.canonical_id(own_id):
            yield CloudRefusalError("RoleAssignmentExists", "The role assignment already exists.")


def _public_as_allowed(context: OperationContext, own_id: str) -> Refusals:
    is_public = context.call.inputs.get("publicAccess") not in (None, "None")
    account = ids.record(context.records, own_id.split("/blobServices/", 1)[0])
    if is_public and account and account.properties.get("allowBlobPublicAccess") is not True:
        yield CloudRefusalError(
            "PublicAccessNotPermitted",
            "Public access is not permitted on this storage account.",
        )


RULES: tuple[RefusalRule, ...] = (
    RefusalRule((_SUBNET,), _subnet_range, _RANGES),
    RefusalRule((_VNET,), _inline_ranges, _RANGES),
    RefusalRule(
        (_BALANCER,),
        _same_sku,
        "https://github.com/Azure/terraform-azurerm-loadbalancer/issues/32",
    ),
    RefusalRule(
        (_SCALE_SET,),
        _fits_the_subnet,
        "https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq",
    ),
    RefusalRule(
        (_ROLE,),
        _granted_once,
        "https://learn.microsoft.com/azure/role-based-access-control/troubleshooting",
    ),
    RefusalRule(
        (_CONTAINER,),
        _public_as_allowed,
        "https://learn.microsoft.com/azure/storage/blobs/anonymous-read-access-prevent",
    ),
)
