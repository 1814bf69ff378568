"""The scale set's model of a machine: how it starts, what it stands on, how it is bought."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final

import pulumi

from gpuinfra.clouds.azure import payload
from gpuinfra.clouds.azure.build import nobody
from gpuinfra.clouds.azure.build.identity import Identity
from gpuinfra.clouds.azure.build.image import Image
from gpuinfra.clouds.azure.machines import Capabilities, capabilities
from gpuinfra.clouds.azure.regions import zone_number
from gpuinfra.clouds.footprint import gib
from gpuinfra.model import Rung
from gpuinfra.stackfile.schema import Disk

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a scale set says of its machines; run-time values where Azure makes them.

    Attributes:
        name: of the workload, the start of the machines' own names.
        type: their size, in Azure's word.
        disk: their own disk.
        image: what they start from.
        identity: what they act as.
        subnet: where they stand.
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
    image: Image
    identity: Identity
    subnet: pulumi.Input[str]
    firewall: pulumi.Input[str]
    start: pulumi.Input[str]
    spot: bool
    spot_price: Decimal | None = None
    flexible: bool = True
    backend: pulumi.Input[str] | None = None
    health: Mapping[str, Any] | None = None


def model(launch: Launch) -> Mapping[str, Any]:
    """What a scale set and its machines have in common, training or serving.

    Every value of it is what the plan was judged on.
    """
    return {
        "identity": {
            "type": "UserAssigned",
            "user_assigned_identities": [launch.identity.id],
        },
        "virtual_machine_profile": {
            "os_profile": _system(launch),
            "storage_profile": _storage(launch),
            "network_profile": _network(launch),
            **_security(launch, capabilities(launch.type)),
            **_market(launch),
            **({} if launch.health is None else {"extension_profile": launch.health}),
        },
    }


def placed(rung: Rung) -> Mapping[str, Any]:
    """The zones of a scale set, when some are wanted; Azure finds a place itself without any."""
    return {"zones": [zone_number(zone) for zone in rung.zones]} if rung.zones else {}


def _system(launch: Launch) -> Mapping[str, Any]:
    """The operating system: no password, and a key that nobody has."""
    keys = [{"path": f"/home/{nobody.USER}/.ssh/authorized_keys", "key_data": nobody.public_key()}]
    return {
        "computer_name_prefix": launch.name,
        "admin_username": nobody.USER,
        "linux_configuration": {
            "disable_password_authentication": True,
            "ssh": {"public_keys": keys},
        },
        "custom_data": pulumi.Output.from_input(launch.start).apply(partial(encoded, launch.name)),
    }


def _storage(launch: Launch) -> Mapping[str, Any]:
    """The machine's own disk: premium SSD, encrypted as every disk is, gone with the machine."""
    return {
        "image_reference": dict(launch.image.reference),
        "os_disk": {
            "create_option": "FromImage",
            "disk_size_gb": gib(launch.disk.size),
            "managed_disk": {"storage_account_type": "Premium_LRS"},
        },
    }


def _network(launch: Launch) -> Mapping[str, Any]:
    """One interface with a private address; InfiniBand is never declared."""
    address: dict[str, Any] = {
        "name": "private",
        "primary": True,
        "subnet": {"id": launch.subnet},
    }
    if launch.backend is not None:
        address["load_balancer_backend_address_pools"] = [{"id": launch.backend}]
    interface: dict[str, Any] = {
        "name": "primary",
        "primary": True,
        "network_security_group": {"id": launch.firewall},
        "ip_configurations": [address],
    }
    if capabilities(launch.type).accelerated_networking:
        interface["enable_accelerated_networking"] = True
    own = {"network_api_version": NETWORK_API} if launch.flexible else {}
    return {"network_interface_configurations": [interface], **own}


def _security(launch: Launch, able: Capabilities) -> Mapping[str, Any]:
    """Trusted launch and encryption at host, where the tables say that they are taken.

    Secure boot stays off: the image's NVIDIA and InfiniBand modules need not be signed. Both the
    size and the image have to take trusted launch. Encryption at host is a feature that the
    subscription has to be registered for, once:
    https://learn.microsoft.com/azure/virtual-machines/linux/disks-enable-host-based-encryption-cli
    """
    found: dict[str, Any] = {}
    if able.encryption_at_host:
        found["encryption_at_host"] = True
    if able.trusted_launch and launch.image.trusted_launch:
        found["security_type"] = "TrustedLaunch"
        found["uefi_settings"] = {"secure_boot_enabled": False, "v_tpm_enabled": True}
    return {"security_profile": found} if found else {}


def _market(launch: Launch) -> Mapping[str, Any]:
    """How the machines are bought; an evicted one goes with its disk, which would cost on."""
    if not launch.spot:
        notice = {"enable": True, "not_before_timeout": WARNING}
        return {
            "priority": "Regular",
            "scheduled_events_profile": {"terminate_notification_profile": notice},
        }
    price = ANY_PRICE if launch.spot_price is None else float(launch.spot_price)
    return {
        "priority": "Spot",
        "eviction_policy": "Delete",
        "billing_profile": {"max_price": price},
    }


def encoded(name: str, script: str) -> str:
    """Custom data as the API takes it.

    Raises:
        RunError: the names of the buckets made the script larger than Azure takes.
    """
    if not payload.fits(script):
        raise pulumi.RunError(
            f"{name}: the start-up script is too long for Azure, with {len(script.encode()):,} "
            f"bytes; allowed: {payload.LIMIT:,}; shorten command, or mount fewer parts of buckets"
        )
    return payload.encoded(script)
