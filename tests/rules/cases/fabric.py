"""Machines joined by a fabric: as rows, and made by a fleet, a node group, one by one."""

from dataclasses import replace
from typing import Any

from gpuinfra.model import Fabric, Group
from gpuinfra.rules import Finding
from tests.rules.cases.cluster import Cluster
from tests.rules.cases.judging import findings, group, plan

PLAIN = "resolve:ssm:/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ami-id"


def joined(**facts: Any) -> Fabric:
    return Fabric(requirement="required", interfaces=32, **facts)


def of_fabric(rule: str, **facts: Any) -> list[Finding]:
    """The findings of a rule on a group whose fabric has these facts."""
    return findings(plan(group(fabric=joined(**facts))), rule)


FABRIC = Fabric(
    requirement="required",
    interfaces=32,
    one_zone=True,
    placement="cluster",
    self_ingress=True,
    self_egress=True,
    public_ip=False,
    driver_image=True,
)
URN = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::{}"


def training(name: str = "trainer", **changes: Any) -> Group:
    """A group of two machines whose fabric no rule objects to, some of its facts changed."""
    return group(name=name, maximum=2, minimum=2, fabric=replace(FABRIC, **changes))


def alone(name: str, *, zones: tuple[str, ...] = (), **changes: Any) -> Group:
    """One machine of resources, as a loop makes several."""
    made = replace(training(name, **changes), subject=URN.format(name), minimum=1, maximum=1)
    return replace(made, rungs=(replace(made.rung, zones=zones),))


def as_fleet(case: Cluster) -> None:
    """The same machines from an EC2 fleet."""
    case.program.drop(case.scaling)
    spec = {"launchTemplateId": case.template.id, "version": "$Latest"}
    overrides = [{"subnetId": case.subnet.id}]
    case.scaling = case.program.add(
        "aws:ec2/fleet:Fleet",
        "workers",
        type="instant",
        launchTemplateConfigs=[{"launchTemplateSpecification": spec, "overrides": overrides}],
        targetCapacitySpecification={
            "defaultTargetCapacityType": "on-demand",
            "totalTargetCapacity": 4,
        },
    )


def as_node_group(case: Cluster) -> None:
    """The same machines as nodes of EKS."""
    case.program.drop(case.scaling)
    case.scaling = case.program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "workers",
        clusterName="theirs",
        nodeRoleArn="arn:aws:iam::123456789012:role/node",
        subnetIds=[case.subnet.id],
        launchTemplate={"id": case.template.id, "version": "1"},
        scalingConfig={"minSize": 4, "maxSize": 4, "desiredSize": 4},
    )


def as_machines(case: Cluster) -> None:
    """The same machines one by one, as a loop makes them."""
    case.program.drop(case.scaling)
    for number in range(2):
        case.scaling = case.program.add(
            "aws:ec2/instance:Instance",
            f"worker-{number}",
            subnetId=case.subnet.id,
            launchTemplate={"id": case.template.id, "version": "$Latest"},
        )
