"""Machines and firewalls of one network: at worst each firewall is read once for each machine."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from gpuinfra.model import Caps, Resource
from gpuinfra.planning import from_resources

SMALL, LARGE = (500, 50), (1_000, 100)
LIMIT = 2.8
PAIRS = 5.0
"""Of what has four times the pairs; a third factor, such as firewalls twice, makes it eight."""

RUNS = 2


def _made(kind: str, name: str, /, **inputs: Any) -> Resource:
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::{name}", type=kind, name=name, inputs=inputs
    )


def aws(machines: int, walls: int) -> Iterator[Resource]:
    """Machines behind a group each."""
    ssh = {"protocol": "tcp", "fromPort": 22, "toPort": 22, "cidrBlocks": ["10.0.0.0/8"]}
    for number in range(walls):
        yield _made(
            "aws:ec2/securityGroup:SecurityGroup", f"w{number}", name=f"w{number}", ingress=[ssh]
        )
    for number in range(machines):
        yield _made(
            "aws:ec2/instance:Instance",
            f"m{number}",
            instanceType="g6.xlarge",
            ami="ami-0123456789abcdef0",
            securityGroups=[f"w{number % walls}"],
        )


def gcp(machines: int, walls: int) -> Iterator[Resource]:
    """Machines that firewalls know by a tag of their own."""
    yield _made("gcp:compute/network:Network", "net", name="net")
    for number in range(walls):
        yield _made(
            "gcp:compute/firewall:Firewall",
            f"w{number}",
            network="net",
            sourceRanges=["0.0.0.0/0"],
            targetTags=[f"t{number}"],
            allows=[{"protocol": "tcp", "ports": ["22"]}],
        )
    for number in range(machines):
        yield _made(
            "gcp:compute/instance:Instance",
            f"m{number}",
            machineType="g2-standard-4",
            zone="us-central1-a",
            tags=[f"m{number}"],
            networkInterfaces=[{"network": "net"}],
        )


def azure(machines: int, walls: int) -> Iterator[Resource]:
    """Machines behind a group each, through an interface."""
    rdp = {"priority": 100, "direction": "Inbound", "access": "Allow", "protocol": "*"}
    rdp |= {"sourceAddressPrefix": "10.0.0.0/8", "destinationPortRange": "3389"}
    around = {"resourceGroupName": "rg", "location": "eastus"}
    for number in range(walls):
        named = {"networkSecurityGroupName": f"w{number}", "securityRules": [rdp]}
        yield _made("azure-native:network:NetworkSecurityGroup", f"w{number}", **around, **named)
    for number in range(machines):
        yield _made(
            "azure-native:network:NetworkInterface",
            f"n{number}",
            networkInterfaceName=f"n{number}",
            networkSecurityGroup={"id": f"w{number % walls}"},
            ipConfigurations=[{"name": "a", "subnet": {"id": "s"}}],
            **around,
        )
        yield _made(
            "azure-native:compute:VirtualMachine",
            f"m{number}",
            hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
            networkProfile={"networkInterfaces": [{"id": f"n{number}"}]},
            **around,
        )


CASES: dict[str, tuple[Callable[[int, int], Iterator[Resource]], float]] = {
    "aws": (aws, LIMIT),
    "gcp": (gcp, PAIRS),
    "azure": (azure, LIMIT),
}
"""By cloud, what stands in the network, and how much longer twice of both may take."""


def machines_and_firewalls() -> Iterator[tuple[str, float, float, str]]:
    """1,000 machines and 100 firewalls of one network in terms of 500 and 50."""
    for cloud, (made, limit) in CASES.items():
        small, large = (_seconds(list(made(*size)), size[0]) for size in (SMALL, LARGE))
        name = (
            f"one network, {cloud}, {LARGE[0]:,} machines x {LARGE[1]} / {SMALL[0]} x {SMALL[1]}"
        )
        yield name, large / small, limit, f"{large:.2f} s / {small:.2f} s"


def _seconds(resources: list[Resource], machines: int) -> float:
    """Seconds of the processor, the least of the runs."""
    runs = []
    for _ in range(RUNS):
        start = time.process_time()
        plan = from_resources(resources, name="shop", caps=Caps())
        runs.append(time.process_time() - start)
        if len(plan.groups) != machines:
            raise AssertionError(f"planned {len(plan.groups)} of {machines} machines")
    return min(runs)
