"""A pool of servers on Google Cloud with all that it reaches and that reaches it."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.rules.cases.gcp_program import GcpHandle, GcpProgram
from tests.rules.cases.gcp_stacks import DISK
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Moment

RULE = "network-access"
REGION = "us-central1"
CHECKS = ["35.191.0.0/16", "130.211.0.0/22"]


@dataclass
class Pool:
    """Servers behind an internal load balancer, in a private subnet with a NAT."""

    program: GcpProgram
    parts: dict[str, GcpHandle]

    def __getitem__(self, name: str) -> GcpHandle:
        return self.parts[name]

    def without(self, *names: str) -> "Pool":
        for name in names:
            self.program.drop(self[name])
        return self

    def changed(self, name: str, **inputs: Any) -> "Pool":
        self.program.change(self[name], **inputs)
        return self

    def told(self, moment: Moment = "created") -> tuple[str, str]:
        judged = findings(of_resources(self.program.resources(moment)), RULE)
        (finding,) = (each for each in judged if each.subject == self["servers"].urn)
        return finding.outcome, finding.message


@pytest.fixture
def pool() -> Pool:
    program = GcpProgram()
    parts: dict[str, GcpHandle] = {}

    def add(kind: str, name: str, **inputs: Any) -> GcpHandle:
        parts[name] = program.add(kind, name, **inputs)
        return parts[name]

    net = add("compute/network:Network", "net", autoCreateSubnetworks=False)
    place = {"network": net.link, "region": REGION}
    subnet = add("compute/subnetwork:Subnetwork", "inner", ipCidrRange="10.130.0.0/20", **place)
    router = add("compute/router:Router", "router", **place)
    address = add("compute/address:Address", "address", region=REGION)
    add(
        "compute/routerNat:RouterNat",
        "nat",
        router=router.out("name"),
        region=REGION,
        natIpAllocateOption="MANUAL_ONLY",
        natIps=[address.link],
        sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    )
    web = [{"protocol": "tcp", "ports": ["8000"]}]
    for name, sources in (("clients", ["10.130.0.0/20"]), ("checks", CHECKS)):
        add("compute/firewall:Firewall", name, network=net.link, sourceRanges=sources, allows=web)
    account = add("serviceaccount/account:Account", "who", accountId="who")
    bucket = add("storage/bucket:Bucket", "models", location="US-CENTRAL1")
    add(
        "storage/bucketIAMMember:BucketIAMMember",
        "reads",
        bucket=bucket.out("name"),
        role="roles/storage.objectViewer",
        member=account.out("member"),
    )
    template = add(
        "compute/instanceTemplate:InstanceTemplate",
        "how",
        machineType="g2-standard-8",
        disks=[DISK],
        networkInterfaces=[{"subnetwork": subnet.link}],
        serviceAccount={"email": account.out("email"), "scopes": ["cloud-platform"]},
        metadata={"bucket": bucket.out("name")},
    )
    health = add(
        "compute/regionHealthCheck:RegionHealthCheck",
        "health",
        region=REGION,
        httpHealthCheck={"port": 8000, "requestPath": "/ready"},
    )
    group = add(
        "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        "servers",
        region=REGION,
        baseInstanceName="servers",
        versions=[{"instanceTemplate": template.link}],
        targetSize=2,
        autoHealingPolicies={"healthCheck": health.id, "initialDelaySec": 300},
    )
    service = add(
        "compute/regionBackendService:RegionBackendService",
        "service",
        region=REGION,
        loadBalancingScheme="INTERNAL",
        protocol="TCP",
        healthChecks=health.id,
        backends=[{"group": group.out("instanceGroup"), "balancingMode": "CONNECTION"}],
    )
    add(
        "compute/forwardingRule:ForwardingRule",
        "front",
        region=REGION,
        loadBalancingScheme="INTERNAL",
        backendService=service.id,
        ports=["8000"],
        network=net.link,
        subnetwork=subnet.link,
    )
    return Pool(program, parts)
