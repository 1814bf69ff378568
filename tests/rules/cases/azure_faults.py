"""What each rule refuses on Azure and what hides its answer: one change to what is good."""

from collections.abc import Callable
from typing import Any

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import LOGIN, Cluster, interface, network, role
from tests.rules.cases.azure_program import SUBSCRIPTION
from tests.rules.cases.faults import changed

Break = Callable[[Cluster], None]


def profile(**changes: Any) -> Break:
    return lambda case: case.profile(**changes)


def public(case: Cluster) -> None:
    address = {"publicIPAddressConfiguration": {"name": "out"}}
    case.profile(networkProfile=network(interface(case.subnet.id, **address)))


def near_but_apart(case: Cluster) -> None:
    near = case.program.add("azure-native:compute:ProximityPlacementGroup", "near")
    case.program.change(
        case.scaling, singlePlacementGroup=False, proximityPlacementGroup={"id": near.id}
    )


BROKEN: dict[str, tuple[Break, str]] = {
    "fabric-capable": (
        changed("scaling", sku={"name": "Standard_NC24ads_A100_v4", "capacity": 4}),
        "Standard_NC24ads_A100_v4 has no fabric interface",
    ),
    "fabric-scale-set": (changed("scaling", overprovision=True), "overprovisions"),
    "fabric-one-zone": (changed("scaling", zones=["1", "2"]), "several zones"),
    "fabric-public-ip": (public, "public address"),
    "public-address": (public, "public address"),
    "open-login": (
        changed("firewall", securityRules=[stacks.open_rule()]),
        "TCP 22 (SSH) of closed is open to the internet",
    ),
    "administrator-role": (
        changed("grant", scope=SUBSCRIPTION, roleDefinitionId=role(stacks.OWNER)),
        "has administrator permissions",
    ),
    "long-lived-key": (changed("account", allowSharedKeyAccess=None), "key"),
    "spot-settings": (
        profile(
            priority="Spot",
            scheduledEventsProfile={"terminateNotificationProfile": {"enable": True}},
        ),
        "terminateNotificationProfile is on and the priority is Spot",
    ),
    "eviction-policy": (profile(evictionPolicy="Delete"), "eviction policy Delete on regular"),
}

HIDDEN: dict[str, Break] = {
    "fabric-capable": changed("scaling", sku={"name": "Standard_ND999_X900_v9", "capacity": 4}),
    "fabric-scale-set": changed("scaling", overprovision=UNKNOWN),
    "fabric-one-zone": changed("scaling", zones=UNKNOWN),
    "fabric-public-ip": profile(networkProfile=UNKNOWN),
    "public-address": profile(networkProfile=UNKNOWN),
    "open-login": changed("firewall", securityRules=UNKNOWN),
    "administrator-role": changed("grant", scope=UNKNOWN, roleDefinitionId=UNKNOWN),
    "long-lived-key": profile(
        osProfile={"adminUsername": "hpc", "customData": UNKNOWN, "linuxConfiguration": LOGIN}
    ),
    "spot-settings": profile(
        priority="Spot",
        scheduledEventsProfile={"terminateNotificationProfile": {"enable": UNKNOWN}},
    ),
    "eviction-policy": profile(evictionPolicy=UNKNOWN),
}


BUCKETS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "bucket-private": (
        "account",
        {"allowBlobPublicAccess": True},
        {"allowBlobPublicAccess": UNKNOWN},
    ),
    "bucket-tls": (
        "account",
        {"minimumTlsVersion": "TLS1_0"},
        {"minimumTlsVersion": UNKNOWN},
    ),
    "bucket-lifecycle": ("lifecycle", {"policy": {"rules": []}}, {"policy": UNKNOWN}),
    "bucket-versioned": (
        "service",
        {"isVersioningEnabled": False},
        {"isVersioningEnabled": UNKNOWN},
    ),
    "bucket-versioned-expiry": (
        "lifecycle",
        {"policy": {"rules": []}},
        {"policy": UNKNOWN},
    ),
}
