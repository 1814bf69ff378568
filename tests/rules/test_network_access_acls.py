"""A network ACL that allows nothing keeps machines from what they need."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ACL, RULE = "aws:ec2/networkAcl:NetworkAcl", "aws:ec2/networkAclRule:NetworkAclRule"
DEFAULT = "aws:ec2/defaultNetworkAcl:DefaultNetworkAcl"
ASSOCIATION = "aws:ec2/networkAclAssociation:NetworkAclAssociation"
EVERYTHING = {"protocol": "-1", "ruleNo": 1, "fromPort": 0, "toPort": 0, "action": "allow"}
WEB = {**EVERYTHING, "protocol": "tcp", "fromPort": 443, "toPort": 443}
SSH = {**WEB, "fromPort": 22, "toPort": 22}
REPLIES = {**WEB, "fromPort": 32768, "toPort": 61000}
DENIES = {**EVERYTHING, "action": "deny"}
OUT = "the network ACL acl allows no outbound HTTPS (TCP 443)"
IN = "the network ACL acl allows no inbound replies (TCP 1024-65535)"


def machine():
    """A machine in a subnet of the stack, and the subnet."""
    program = Program()
    network = program.add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    subnet = program.add("aws:ec2/subnet:Subnet", "s", vpcId=network.id, cidrBlock="10.0.0.0/24")
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", subnetId=subnet.id)
    return program, network, subnet


def told(program, moment):
    found = findings(of_resources(program.resources(moment)), "network-access")
    return [words for words in (OUT, IN) if any(words in finding.message for finding in found)]


@both
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, [OUT, IN]),
        ({"ingress": [], "egress": []}, [OUT, IN]),
        ({"ingress": [DENIES], "egress": [DENIES]}, [OUT, IN]),
        ({"ingress": [EVERYTHING], "egress": [EVERYTHING]}, []),
        ({"ingress": [REPLIES], "egress": [WEB]}, []),
        ({"ingress": [SSH], "egress": [WEB]}, [IN]),
        ({"ingress": [EVERYTHING], "egress": [SSH]}, [OUT]),
        ({"ingress": [EVERYTHING], "egress": [{**WEB, "protocol": "udp"}]}, [OUT]),
        ({"ingress": UNKNOWN, "egress": UNKNOWN}, []),
        ({"ingress": [EVERYTHING], "egress": [{**SSH, "toPort": UNKNOWN}]}, []),
    ],
)
def test_an_acl_of_the_subnet_lets_https_out_and_replies_in(rules, expected, moment):
    program, network, subnet = machine()
    program.add(ACL, "acl", vpcId=network.id, subnetIds=[subnet.id], **rules)

    assert told(program, moment) == expected


@both
def test_an_acl_may_be_associated_and_its_rules_may_stand_alone(moment):
    program, network, subnet = machine()
    acl = program.add(ACL, "acl", vpcId=network.id)
    program.add(ASSOCIATION, "a", networkAclId=acl.id, subnetId=subnet.id)
    assert told(program, moment) == [OUT, IN]

    allows = {"protocol": "-1", "ruleNumber": 1, "ruleAction": "allow", "cidrBlock": "0.0.0.0/0"}
    program.add(RULE, "out", networkAclId=acl.id, egress=True, **allows)
    assert told(program, moment) == [IN]

    program.add(RULE, "in", networkAclId=acl.id, **allows)
    assert told(program, moment) == []


def test_a_network_s_own_acl_without_rules_denies_everything_too():
    program, network, _ = machine()
    program.add(DEFAULT, "acl", defaultNetworkAclId=network.out("defaultNetworkAclId"))

    assert told(program, "preview") == [OUT, IN]


def test_an_acl_of_another_subnet_says_nothing():
    program, network, _ = machine()
    program.add(ACL, "acl", vpcId=network.id, subnetIds=["subnet-1"])

    assert told(program, "created") == []
