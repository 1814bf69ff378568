"""The scale set's model of a machine: its start, its resources and its purchase."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure import payload
from gpuinfra.clouds.azure.declare import placeholder_ssh_key
from gpuinfra.clouds.azure.declare.identity import DeclaredIdentity
from gpuinfra.clouds.azure.declare.image import DeclaredImage
from gpuinfra.clouds.azure.machines import Capabilities, capabilities
from gpuinfra.clouds.azure.regions import zone_number
from gpuinfra.clouds.billing import gib
from gpuinfra.errors import InputError
from gpuinfra.graph import format_values
from gpuinfra.model import Rung
from gpuinfra.records import record
from gpuinfra.specs.schema import Disk

NETWORK_API: Final = "2022-11-01"
"""A flexible scale set makes the interfaces itself, and wants to know by which interface."""

WARNING: Final = "PT5M"
"""How long before a regular machine is deleted it is told, in its scheduled events; Azure takes 5
to 15 minutes, and none for spot, which has 30 seconds of its own:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-terminate-notification
"""

ANY_PRICE: Final = -1.0
"""Up to the on-demand price: https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot
"""


@record
class LaunchSpec:
    """The settings of a scale set for its machines.

    Attributes:
        name: of the workload, the start of the machines' own names.
        type: their size, in Azure's word.
        disk: their own disk.
        image: their image.
        identity: their managed identity.
        subnet: their subnet.
        firewall: what filters their interface.
        start: their start-up script.
        spot: whether they are, or may be, spot machines.
        spot_price: the most that one may cost, in USD an hour; up to on demand when None.
        flexible: whether the scale set is a flexible one.
        backend: the load balancer's address pool, when they serve.
        health: what says that one is well, when they serve.
    """

    name: str
    type: str
    disk: Disk
    image: DeclaredImage
    identity: DeclaredIdentity
    subnet: Any
    firewall: Any
    start: Any
    spot: bool
    spot_price: Decimal | None = None
    flexible: bool = True
    backend: Any = None
    health: Mapping[str, Any] | None = None


def model(launch: LaunchSpec) -> Mapping[str, Any]:
    """Return the common settings of a scale set and its machines, for training or serving.

    Every value of it is what the plan was judged on.
    """
    return {
        "identity": {
            "type": "UserAssigned",
            "userAssignedIdentities": [launch.identity.id],
        },
        "virtualMachineProfile": {
            "osProfile": _system(launch),
            "storageProfile": _storage(launch),
            "networkProfile": _network(launch),
            **_security(launch, capabilities(launch.type)),
            **_market(launch),
            **({} if launch.health is None else {"extensionProfile": launch.health}),
        },
    }


def placement_arguments(rung: Rung) -> Mapping[str, Any]:
    """Return the zones of a scale set, if any are named; without them Azure chooses a place."""
    return {"zones": [zone_number(zone) for zone in rung.zones]} if rung.zones else {}


def _system(launch: LaunchSpec) -> Mapping[str, Any]:
    """Return the operating system's settings: no password, and a key without a private half."""
    path = f"/home/{placeholder_ssh_key.USER}/.ssh/authorized_keys"
    keys = [{"path": path, "keyData": placeholder_ssh_key.public_key()}]
    return {
        "computerNamePrefix": launch.name,
        "adminUsername": placeholder_ssh_key.USER,
        "linuxConfiguration": {
            "disablePasswordAuthentication": True,
            "ssh": {"publicKeys": keys},
        },
        "customData": format_values(partial(custom_data, launch.name), launch.start),
    }


def _storage(launch: LaunchSpec) -> Mapping[str, Any]:
    """Return the machine's own disk: premium SSD, encrypted, deleted with the machine."""
    return {
        "imageReference": dict(launch.image.reference),
        "osDisk": {
            "createOption": "FromImage",
            "diskSizeGB": gib(launch.disk.size),
            "managedDisk": {"storageAccountType": "Premium_LRS"},
        },
    }


def _network(launch: LaunchSpec) -> Mapping[str, Any]:
    """Return one interface with a private address; InfiniBand is never declared."""
    address: dict[str, Any] = {
        "name": "private",
        "primary": True,
        "subnet": {"id": launch.subnet},
    }
    if launch.backend is not None:
        address["loadBalancerBackendAddressPools"] = [{"id": launch.backend}]
    interface: dict[str, Any] = {
        "name": "primary",
        "primary": True,
        "networkSecurityGroup": {"id": launch.firewall},
        "ipConfigurations": [address],
    }
    if capabilities(launch.type).accelerated_networking:
        interface["enableAcceleratedNetworking"] = True
    network_version = {"networkApiVersion": NETWORK_API} if launch.flexible else {}
    return {"networkInterfaceConfigurations": [interface], **network_version}


def _security(launch: LaunchSpec, supported: Capabilities) -> Mapping[str, Any]:
    """Return trusted launch and encryption at host, where the tables say they are supported.

    Secure boot stays off: the image's NVIDIA and InfiniBand modules need not be signed. Both the
    size and the image have to take trusted launch. Encryption at host is a feature that the
    subscription has to be registered for, once:
    https://learn.microsoft.com/azure/virtual-machines/linux/disks-enable-host-based-encryption-cli
    """
    security: dict[str, Any] = {}
    if supported.encryption_at_host:
        security["encryptionAtHost"] = True
    if supported.trusted_launch and launch.image.trusted_launch:
        security["securityType"] = "TrustedLaunch"
        security["uefiSettings"] = {"secureBootEnabled": False, "vTpmEnabled": True}
    return {"securityProfile": security} if security else {}


def _market(launch: LaunchSpec) -> Mapping[str, Any]:
    """Return how the machines are bought; an evicted one is deleted with its billed disk."""
    if not launch.spot:
        notice = {"enable": True, "notBeforeTimeout": WARNING}
        return {
            "priority": "Regular",
            "scheduledEventsProfile": {"terminateNotificationProfile": notice},
        }
    price = ANY_PRICE if launch.spot_price is None else float(launch.spot_price)
    return {
        "priority": "Spot",
        "evictionPolicy": "Delete",
        "billingProfile": {"maxPrice": price},
    }


def custom_data(name: str, script: str) -> str:
    """Return custom data in the API's encoding.

    Raises:
        InputError: the names of the buckets made the script larger than Azure takes.
    """
    if not payload.is_accepted_by_azure(script):
        raise InputError.of(
            f"{name}: the start-up script is too long for Azure, with "
            f"{len(script.encode()):,} bytes",
            allowed=f"{payload.MAX_CUSTOM_DATA:,}",
            fix="shorten command, or mount fewer parts of buckets",
        )
    return payload.encode_script(script)
