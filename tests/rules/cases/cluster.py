"""Training clusters as strangers write them: raw resources, none of our tags."""

from dataclasses import dataclass
from typing import Any

from tests.rules.cases.program import Handle, Program, Ref


@dataclass
class Cluster:
    """A program and the resources that tests change."""

    program: Program
    subnet: Handle
    group: Handle
    placement: Handle
    ingress: Handle
    egress: Handle
    template: Handle
    scaling: Handle
    role: Handle


def classic_nics(cards: int, group: Ref) -> list[dict[str, Any]]:
    """The older layout: an `efa` interface on every card, the first one primary."""
    return [
        {
            "networkCardIndex": card,
            "deviceIndex": 0 if card == 0 else 1,
            "interfaceType": "efa",
            "securityGroups": [group],
            "deleteOnTermination": "true",
        }
        for card in range(cards)
    ]


def current_nics(cards: int, group: Ref, *, first: int = 0) -> list[dict[str, Any]]:
    """Today's layout: one IP interface and `efa-only` on every card from `first` on."""
    primary = {"networkCardIndex": 0, "deviceIndex": 0, "securityGroups": [group]}
    return [
        {**primary, "interfaceType": "interface"},
        *(
            {
                "networkCardIndex": card,
                "deviceIndex": 1 if card == 0 else 0,
                "interfaceType": "efa-only",
                "securityGroups": [group],
            }
            for card in range(first, cards)
        ),
    ]


def cluster(
    machine: str = "p5.48xlarge", nics: Any = None, nodes: int = 4, cards: int = 32
) -> Cluster:
    """A complete EFA cluster in a network of its own."""
    program = Program()
    add = program.add
    vpc = add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    subnet = add(
        "aws:ec2/subnet:Subnet",
        "inner",
        vpcId=vpc.id,
        availabilityZone="us-east-1a",
        cidrBlock="10.0.1.0/24",
    )
    group = add("aws:ec2/securityGroup:SecurityGroup", "mpi", vpcId=vpc.id)
    ingress = add(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "mpi-in",
        securityGroupId=group.id,
        referencedSecurityGroupId=group.id,
        ipProtocol="-1",
    )
    egress = add(
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "mpi-out",
        securityGroupId=group.id,
        referencedSecurityGroupId=group.id,
        ipProtocol="-1",
    )
    add(
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "web-out",
        securityGroupId=group.id,
        cidrIpv4="0.0.0.0/0",
        ipProtocol="-1",
    )
    placement = add("aws:ec2/placementGroup:PlacementGroup", "close", strategy="cluster")
    role = add("aws:iam/role:Role", "node", assumeRolePolicy="{}")
    add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "ssm",
        role=role.out("name"),
        policyArn="arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore",
    )
    profile = add("aws:iam/instanceProfile:InstanceProfile", "node", role=role.out("name"))
    layout = classic_nics(cards, group.id) if nics is None else nics(group.id)
    template = add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "node",
        imageId="ami-0abc",
        instanceType=machine,
        iamInstanceProfile={"arn": profile.arn},
        networkInterfaces=layout,
        placement={"groupName": placement.out("name")},
        metadataOptions={"httpTokens": "required", "httpEndpoint": "enabled"},
        blockDeviceMappings=[
            {
                "deviceName": "/dev/sda1",
                "ebs": {"volumeSize": 500, "volumeType": "gp3", "encrypted": "true"},
            }
        ],
    )
    scaling = add(
        "aws:autoscaling/group:Group",
        "workers",
        minSize=nodes,
        maxSize=nodes,
        vpcZoneIdentifiers=[subnet.id],
        launchTemplate={"id": template.id, "version": "$Latest"},
    )
    return Cluster(program, subnet, group, placement, ingress, egress, template, scaling, role)
