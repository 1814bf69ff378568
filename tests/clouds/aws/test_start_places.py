"""Machines can't start where zone, region, VPC, processor and subnets do not go together."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.aws.scaling_group import GROUP, NODE_GROUP, TEMPLATE
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle, Program
from tests.rules.cases.verdicts import verdicts

INSTANCE = "aws:ec2/instance:Instance"
SUBNET = "aws:ec2/subnet:Subnet"
WALL = "aws:ec2/securityGroup:SecurityGroup"
APART = "the security group wall and the subnet inner belong to different VPCs"


def network(program: Program, name: str = "net") -> Handle:
    return program.add("aws:ec2/vpc:Vpc", name, cidrBlock="10.0.0.0/16")


def refused(program: Program, moment: str = "created") -> tuple[str, ...]:
    (group,) = observe(program.resources(moment)).groups
    found = faults_of(group.faults, "launch-settings")
    assert isinstance(found, tuple)
    return found


def defects(program: Program, words: str, moment: str = "created") -> list[str]:
    seen = observe(program.resources(moment)).defects
    messages = [fault.message for defect in seen for fault in defect.faults]
    return [message for message in messages if words in message]


def placed(program: Program, subnet: dict, wall: dict, **inputs) -> None:
    inner = program.add(SUBNET, "inner", **subnet)
    group = program.add(WALL, "wall", **wall)
    walls = {"vpcSecurityGroupIds": [group.id], "subnetId": inner.id}
    program.add(INSTANCE, "one", instanceType="g6.xlarge", **{**walls, **inputs})


@both
@pytest.mark.parametrize("same", [True, False])
def test_a_security_group_is_of_the_subnet_s_vpc(same, moment):
    program = Program()
    first, second = network(program), network(program, "other")
    placed(program, {"vpcId": first.id}, {"vpcId": (first if same else second).id})
    assert refused(program, moment) == (() if same else (APART,))
    given = verdicts(of_resources(program.resources(moment)), "launch-settings")
    assert [outcome for outcome, _ in given] == ["fine" if same else "violated"]


@pytest.mark.parametrize(
    ("subnet", "wall", "apart"),
    [
        ({"vpcId": "vpc-1"}, {"vpcId": "vpc-1"}, False),
        ({"vpcId": "vpc-1"}, {"vpcId": "vpc-2"}, True),
        ({"vpcId": "vpc-1"}, {"vpcId": UNKNOWN}, False),
        ({"vpcId": UNKNOWN}, {"vpcId": "vpc-1"}, False),
        ({"vpcId": "vpc-1"}, {}, False),
        ({}, {"vpcId": "vpc-1"}, False),
    ],
)
def test_vpcs_of_elsewhere_are_known_by_their_ids(subnet, wall, apart):
    program = Program()
    placed(program, subnet, wall)
    assert refused(program) == ((APART,) if apart else ())


@both
def test_a_group_without_a_vpc_is_in_the_default_one(moment):
    program = Program()
    placed(program, {"vpcId": network(program).id}, {})
    assert refused(program, moment) == (APART,)


def test_a_vpc_of_elsewhere_may_be_one_that_is_made_here():
    program = Program()
    placed(program, {"vpcId": network(program).id}, {"vpcId": "vpc-1"})
    assert refused(program) == ()


def test_a_group_that_is_associated_with_more_vpcs_may_be_used_there():
    program = Program()
    placed(program, {"vpcId": "vpc-1"}, {"vpcId": "vpc-2"})
    program.add("aws:vpc/securityGroupVpcAssociation:SecurityGroupVpcAssociation", "a")
    assert refused(program) == ()


@both
def test_the_groups_of_a_template_are_of_the_scaling_group_s_vpc(moment):
    program = Program()
    inner = program.add(SUBNET, "inner", vpcId=network(program).id)
    wall = program.add(WALL, "wall", vpcId=network(program, "other").id)
    nics = [{"deviceIndex": 0, "securityGroups": [wall.id]}]
    template = program.add(TEMPLATE, "node", instanceType="g6.xlarge", networkInterfaces=nics)
    sizes = {"minSize": 1, "maxSize": 2, "vpcZoneIdentifiers": [inner.id]}
    program.add(GROUP, "workers", launchTemplate={"id": template.id}, **sizes)
    assert refused(program, moment) == (APART,)


ELSEWHERE = "the subnet inner is in us-east-1a, not in the zone us-east-1c"


@both
@pytest.mark.parametrize("zone", ["us-east-1a", "us-east-1c"])
def test_the_zone_of_a_machine_is_that_of_its_subnet(zone, moment):
    program, templated = Program(), Program()
    placed(program, {"availabilityZone": "us-east-1a"}, {}, availabilityZone=zone)
    template = templated.add(TEMPLATE, "t", placement={"availabilityZone": zone})
    launch = {"launchTemplate": {"id": template.id}}
    placed(templated, {"availabilityZone": "us-east-1a"}, {}, **launch)
    expected = () if zone == "us-east-1a" else (ELSEWHERE,)
    assert refused(program, moment) == refused(templated, moment) == expected


@both
@pytest.mark.parametrize(
    ("zone", "near"),
    [("us-east-1b", True), ("us-east-1-atl-1a", True), ("eu-west-1a", False)],
)
def test_a_zone_is_of_the_machine_s_region(zone, near, moment):
    program, templated = Program(), Program()
    program.add(INSTANCE, "one", instanceType="g6.xlarge", availabilityZone=zone)
    template = templated.add(TEMPLATE, "t", placement={"availabilityZone": zone})
    launch = {"id": template.id}
    templated.add(INSTANCE, "one", instanceType="g6.xlarge", launchTemplate=launch)
    far = f"the zone {zone} is not in us-east-1, the region of the machines"
    assert refused(program, moment) == refused(templated, moment) == (() if near else (far,))


@pytest.mark.parametrize("zone", [UNKNOWN, "${data.zone}", None])
def test_a_zone_that_is_not_known_yet_is_no_other(zone):
    program = Program()
    placed(program, {"availabilityZone": "us-east-1a"}, {}, availabilityZone=zone)
    assert refused(program) == ()


@both
def test_a_subnet_and_a_template_are_of_the_machine_s_region(moment):
    program = Program()
    template = program.add(TEMPLATE, "t")
    launch = {"id": template.id}
    placed(program, {}, {}, region="eu-west-1", launchTemplate=launch)
    assert refused(program, moment) == (
        "LaunchTemplate t is in us-east-1, and the machines are in eu-west-1",
        "Subnet inner is in us-east-1, and the machines are in eu-west-1",
        "SecurityGroup wall is in us-east-1, and the machines are in eu-west-1",
    )


def nodes(program: Program, **inputs) -> None:
    sizes = {"minSize": 0, "maxSize": 2, "desiredSize": 0}
    program.add(NODE_GROUP, "pool", scalingConfig=sizes, **inputs)


@pytest.mark.parametrize(
    ("family", "machine", "fits"),
    [
        ("AL2023_x86_64_NVIDIA", "g6.xlarge", True),
        ("AL2023_ARM_64_NVIDIA", "g6.xlarge", False),
        ("AL2023_ARM_64_NVIDIA", "g5g.xlarge", True),
        ("BOTTLEROCKET_x86_64_NVIDIA", "g5g.xlarge", False),
        ("CUSTOM", "g5g.xlarge", True),
        (UNKNOWN, "g6.xlarge", True),
    ],
)
def test_an_image_type_is_for_the_machines_processor(family, machine, fits):
    program = Program()
    nodes(program, amiType=family, instanceTypes=[machine])
    assert (refused(program) == ()) is fits


@pytest.mark.parametrize(
    ("family", "machine", "good"),
    [
        ("AL2023_x86_64_NVIDIA", "g6.xlarge", True),
        ("AL2_x86_64_GPU", "g6.xlarge", True),
        ("AL2023_x86_64_STANDARD", "g6.xlarge", False),
        ("BOTTLEROCKET_ARM_64", "g5g.xlarge", False),
        ("AL2023_x86_64_NEURON", "trn1.2xlarge", True),
        ("CUSTOM", "g6.xlarge", True),
        (None, "g6.xlarge", True),
    ],
)
def test_an_image_type_has_the_driver_of_the_gpus(family, machine, good):
    program = Program()
    nodes(program, amiType=family, instanceTypes=[machine])
    assert (defects(program, "NVIDIA") == []) is good


ONE_ZONE = "its subnets are in one zone, and EKS needs two"


@both
@pytest.mark.parametrize(
    ("zones", "outpost", "good"),
    [
        (["us-east-1a", "us-east-1b"], None, True),
        (["us-east-1a", "us-east-1a"], None, False),
        (["us-east-1a", None], None, True),
        ([None], None, False),
        (["us-east-1a"], {"outpostArns": ["arn"]}, True),
    ],
)
def test_the_subnets_of_an_eks_cluster_are_in_two_zones(zones, outpost, good, moment):
    program = Program()
    subnets = [
        program.add(SUBNET, f"s{number}", **({"availabilityZone": zone} if zone else {}))
        for number, zone in enumerate(zones)
    ]
    config = {"subnetIds": [subnet.id for subnet in subnets]}
    more = {"outpostConfig": outpost} if outpost else {}
    cluster = program.add("aws:eks/cluster:Cluster", "k8s", vpcConfig=config, **more)
    nodes(program, clusterName=cluster.out("name"), instanceTypes=["g6.xlarge"])
    assert defects(program, ONE_ZONE, moment) == ([] if good else [f"Cluster k8s: {ONE_ZONE}"])
    assert refused(program, moment) == (() if good else (f"its cluster k8s: {ONE_ZONE}",))


@both
@pytest.mark.parametrize(
    ("token", "part"),
    [
        ("aws:lb/loadBalancer:LoadBalancer", ""),
        ("aws:lambda/function:Function", "vpcConfig"),
    ],
)
def test_other_resources_take_no_security_group_of_another_vpc(token, part, moment):
    program = Program()
    inner = program.add(SUBNET, "inner", vpcId=network(program).id)
    wall = program.add(WALL, "wall", vpcId=network(program, "other").id)
    keys = ("subnetIds", "securityGroupIds") if part else ("subnets", "securityGroups")
    joined = dict(zip(keys, ([inner.id], [wall.id]), strict=True))
    program.add(token, "it", **({part: joined} if part else joined))
    assert defects(program, APART, moment) == [f"{token.rpartition(':')[2]} it: {APART}"]


@both
@pytest.mark.parametrize("same", [True, False])
def test_a_security_group_is_of_the_vpc_of_each_subnet_of_a_scaling_group(same, moment):
    program = Program()
    first, second = network(program), network(program, "other")
    near = program.add(SUBNET, "near", vpcId=first.id)
    far = program.add(SUBNET, "inner", vpcId=(first if same else second).id)
    wall = program.add(WALL, "wall", vpcId=first.id)
    walls = {"vpcSecurityGroupIds": [wall.id]}
    template = program.add(TEMPLATE, "node", instanceType="g6.xlarge", **walls)
    sizes = {"minSize": 1, "maxSize": 2, "vpcZoneIdentifiers": [near.id, far.id]}
    program.add(GROUP, "workers", launchTemplate={"id": template.id}, **sizes)
    assert refused(program, moment) == (() if same else (APART,))


def spread(program: Program, token: str, subnets: list) -> str:
    """Machines without security groups in subnets; returns what the message begins with."""
    sizes = {"minSize": 1, "maxSize": 2}
    if token == GROUP:
        template = program.add(TEMPLATE, "node", instanceType="g6.xlarge")
        launch = {"launchTemplate": {"id": template.id}, "vpcZoneIdentifiers": subnets}
        program.add(token, "workers", **sizes, **launch)
    elif token == NODE_GROUP:
        cluster = program.add("aws:eks/cluster:Cluster", "k8s", vpcConfig={"subnetIds": subnets})
        nodes(program, instanceTypes=["g6.xlarge"], clusterName=cluster.out("name"))
        return "its cluster k8s: "
    else:
        computing = {"type": "EC2", "instanceTypes": ["g6.xlarge"], "maxVcpus": 4}
        program.add(token, "workers", computeResources={**computing, "subnets": subnets})
    return ""


@both
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize(
    "token", [GROUP, NODE_GROUP, "aws:batch/computeEnvironment:ComputeEnvironment"]
)
def test_all_subnets_of_machines_that_are_spread_are_of_one_vpc(token, same, moment):
    program = Program()
    first, second = network(program), network(program, "other")
    near = program.add(SUBNET, "near", vpcId=first.id, availabilityZone="us-east-1a")
    vpc = first if same else second
    far = program.add(SUBNET, "inner", vpcId=vpc.id, availabilityZone="us-east-1b")
    begins = spread(program, token, [near.id, far.id])
    words = f"{begins}the subnets near and inner belong to different VPCs"
    assert refused(program, moment) == (() if same else (words,))


def test_the_interfaces_of_a_machine_may_be_in_two_vpcs():
    program = Program()
    nics = []
    for number in range(2):
        vpc = network(program, f"net{number}")
        inner = program.add(SUBNET, f"s{number}", vpcId=vpc.id)
        wall = program.add(WALL, f"wall{number}", vpcId=vpc.id)
        nics.append({"deviceIndex": number, "subnetId": inner.id, "securityGroups": [wall.id]})
    template = program.add(TEMPLATE, "node", networkInterfaces=nics)
    launch = {"id": template.id}
    program.add(INSTANCE, "one", instanceType="g6.xlarge", launchTemplate=launch)
    assert refused(program) == ()


@both
@pytest.mark.parametrize("same", [True, False])
def test_nodes_are_in_the_vpc_of_their_cluster(same, moment):
    program = Program()
    first, second = network(program), network(program, "other")
    zones = ("us-east-1a", "us-east-1b")
    subnets = [
        program.add(SUBNET, zone, vpcId=first.id, availabilityZone=zone).id for zone in zones
    ]
    inner = program.add(SUBNET, "inner", vpcId=(first if same else second).id)
    cluster = program.add("aws:eks/cluster:Cluster", "k8s", vpcConfig={"subnetIds": subnets})
    named = {"clusterName": cluster.out("name"), "subnetIds": [inner.id]}
    nodes(program, instanceTypes=["g6.xlarge"], **named)
    far = "the subnet inner and the cluster k8s are in different VPCs"
    assert refused(program, moment) == (() if same else (far,))
