"""Whether a machine of AWS is open to the internet, and what addresses and networks cost."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import Usage
from tests.rules.cases import stacks
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def rows(resources, usage=Usage()):  # noqa: B008 - frozen
    items = observe(resources, usage).items
    return [(item.name, item.item, item.quantity, item.region) for item in items]


@both
def test_an_open_machine_is_seen_open(moment):
    (group,) = observe(stacks.open_machine().resources(moment)).groups
    safety = group.safety
    assert safety.metadata_v2 is False
    assert safety.disks_encrypted is False
    assert safety.public_ip is True
    assert safety.open_login is True
    assert safety.administrator is True
    assert safety.long_lived_key is True
    assert ("public address", "public-ipv4-hour", 1, None) in rows(
        stacks.open_machine().resources(moment)
    )


@both
def test_an_elastic_address_makes_a_machine_public(moment):
    program = Program()
    subnet = program.add("aws:ec2/subnet:Subnet", "in", availabilityZone="us-east-1a")
    machine = program.add(
        "aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", subnetId=subnet.id
    )
    assert observe(program.resources(moment)).groups[0].safety.public_ip is False
    program.add("aws:ec2/eip:Eip", "a", instance=machine.id)
    assert observe(program.resources(moment)).groups[0].safety.public_ip is True


@both
def test_what_a_network_costs(moment):
    assert rows(stacks.network().resources(moment)) == [
        ("out", "public-ipv4-hour", 1, "us-east-1"),
        ("out", "nat-gateway-hour", 1, "us-east-1"),
        ("out", "nat-gateway-data", None, "us-east-1"),
        ("ssm", "vpc-interface-endpoint-hour", 1, "us-east-1"),
        ("ssm", "vpc-interface-endpoint-data-first-1pb", None, "us-east-1"),
    ]


@both
def test_a_public_balancer_has_an_address_in_each_subnet_and_an_internal_one_none(moment):
    program = stacks.mixed_pool()
    front = [row for row in rows(program.resources(moment)) if row[0] == "front"]
    assert front == [
        ("front", "alb-hour", 1, "eu-west-1"),
        ("front", "alb-lcu", None, "eu-west-1"),
        ("front", "public-ipv4-hour", 2, "eu-west-1"),
    ]
    (balancer,) = [handle for handle in program.handles.values() if handle.name == "front"]
    program.change(balancer, internal=True)
    assert ("front", "public-ipv4-hour", 2, "eu-west-1") not in rows(program.resources(moment))


def test_an_older_token_is_the_same_load_balancer():
    program = Program()
    token = "aws:alb/loadBalancer:LoadBalancer"
    program.add(token, "old", internal=True, loadBalancerType="network")
    assert [row[1] for row in rows(program.resources())] == ["nlb-hour", "nlb-lcu"]


@pytest.mark.parametrize("in_listed_groups", [False, True])
@pytest.mark.parametrize(
    "module", ["lb", "alb", "applicationloadbalancing", "elasticloadbalancingv2"]
)
@pytest.mark.parametrize("is_forwarded", [False, True])
def test_a_target_group_of_any_token_shows_the_path_of_requests(
    module, is_forwarded, in_listed_groups
):
    program = Program()
    template = program.add("aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="g6.xlarge")
    arn = program.add(f"aws:{module}/targetGroup:TargetGroup", "to", port=80, protocol="HTTP").arn
    program.add(
        "aws:autoscaling/group:Group",
        "servers",
        maxSize=2,
        launchTemplate={"id": template.id},
        targetGroupArns=[arn],
    )
    to = (
        {"forward": {"targetGroups": [{"arn": arn}]}}
        if in_listed_groups
        else {"targetGroupArn": arn}
    )
    balancer = program.add(
        f"aws:{module}/loadBalancer:LoadBalancer", "front", subnets=["subnet-1"]
    )
    program.add(
        f"aws:{module}/listener:Listener",
        "web",
        loadBalancerArn=balancer.arn,
        port=80,
        protocol="HTTP",
        defaultActions=[{"type": "forward", **to} if is_forwarded else {"type": "fixed-response"}],
    )
    (finding,) = findings(of_resources(program.resources()), "network-access")
    expected = "requests by HTTP 80 to HTTP 80" if is_forwarded else "no listener forwards to"
    assert expected in finding.message


@both
def test_an_address_that_nobody_can_know_yet_counts_at_its_ceiling(moment):
    program = Program()
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", subnetId="subnet-1")
    (address,) = [
        item for item in observe(program.resources(moment)).items if item.kind == "address"
    ]
    assert address.quantity == 1
