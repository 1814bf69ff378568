"""One Azure plugin for all that only look, and a town of resources that others refer to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LOCATION = "eastus"
SUBSCRIPTION = "00000000-1111-4222-8333-444444444444"
BASE = f"/subscriptions/{SUBSCRIPTION}"
NETWORK = f"{BASE}/resourceGroups/town/providers/Microsoft.Network"


@pytest.fixture(scope="session")
def azure(town_home: Path, plugin: Any) -> Iterator[Any]:
    """One plugin process in the shared sandbox, with a location of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUINFRA_SANDBOX_HOME", str(town_home))
        started = type(plugin)(
            package="azure-native", location=LOCATION, subscriptionId=SUBSCRIPTION
        )
    yield started
    started.close()


@pytest.fixture(scope="module")
def make(azure: Any) -> Iterator[Any]:
    """Makes resources that are gone after the module; returns id and outputs."""
    standing: list[tuple[str, str, dict[str, Any]]] = []

    def made(token: str, name: str = "", **inputs: Any) -> tuple[str, dict[str, Any]]:
        whole = f"azure-native:{token}"
        resource_id, outputs = azure.create(whole, inputs, name=name or f"made{len(standing)}")
        standing.append((whole, resource_id, outputs))
        return resource_id, outputs

    yield made
    for token, resource_id, outputs in reversed(standing):
        azure.delete(token, resource_id, outputs)


@pytest.fixture(scope="module")
def town(make: Any) -> dict[str, str]:
    """One of each thing that others refer to: its id, or its name where inputs take that."""
    group = {"resourceGroupName": "town"}
    make("resources:ResourceGroup", **group)
    ids = {
        "vnet": make(
            "network:VirtualNetwork",
            virtualNetworkName="net",
            addressSpace={"addressPrefixes": ["10.0.0.0/16"]},
            **group,
        )[0],
        "nsg": make("network:NetworkSecurityGroup", networkSecurityGroupName="nsg", **group)[0],
        "address": make(
            "network:PublicIPAddress",
            publicIpAddressName="pip",
            publicIPAllocationMethod="Static",
            sku={"name": "Standard"},
            **group,
        )[0],
        "identity": make("managedidentity:UserAssignedIdentity", resourceName="who", **group)[0],
        "reservations": make(
            "compute:CapacityReservationGroup", capacityReservationGroupName="crg", **group
        )[0],
        "actions": make(
            "monitor:ActionGroup",
            actionGroupName="acts",
            groupShortName="acts",
            location="global",
            **group,
        )[0],
        "account": make(
            "storage:StorageAccount",
            accountName="townaccount",
            kind="StorageV2",
            sku={"name": "Standard_LRS"},
            **group,
        )[0],
        "zone": make(
            "privatedns:PrivateZone",
            privateZoneName="blob.town.net",
            location="global",
            **group,
        )[0],
    }
    ids["nat"] = make(
        "network:NatGateway",
        natGatewayName="nat",
        sku={"name": "Standard"},
        publicIpAddresses=[{"id": ids["address"]}],
        **group,
    )[0]
    ids["subnet"] = make(
        "network:Subnet",
        name="nodes",
        virtualNetworkName="net",
        addressPrefix="10.0.0.0/24",
        **group,
    )[0]
    ids["nic"] = make(
        "network:NetworkInterface",
        networkInterfaceName="nic",
        ipConfigurations=[{"name": "main", "subnet": {"id": ids["subnet"]}}],
        **group,
    )[0]
    ids["set"] = make("compute:VirtualMachineScaleSet", **scale_set(ids["subnet"], "pool"))[0]
    make("keyvault:Vault", vaultName="townvault", properties=vault(), **group)
    make("containerservice:ManagedCluster", resourceName="aks", dnsPrefix="aks", **group)
    ids["endpoint"] = make(
        "network:PrivateEndpoint",
        privateEndpointName="pe",
        subnet={"id": ids["subnet"]},
        privateLinkServiceConnections=[
            {"name": "blob", "privateLinkServiceId": ids["account"], "groupIds": ["blob"]}
        ],
        **group,
    )[0]
    return ids


def vault() -> dict[str, Any]:
    return {
        "sku": {"family": "A", "name": "standard"},
        "tenantId": "00000000-1111-4222-8333-555555555555",
        "enableRbacAuthorization": True,
    }


def login() -> dict[str, Any]:
    key = {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA"}
    return {
        "adminUsername": "azureuser",
        "linuxConfiguration": {
            "disablePasswordAuthentication": True,
            "ssh": {"publicKeys": [key]},
        },
    }


def image() -> dict[str, Any]:
    return {
        "publisher": "microsoft-dsvm",
        "offer": "ubuntu-hpc",
        "sku": "2204",
        "version": "22.04.2025041101",
    }


def scale_set(subnet: str, name: str = "set", **more: Any) -> dict[str, Any]:
    nic = {
        "name": "nic",
        "primary": True,
        "enableAcceleratedNetworking": True,
        "ipConfigurations": [{"name": "main", "subnet": {"id": subnet}}],
    }
    profile = {
        "networkProfile": {"networkInterfaceConfigurations": [nic]},
        "osProfile": {"computerNamePrefix": "node", **login()},
        "storageProfile": {"imageReference": image(), "osDisk": {"createOption": "FromImage"}},
    }
    profile |= more.pop("profile", {})
    return {
        "resourceGroupName": "town",
        "vmScaleSetName": name,
        "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
        "overprovision": False,
        "singlePlacementGroup": True,
        "platformFaultDomainCount": 1,
        "upgradePolicy": {"mode": "Manual"},
        "virtualMachineProfile": profile,
        **more,
    }
