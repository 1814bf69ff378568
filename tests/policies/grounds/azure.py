"""Machines on Azure as strangers write them; the sandbox's ledger says what runs."""

from collections.abc import Sequence
from typing import Any

import pulumi

from tests.policies.ground import Cloud, Ground, Kind, PerHour

MACHINE = "Standard_ND96isr_H100_v5"
INSTANCE = "azure-native:compute:VirtualMachine"
GROUP = "azure-native:compute:VirtualMachineScaleSet"
SCALER = "azure-native:monitor:AutoscaleSetting"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0000000000000000000000000000000000000000000 me"
PROFILE = {
    "admin_username": "me",
    "linux_configuration": {
        "disable_password_authentication": True,
        "ssh": {"public_keys": [{"key_data": KEY, "path": "/home/me/.ssh/authorized_keys"}]},
    },
}
STORAGE = {
    "image_reference": {
        "publisher": "microsoft-dsvm",
        "offer": "ubuntu-hpc",
        "sku": "2204",
        "version": "latest",
    },
    "os_disk": {"create_option": "FromImage", "disk_size_gb": 128},
}
USER_DATA = ("b25l", "dHdv")
INTERFACES_OF = "2022-11-01"
"""Since this version of the API a machine is made with its interfaces."""


def place(_ground: Ground, after: Sequence[pulumi.Resource] = ()) -> tuple[Any, Any]:
    """The resource group and the subnet that all machines stand in."""
    from pulumi_azure_native import network, resources

    opts = pulumi.ResourceOptions(depends_on=list(after))
    around = resources.ResourceGroup("all", location="East US", opts=opts)
    net = network.VirtualNetwork(
        "net",
        resource_group_name=around.name,
        address_space={"address_prefixes": ["10.0.0.0/16"]},
    )
    subnet = network.Subnet(
        "inner",
        resource_group_name=around.name,
        virtual_network_name=net.name,
        address_prefix="10.0.0.0/20",
    )
    return around, subnet


def instance(ground: Ground, name: str, shared: tuple[Any, Any]) -> pulumi.Resource:
    from pulumi_azure_native import compute

    around, subnet = shared
    return compute.VirtualMachine(
        name,
        resource_group_name=around.name,
        vm_name=f"{name}-{ground.edition}",
        hardware_profile={"vm_size": MACHINE},
        os_profile={"computer_name": name, **PROFILE},
        storage_profile=STORAGE,
        network_profile=interfaces(subnet.id),
        opts=ground.options,
    )


def group(ground: Ground, name: str, shared: tuple[Any, Any]) -> pulumi.Resource:
    """A scale set of a fixed size."""
    return _group(ground, name, shared, ground.size)


def pool(ground: Ground, name: str, shared: tuple[Any, Any]) -> pulumi.Resource:
    """An empty scale set: the autoscale setting that comes after it brings its machines."""
    from pulumi_azure_native import monitor

    around, _ = shared
    scaled = _group(ground, name, shared, 0)
    return monitor.AutoscaleSetting(
        f"{name}-scaler",
        resource_group_name=around.name,
        enabled=True,
        target_resource_uri=scaled.id,
        profiles=[
            {
                "name": "always",
                "capacity": {"minimum": "1", "maximum": str(ground.size), "default": "1"},
                "rules": [],
            }
        ],
    )


def _group(ground: Ground, name: str, shared: tuple[Any, Any], capacity: int) -> Any:
    from pulumi_azure_native import compute

    around, subnet = shared
    return compute.VirtualMachineScaleSet(
        name,
        resource_group_name=around.name,
        orchestration_mode="Flexible",
        platform_fault_domain_count=1,
        sku={"name": MACHINE, "tier": "Standard", "capacity": capacity},
        virtual_machine_profile={
            "user_data": USER_DATA[ground.edition],
            "os_profile": {"computer_name_prefix": name, **PROFILE},
            "storage_profile": STORAGE,
            "network_profile": interfaces(subnet.id),
        },
    )


def interfaces(subnet: Any) -> dict[str, Any]:
    """Network interfaces of machines in the subnet of that id."""
    address = {"name": "ip", "primary": True, "subnet": {"id": subnet}}
    return {
        "network_api_version": INTERFACES_OF,
        "network_interface_configurations": [
            {"name": "nic", "primary": True, "ip_configurations": [address]}
        ],
    }


def zone(made: list[pulumi.Resource]) -> None:
    from pulumi_azure_native import privatedns, resources

    after = pulumi.ResourceOptions(depends_on=made)
    around = resources.ResourceGroup("more", location="East US", opts=after)
    privatedns.PrivateZone(
        "work",
        resource_group_name=around.name,
        private_zone_name="work.example",
        location="Global",
        opts=after,
    )


def other_machine(made: list[pulumi.Resource]) -> None:
    from pulumi_azure_native import compute, network, resources

    after = pulumi.ResourceOptions(depends_on=made)
    around = resources.ResourceGroup("more", location="East US", opts=after)
    net = network.VirtualNetwork(
        "more",
        resource_group_name=around.name,
        address_space={"address_prefixes": ["10.1.0.0/16"]},
        subnets=[{"name": "inner", "address_prefix": "10.1.0.0/20"}],
    )
    compute.VirtualMachine(
        "other",
        resource_group_name=around.name,
        hardware_profile={"vm_size": "Standard_M832ixs"},  # in no table of prices
        os_profile={"computer_name": "other", **PROFILE},
        storage_profile=STORAGE,
        network_profile=interfaces(net.subnets[0].id),
        opts=after,
    )


def running(ground: Ground) -> int:
    """How many machines run, or may, in the scale sets and by themselves."""
    standing = ground.ledger()
    most: dict[str, int] = {}
    for record in standing:
        if record.type == SCALER:
            goal, profiles = record.properties["targetResourceUri"], record.properties["profiles"]
            maximum = max(int(profile["capacity"]["maximum"]) for profile in profiles)
            most[goal] = max(most.get(goal, 0), maximum)
    sets = [record for record in standing if record.type == GROUP]
    return sum(record.type == INSTANCE for record in standing) + sum(
        max(int(record.properties["sku"]["capacity"]), most.get(record.id, 0)) for record in sets
    )


CLOUD = Cloud(
    name="azure",
    price=PerHour("98.32"),
    kinds={
        "instance": Kind(INSTANCE, instance),
        "group": Kind(GROUP, group),
        "pool": Kind(SCALER, pool),
    },
    running=running,
    shared=place,
    unpriced={"type": zone, "machine": other_machine},
    unpriced_type="azure-native:privatedns:PrivateZone",
)
