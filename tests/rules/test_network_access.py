"""Machines of raw resources reach what they use: what a stack shows of it, and what it can't."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Reachability
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Handle, Program

RULE = "network-access"
ANYWHERE = "0.0.0.0/0"
CHANNEL = {"Effect": "Allow", "Action": ["ssmmessages:OpenControlChannel"], "Resource": "*"}
TRUST = {
    "Effect": "Allow",
    "Action": "sts:AssumeRole",
    "Principal": {"Service": "ec2.amazonaws.com"},
}


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Statement": list(statements)})


@dataclass
class Network:
    """A machine in a private subnet behind a NAT gateway, with S3 beside it."""

    program: Program
    parts: dict[str, Handle]

    def __getitem__(self, name: str) -> Handle:
        return self.parts[name]

    def without(self, *names: str) -> "Network":
        for name in names:
            self.program.drop(self[name])
        return self

    def changed(self, name: str, **inputs: Any) -> "Network":
        self.program.change(self[name], **inputs)
        return self

    def told(self) -> tuple[str, str]:
        (finding,) = findings(of_resources(self.program.resources()), RULE)
        return finding.outcome, finding.message


@pytest.fixture
def network() -> Network:
    program = Program()
    parts: dict[str, Handle] = {}

    def add(kind: str, name: str, **inputs: Any) -> Handle:
        parts[name] = program.add(f"aws:{kind}", name, **inputs)
        return parts[name]

    vpc = add("ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    gateway = add("ec2/internetGateway:InternetGateway", "gateway", vpcId=vpc.id)
    outer = add("ec2/subnet:Subnet", "outer", vpcId=vpc.id, cidrBlock="10.0.0.0/24")
    inner = add("ec2/subnet:Subnet", "inner", vpcId=vpc.id, cidrBlock="10.0.1.0/24")
    public = add("ec2/routeTable:RouteTable", "public", vpcId=vpc.id)
    private = add("ec2/routeTable:RouteTable", "private", vpcId=vpc.id)
    association = "ec2/routeTableAssociation:RouteTableAssociation"
    add(association, "of-outer", subnetId=outer.id, routeTableId=public.id)
    add(association, "of-inner", subnetId=inner.id, routeTableId=private.id)
    address = add("ec2/eip:Eip", "address", domain="vpc")
    nat = add("ec2/natGateway:NatGateway", "nat", allocationId=address.id, subnetId=outer.id)
    world = {"destinationCidrBlock": ANYWHERE}
    add("ec2/route:Route", "to-world", routeTableId=public.id, gatewayId=gateway.id, **world)
    add("ec2/route:Route", "to-nat", routeTableId=private.id, natGatewayId=nat.id, **world)
    add(
        "ec2/vpcEndpoint:VpcEndpoint",
        "s3",
        vpcId=vpc.id,
        serviceName="com.amazonaws.us-east-1.s3",
        routeTableIds=[private.id],
    )
    wall = add("ec2/securityGroup:SecurityGroup", "wall", vpcId=vpc.id)
    add(
        "vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "https",
        securityGroupId=wall.id,
        ipProtocol="tcp",
        fromPort=443,
        toPort=443,
        cidrIpv4=ANYWHERE,
    )
    role = add("iam/role:Role", "role", assumeRolePolicy=document(TRUST))
    add("iam/rolePolicy:RolePolicy", "channel", role=role.out("name"), policy=document(CHANNEL))
    profile = add("iam/instanceProfile:InstanceProfile", "profile", role=role.out("name"))
    add(
        "ec2/instance:Instance",
        "machine",
        instanceType="g6.8xlarge",
        subnetId=inner.id,
        vpcSecurityGroupIds=[wall.id],
        iamInstanceProfile=profile.out("name"),
    )
    return Network(program, parts)


def test_a_machine_reaches_what_it_uses(network: Network) -> None:
    outcome, message = network.told()

    assert outcome == "fine"
    assert message == (
        "connections out to TCP 443; a NAT gateway in outer; S3 through its gateway endpoint; "
        "actions allowed: 1 of ssmmessages; login through Session Manager"
    )


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        ("https", "no security group allows outbound HTTPS (TCP 443)"),
        ("to-nat", "has no route out and no endpoints"),
        ("of-inner", "has no route out and no endpoints"),
        ("to-world", "the subnet of the NAT gateway nat has no route out"),
        ("s3", "NAT gateway, which is billed by the byte"),
        ("channel", "no login"),
    ],
)
def test_what_is_missing_is_told(network: Network, dropped: str, words: str) -> None:
    outcome, message = network.without(dropped).told()

    assert outcome == "violated"
    assert words in message


@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        (
            "https",
            {"fromPort": 80, "toPort": 80},
            "no security group allows outbound HTTPS (TCP 443)",
        ),
        ("https", {"cidrIpv4": None}, "no security group allows outbound HTTPS (TCP 443)"),
        ("nat", {"allocationId": None}, "the NAT gateway nat has no address"),
        ("gateway", {"vpcId": "vpc-other"}, None),
        ("role", {"assumeRolePolicy": document()}, "may not assume it"),
        ("machine", {"keyName": "mine"}, None),
    ],
)
def test_what_is_wrong_is_told(
    network: Network, name: str, inputs: dict[str, Any], words: str | None
) -> None:
    outcome, message = network.changed(name, **inputs).told()

    assert outcome == ("fine" if words is None else "violated")
    assert words is None or words in message


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("inner", {"vpcId": "vpc-0123456789abcdef0"}),
        ("machine", {"subnetId": "subnet-0123456789abcdef0"}),
        ("to-nat", {"natGatewayId": None, "transitGatewayId": "tgw-0123456789abcdef0"}),
    ],
)
def test_what_stands_elsewhere_is_no_fault(
    network: Network, name: str, inputs: dict[str, Any]
) -> None:
    assert network.changed(name, **inputs).told()[0] == "fine"


def test_a_nat_gateway_behind_its_own_routes_leads_nowhere(network: Network) -> None:
    outcome, message = network.changed("nat", subnetId=network["inner"].id).told()

    assert outcome == "violated"
    assert "the routes of the NAT gateway nat lead back to it" in message


def test_a_table_that_is_not_in_the_stack_hides_the_way_out(network: Network) -> None:
    network.without("of-inner").changed("to-nat", routeTableId="rtb-0123456789abcdef0")

    assert network.told()[0] == "fine"


def test_a_machine_of_which_nothing_is_known_is_not_judged() -> None:
    assert outcomes(plan(group(reach=None)), RULE) == ["not-applicable"]
    assert outcomes(plan(group(reach=Reachability(open_paths=("a",)))), RULE) == ["fine"]
    assert outcomes(
        plan(group(reach=Reachability(open_paths=("a",), faults=rule_faults(RULE, ("b",))))), RULE
    ) == ["violated"]
    assert outcomes(plan(), RULE) == ["not-applicable"]


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("iam/rolePolicyAttachment:RolePolicyAttachment", {"role": UNKNOWN, "policyArn": "a"}),
        ("iam/policyAttachment:PolicyAttachment", {"roles": UNKNOWN, "policyArn": "a"}),
        ("iam/policyAttachment:PolicyAttachment", {"roles": ["a", UNKNOWN], "policyArn": "a"}),
        (
            "iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
            {"roleName": UNKNOWN, "policyArns": ["a"]},
        ),
        ("iam/rolePolicy:RolePolicy", {"role": UNKNOWN, "policy": document(CHANNEL)}),
    ],
)
def test_a_policy_that_may_be_of_the_role_may_open_the_channel(
    network: Network, kind: str, inputs: dict[str, Any]
) -> None:
    network.without("channel").program.add(f"aws:{kind}", "perhaps", **inputs)

    assert network.told()[0] == "fine"
    network.program.drop(network.program.handles[next(reversed(network.program.handles))])
    assert network.told()[0] == "violated"


@pytest.mark.parametrize(
    ("reach", "outcome"),
    [
        (Reachability(), "fine"),
        (Reachability(faults=rule_faults(RULE, ("one", "two"))), "violated"),
        (Reachability(faults=rule_faults(RULE, UNKNOWN)), "not-knowable"),
        (None, "not-applicable"),
    ],
    ids=str,
)
def test_a_group_is_judged_by_what_it_reaches(reach, outcome):
    assert outcomes(plan(group(reach=reach)), RULE) == [outcome]


@pytest.mark.parametrize(
    ("left_out", "fix"),
    [
        ("channel", "attach AmazonSSMManagedInstanceCore to the role"),
        ("https", "add an egress rule for TCP 443 to a security group of the machines"),
        ("s3", "add a gateway endpoint for S3 to the route table of inner"),
        ("to-world", "route the subnet of the NAT gateway nat to an internet gateway"),
    ],
)
def test_each_closed_path_has_its_own_fix(network: Network, left_out: str, fix: str) -> None:
    (finding,) = findings(of_resources(network.without(left_out).program.resources()), RULE)
    assert finding.fix.startswith(fix)
