"""What each rule refuses on Google Cloud and what hides its answer: one change to what is good."""

from collections.abc import Callable
from typing import Any

from gpuinfra.model import UNKNOWN
from tests.rules.cases.faults import changed
from tests.rules.cases.gcp_cluster import SPOT, GcpCluster, roce, tcpx

Break = Callable[[GcpCluster], None]


def rewired(number: int, **inputs: Any) -> Break:
    return lambda case: case.rewire(number, **inputs)


def regional(**inputs: Any) -> Break:
    def spoil(case: GcpCluster) -> None:
        case.program.drop(case.group)
        case.group = case.program.add(
            "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
            "workers",
            region="us-central1",
            targetSize=4,
            versions=[{"instanceTemplate": case.template.link}],
            **inputs,
        )

    return spoil


def few_planes(case: GcpCluster) -> None:
    nics = case.interfaces[:3]
    case.program.change(case.template, networkInterfaces=nics)


def one_vpc(case: GcpCluster) -> None:
    case.program.change(case.subnets[2], network=case.networks[1].id)


def denies(case: GcpCluster, network: Any) -> None:
    case.program.add(
        "compute/firewall:Firewall",
        "shut",
        network=network,
        direction="EGRESS",
        priority=10,
        destinationRanges=["10.0.0.0/8"],
        denies=[{"protocol": "all"}],
    )


def closed_out(case: GcpCluster) -> None:
    denies(case, case.networks[3].id)


def closed_somewhere(case: GcpCluster) -> None:
    denies(case, UNKNOWN)


def open_ssh(case: GcpCluster) -> None:
    case.program.add(
        "compute/firewall:Firewall",
        "ssh",
        network=case.networks[0].id,
        sourceRanges=["0.0.0.0/0"],
        allows=[{"protocol": "tcp", "ports": ["22"]}],
    )


def scheduled(**inputs: Any) -> Break:
    return lambda case: case.program.change(case.template, scheduling={**SPOT, **inputs})


BROKEN: dict[str, tuple[Callable[[], GcpCluster], Break, str]] = {
    "fabric-capable": (
        roce,
        changed("template", machineType="g2-standard-48"),
        "g2-standard-48 has no fabric interface",
    ),
    "fabric-interfaces": (tcpx, few_planes, "2 of 4 fabric interfaces of a3-highgpu-8g"),
    "fabric-one-zone": (
        roce,
        regional(distributionPolicyZones=["us-central1-a", "us-central1-b"]),
        "several zones",
    ),
    "fabric-placement": (roce, changed("template", resourcePolicies=None), "no placement"),
    "fabric-self-ingress": (
        tcpx,
        lambda case: case.program.drop(case.firewalls[3]),
        "does not allow inbound traffic from its own group",
    ),
    "fabric-self-egress": (tcpx, closed_out, "does not allow outbound traffic to its own group"),
    "fabric-networks": (tcpx, one_vpc, "2 gVNIC interfaces are in one VPC (gpu-1)"),
    "fabric-public-ip": (roce, rewired(0, accessConfigs=[{}]), "public address"),
    "spot-settings": (roce, scheduled(automaticRestart=True), "spot with automatic restart"),
    "gpu-maintenance": (
        roce,
        changed("template", scheduling={"automaticRestart": False}),
        "set to migrate live at host maintenance",
    ),
    "public-address": (tcpx, rewired(0, accessConfigs=[{}]), "public address"),
    "open-login": (tcpx, open_ssh, "TCP 22 (SSH) of ssh is open to 0.0.0.0/0"),
    "administrator-role": (
        tcpx,
        changed("role", role="roles/editor"),
        "has administrator permissions",
    ),
    "long-lived-key": (
        tcpx,
        changed("template", metadataStartupScript="-----BEGIN PRIVATE KEY-----"),
        "access key",
    ),
}

HIDDEN: dict[str, tuple[Callable[[], GcpCluster], Break]] = {
    "fabric-capable": (roce, changed("template", machineType="a9-hypergpu-8g")),
    "fabric-interfaces": (tcpx, changed("template", networkInterfaces=UNKNOWN)),
    "fabric-one-zone": (roce, regional(distributionPolicyZones=UNKNOWN)),
    "fabric-placement": (roce, changed("template", resourcePolicies="projects/p/by-hand")),
    "fabric-self-ingress": (
        tcpx,
        lambda case: case.program.change(case.firewalls[3], network=UNKNOWN),
    ),
    "fabric-self-egress": (tcpx, closed_somewhere),
    "fabric-networks": (roce, lambda case: case.program.change(case.networks[2], mtu=UNKNOWN)),
    "fabric-public-ip": (roce, rewired(0, accessConfigs=UNKNOWN)),
    "spot-settings": (roce, scheduled(automaticRestart=UNKNOWN)),
    "gpu-maintenance": (roce, scheduled(onHostMaintenance=UNKNOWN)),
    "public-address": (tcpx, rewired(0, accessConfigs=UNKNOWN)),
    "open-login": (tcpx, rewired(0, subnetwork="projects/host/regions/r/subnetworks/theirs")),
    "administrator-role": (tcpx, changed("role", role=UNKNOWN)),
    "long-lived-key": (tcpx, changed("template", metadataStartupScript=UNKNOWN)),
}


BUCKETS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "bucket-private": ({"publicAccessPrevention": None}, {"publicAccessPrevention": UNKNOWN}),
    "bucket-lifecycle": ({"lifecycleRules": []}, {"lifecycleRules": UNKNOWN}),
    "bucket-versioned": (
        {"versioning": None, "softDeletePolicy": {"retentionDurationSeconds": 0}},
        {
            "versioning": {"enabled": UNKNOWN},
            "softDeletePolicy": {"retentionDurationSeconds": 0},
        },
    ),
    "bucket-versioned-expiry": ({"lifecycleRules": []}, {"lifecycleRules": UNKNOWN}),
}
