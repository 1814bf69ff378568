"""Training clusters on Google Cloud as strangers write them: raw resources, none of our labels."""

from dataclasses import dataclass, field
from typing import Any

from tests.rules.cases.gcp_program import GcpHandle, GcpProgram

ZONE = "us-central1-a"
ROCE_ZONE = "us-central1-b"
"""The only zone of the region with machines that have RoCE."""
EVERYTHING = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]
SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
ON_DEMAND = {
    "provisioningModel": "STANDARD",
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
}
SPOT = {
    "provisioningModel": "SPOT",
    "preemptible": True,
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
    "instanceTerminationAction": "DELETE",
}

FREE_FIGURES = {"hyperdisk-balanced": {"provisionedIops": 3000, "provisionedThroughput": 140}}
"""What the size of a disk includes, where figures are provisioned at all."""


@dataclass
class GcpCluster:
    """A program and the resources that tests change."""

    program: GcpProgram
    networks: list[GcpHandle] = field(default_factory=list)
    subnets: list[GcpHandle] = field(default_factory=list)
    firewalls: list[GcpHandle] = field(default_factory=list)
    placement: GcpHandle = None  # type: ignore[assignment]
    account: GcpHandle = None  # type: ignore[assignment]
    role: GcpHandle = None  # type: ignore[assignment]
    template: GcpHandle = None  # type: ignore[assignment]
    group: GcpHandle = None  # type: ignore[assignment]

    @property
    def interfaces(self) -> list[dict[str, Any]]:
        return self.program.handles[self.template.urn].inputs["networkInterfaces"]

    def rewire(self, number: int, **inputs: Any) -> None:
        """Change one interface of the template."""
        wires = [dict(interface) for interface in self.interfaces]
        wires[number] = {**wires[number], **inputs}
        self.program.change(self.template, networkInterfaces=wires)


def vpc(case: GcpCluster, name: str, mtu: int, subnets: int = 1, **inputs: Any) -> None:
    """A VPC with subnets, open to its own ranges unless it has a profile."""
    add = case.program.add
    place = len(case.networks)
    network = add("compute/network:Network", name, autoCreateSubnetworks=False, mtu=mtu, **inputs)
    case.networks.append(network)
    ranges = [f"10.{place}.{number * 16}.0/20" for number in range(subnets)]
    for number, cidr in enumerate(ranges):
        case.subnets.append(
            add(
                "compute/subnetwork:Subnetwork",
                f"{name}-{number}",
                network=network.id,
                ipCidrRange=cidr,
                region="us-central1",
                privateIpGoogleAccess=True,
            )
        )
    if "networkProfile" not in inputs:
        case.firewalls.append(
            add(
                "compute/firewall:Firewall",
                f"{name}-own",
                network=network.id,
                sourceRanges=ranges,
                allows=EVERYTHING,
            )
        )


def tcpx(planes: int = 4, machine: str = "a3-highgpu-8g") -> GcpCluster:
    """Machines with a GVNIC in a VPC of its own for each plane (GPUDirect-TCPX, -TCPXO)."""
    case = GcpCluster(GcpProgram())
    for number in range(planes + 1):
        vpc(case, "main" if number == 0 else f"gpu-{number}", 8244)
    nics = [{"subnetwork": subnet.link, "nicType": "GVNIC"} for subnet in case.subnets]
    return finish(case, machine, nics, "pd-ssd")


def roce(machine: str = "a3-ultragpu-8g") -> GcpCluster:
    """Machines with two GVNICs, and eight RoCE interfaces in one network of their zone."""
    case = GcpCluster(GcpProgram())
    vpc(case, "main", 8896)
    vpc(case, "second", 8896)
    profile = f"projects/shop-1/global/networkProfiles/{ROCE_ZONE}-vpc-roce"
    vpc(case, "rdma", 8896, subnets=8, networkProfile=profile)
    kinds = ["GVNIC"] * 2 + ["MRDMA"] * 8
    nics = [
        {"subnetwork": subnet.id, "nicType": kind}
        for subnet, kind in zip(case.subnets, kinds, strict=True)
    ]
    return finish(case, machine, nics, "hyperdisk-balanced", ROCE_ZONE)


def finish(
    case: GcpCluster, machine: str, nics: list[Any], disk: str, zone: str = ZONE
) -> GcpCluster:
    """The account, the placement, the template and the group of a cluster."""
    add = case.program.add
    case.account = add("serviceaccount/account:Account", "nodes", accountId="gpu-nodes")
    case.role = add(
        "projects/iAMMember:IAMMember",
        "logs",
        project="shop-1",
        role="roles/logging.logWriter",
        member=case.account.out("member"),
    )
    case.placement = add(
        "compute/resourcePolicy:ResourcePolicy",
        "close",
        region="us-central1",
        groupPlacementPolicy={"collocation": "COLLOCATED"},
    )
    case.template = add(
        "compute/instanceTemplate:InstanceTemplate",
        "node",
        machineType=machine,
        disks=[
            {
                "boot": True,
                "sourceImage": "projects/shop-1/global/images/own",
                "diskType": disk,
                "diskSizeGb": 500,
                **FREE_FIGURES.get(disk, {}),
            }
        ],
        networkInterfaces=nics,
        scheduling=dict(ON_DEMAND),
        resourcePolicies=case.placement.id,
        serviceAccount={"email": case.account.out("email"), "scopes": SCOPES},
        metadata={"enable-oslogin": "TRUE"},
        metadataStartupScript="#!/bin/sh\ntrain\n",
    )
    case.group = add(
        "compute/instanceGroupManager:InstanceGroupManager",
        "workers",
        zone=zone,
        baseInstanceName="worker",
        targetSize=4,
        versions=[{"instanceTemplate": case.template.link}],
    )
    return case
