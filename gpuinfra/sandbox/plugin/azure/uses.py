"""What Azure does not delete while something uses it, and what it deletes along."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.references import users
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.world import World

_NESTED_LEFT = "CannotDeleteResource"


@dataclass(frozen=True, slots=True)
class _Guard:
    """How Azure refuses: {id}, {name} of the resource, {users} of it, {source} of the words."""

    code: str
    message: str
    source: str


_SUBNET = _Guard(
    "InUseSubnetCannotBeDeleted",
    "Subnet {name} is in use by {users} and cannot be deleted. In order to delete the subnet, "
    "delete all the resources within the subnet. See aka.ms/deletesubnet.",
    "https://github.com/hashicorp/terraform-provider-azurerm/issues/4784",
)
_GUARDS: dict[str, _Guard] = {
    "azure-native:network:Subnet": _SUBNET,
    "azure-native:network:VirtualNetwork": _SUBNET,
    "azure-native:network:NetworkSecurityGroup": _Guard(
        "InUseNetworkSecurityGroupCannotBeDeleted",
        "Network security group {id} cannot be deleted because it is in use by the following "
        "resources: {users}. In order to delete the Network security group, remove the "
        "association with the resource(s). To learn how to do this, see aka.ms/deletensg.",
        "https://github.com/pulumi/pulumi-azure-native/issues/3051",
    ),
    "azure-native:network:NatGateway": _Guard(
        "InUseNatGatewayCannotBeDeleted",
        "NAT gateway {id} cannot be deleted because it is in use by the following resources: "
        "{users}. In order to delete it, remove the association with the resource(s).",
        "https://github.com/stackshy/cloudemu/pull/967",
    ),
    "azure-native:network:PublicIPAddress": _Guard(
        "PublicIPAddressCannotBeDeleted",
        "Public IP address {id} can not be deleted since it is still allocated to resource "
        "{users}. In order to delete the public IP, disassociate/detach the Public IP address "
        "from the resource. To learn how to do this, see aka.ms/deletepublicip.",
        "https://github.com/skyplane-project/skyplane/issues/296",
    ),
    "azure-native:network:NetworkInterface": _Guard(
        "NicInUse",
        "Network Interface {id} is used by existing resource {users}. In order to delete the "
        "network interface, it must be dissociated from the resource. To learn more, see "
        "aka.ms/deletenic.",
        "https://github.com/hashicorp/terraform-provider-azurerm/issues/8105",
    ),
    "azure-native:network:LoadBalancer": _Guard(
        "LoadBalancerInUseByVirtualMachineScaleSet",
        "Cannot delete load balancer {id} since its child resources are in use by virtual "
        "machine scale set {users}.",
        "https://github.com/kubernetes-sigs/cluster-api-provider-azure/issues/3163",
    ),
    "azure-native:compute:Disk": _Guard(
        "OperationNotAllowed",
        "Disk {name} is attached to VM {users}.",
        "https://github.com/ansible/ansible/pull/54644",
    ),
}
# Nested resources that Azure Resource Manager tracks by themselves, so that their parent stays
# until they are gone: https://learn.microsoft.com/azure/azure-resource-manager/management/
# delete-resource-group and the private DNS FAQ.
_TRACKED = frozenset(
    {"azure-native:privatedns:VirtualNetworkLink", "azure-native:compute:CapacityReservation"}
)

IN_USE = frozenset({_NESTED_LEFT, *(guard.code for guard in _GUARDS.values())})


def release(world: World, resource_id: str) -> None:
    """Raise Azure's refusal to delete the resource while something else uses it.

    A resource group goes with all that it holds, unless something outside it uses a part.
    """
    if world.call.token == ids.RESOURCE_GROUP:
        for held in within(world, resource_id):
            outside = _users(world, held.type, held.id)
            _refuse(held, [record for record in outside if not ids.within(record.id, resource_id)])
        return
    own = ids.record(world.records, resource_id)
    if own is None:
        return
    tracked = _TRACKED & set(ids.types_within(own.type))
    nested = (
        [record for record in within(world, resource_id) if record.type in tracked]
        if tracked
        else []
    )
    if nested:
        named = ", ".join(record.id for record in nested)
        raise CloudRefusalError(
            _NESTED_LEFT,
            "Cannot delete resource while nested resources exist. Some existing nested resource "
            f"IDs include: '{named}'. Please delete all nested resources before deleting this "
            "resource.",
        )
    _refuse(own, _users(world, own.type, resource_id))


def within(world: World, resource_id: str) -> list[Record]:
    """What goes with the resource: all that is nested in it or granted on it."""
    return ids.standing_within(world.records, world.call.token, resource_id)


def _users(world: World, token: str, resource_id: str) -> list[Record]:
    return users(world.records, token, resource_id) if token in _GUARDS else []


def _refuse(own: Record, records: Sequence[Record]) -> None:
    guard = _GUARDS.get(own.type)
    if guard is None or not records:
        return
    name = own.id.rsplit("/", 1)[-1]
    message = guard.message.format(
        id=own.id, name=name, users=", ".join(record.id for record in records)
    )
    raise CloudRefusalError(guard.code, f"{message} [{guard.source}]")
