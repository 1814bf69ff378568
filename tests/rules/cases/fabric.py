"""Machines joined by a fabric: as rows, and made by a fleet, a node group, one by one."""

from typing import Any

from gpuinfra.model import Fabric
from tests.rules.cases.cluster import Cluster

PLAIN = "resolve:ssm:/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ami-id"


def joined(**facts: Any) -> Fabric:
    return Fabric(requirement="required", interfaces=32, **facts)


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
