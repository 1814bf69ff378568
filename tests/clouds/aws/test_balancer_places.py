"""Load balancers in subnets that AWS refuses."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.aws.test_start_places import SUBNET, defects, network
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

BALANCER = "aws:lb/loadBalancer:LoadBalancer"
ALONE = "its subnets are in one zone, and an application load balancer needs two"
SHARED = "the subnets s0 and s1 are both in us-east-1a, and a load balancer takes one of each zone"
CLOSED = "it faces the internet, and its VPC net has no internet gateway"
GATEWAY = "aws:ec2/internetGateway:InternetGateway"
ATTACHED = "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment"


def balanced(zones, mapped=False, more=None, subnet=None):
    program = Program()
    subnets = [
        program.add(
            SUBNET, f"s{number}", **({"availabilityZone": zone} if zone else {}), **(subnet or {})
        )
        for number, zone in enumerate(zones)
    ]
    ids = [each.id for each in subnets]
    placed = (
        {"subnetMappings": [{"subnetId": each} for each in ids]} if mapped else {"subnets": ids}
    )
    program.add(BALANCER, "front", **placed, **(more or {}))
    return program


@both
@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(
    ("zones", "more", "subnet", "good"),
    [
        (["us-east-1a", "us-east-1b"], {}, {}, True),
        (["us-east-1a"], {}, {}, False),
        ([None], {}, {}, False),
        ([None, None], {}, {}, True),
        (["us-east-1a"], {"loadBalancerType": "network"}, {}, True),
        (["us-east-1a"], {"loadBalancerType": UNKNOWN}, {}, True),
        ([UNKNOWN], {}, {}, True),
        (["us-west-2-lax-1a"], {}, {}, True),
        (["us-east-1a"], {}, {"outpostArn": "arn"}, True),
    ],
)
def test_an_application_balancer_is_in_two_zones(zones, more, subnet, good, mapped, moment):
    program = balanced(zones, mapped, more, subnet)
    expected = [] if good else [f"LoadBalancer front: {ALONE}"]
    assert defects(program, ALONE, moment) == expected


def test_a_subnet_of_elsewhere_may_be_in_a_local_zone():
    program = Program()
    program.add(BALANCER, "front", subnets=["subnet-1"])
    assert defects(program, ALONE) == []


@both
@pytest.mark.parametrize("kind", ["application", "network"])
@pytest.mark.parametrize(
    ("zones", "good"),
    [
        (["us-east-1a", "us-east-1a", "us-east-1b"], False),
        (["us-east-1a", "us-east-1b"], True),
        ([UNKNOWN, UNKNOWN], True),
    ],
)
def test_a_balancer_takes_one_subnet_of_each_zone(zones, good, kind, moment):
    program = balanced(zones, more={"loadBalancerType": kind})
    expected = [] if good else [f"LoadBalancer front: {SHARED}"]
    assert defects(program, SHARED, moment) == expected


@both
@pytest.mark.parametrize(
    ("zones", "words"),
    [
        (["us-east-1a"], ALONE),
        (["us-west-2-lax-1a"], None),
        (["us-east-1a", "us-east-1b"], None),
        (["us-east-1a", "us-east-1a"], SHARED),
    ],
)
def test_an_ingress_names_subnets_of_two_zones(zones, words, moment):
    program = Program()
    subnets = [
        program.add(SUBNET, f"s{number}", availabilityZone=zone)
        for number, zone in enumerate(zones)
    ]
    named = [each.id for each in subnets]
    annotations = {"alb.ingress.kubernetes.io/subnets": joined(program, named, moment)}
    kind = "kubernetes:networking.k8s.io/v1:Ingress"
    inputs = {"metadata": {"annotations": annotations}}
    program.add(kind, "web", **inputs)
    found = [each for each in defects(program, "", moment) if each.startswith("Ingress")]
    expected = {ALONE: [ALONE], SHARED: [SHARED, ALONE], None: []}[words]
    assert found == [f"Ingress web: {each}" for each in expected]


def joined(program, references, moment):
    """Return references as an annotation has them: one text, once all of them are known."""
    if moment == "preview":
        return references[0] if len(references) == 1 else references
    return ", ".join(program.handles[each.urn].outputs["id"] for each in references)


@both
@pytest.mark.parametrize("kind", [None, GATEWAY, ATTACHED])
@pytest.mark.parametrize("internal", [False, True, UNKNOWN])
def test_a_public_balancer_needs_an_internet_gateway(kind, internal, moment):
    program = Program()
    net = network(program, "net")
    subnet = program.add(SUBNET, "s", vpcId=net.id)
    program.add(BALANCER, "front", subnets=[subnet.id], internal=internal)
    if kind:
        program.add(kind, "way", vpcId=net.id)
    good = kind is not None or internal is not False
    expected = [] if good else [f"LoadBalancer front: {CLOSED}"]
    assert defects(program, CLOSED, moment) == expected


@pytest.mark.parametrize(("kind", "good"), [("network", False), ("gateway", True)])
def test_a_balancer_of_appliances_needs_none(kind, good):
    program = Program()
    subnet = program.add(SUBNET, "s", vpcId=network(program, "net").id)
    program.add(BALANCER, "front", subnets=[subnet.id], loadBalancerType=kind)
    assert defects(program, CLOSED) == ([] if good else [f"LoadBalancer front: {CLOSED}"])
