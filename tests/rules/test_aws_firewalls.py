"""Security groups that a machine doesn't name itself, and interfaces of their own, on AWS."""

from dataclasses import replace

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

SSH = {"protocol": "tcp", "fromPort": 22, "toPort": 22, "cidrBlocks": ["0.0.0.0/0"]}
OPEN, CLOSED = "violated", "fine"


def network(program):
    vpc = program.add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    subnet = program.add(
        "aws:ec2/subnet:Subnet",
        "in",
        vpcId=vpc.id,
        cidrBlock="10.0.1.0/24",
        availabilityZone="us-east-1a",
    )
    return vpc, subnet


def machine(program, **inputs):
    return program.add(
        "aws:ec2/instance:Instance", "m", ami="ami-1", instanceType="g5.xlarge", **inputs
    )


def wall(program, vpc, name="sg", **inputs):
    return program.add("aws:ec2/securityGroup:SecurityGroup", name, vpcId=vpc.id, **inputs)


def logins(program, moment):
    seen = verdicts(of_resources(program.resources(moment)), "open-login")
    return [outcome for outcome, _ in seen]


def safety(program, moment):
    return observe(program.resources(moment)).groups[0].safety


DEFAULT = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"


@both
@pytest.mark.parametrize(("rules", "outcome"), [([SSH], OPEN), ([], CLOSED)])
def test_a_machine_that_names_no_group_is_in_the_default_group_of_its_network(
    moment, rules, outcome
):
    program = Program()
    vpc, subnet = network(program)
    program.add(DEFAULT, "own", vpcId=vpc.id, ingress=rules)
    machine(program, subnetId=subnet.id)
    assert logins(program, moment) == [outcome]


@both
def test_the_default_group_of_another_network_says_nothing(moment):
    program = Program()
    _, subnet = network(program)
    other = program.add("aws:ec2/vpc:Vpc", "other", cidrBlock="10.1.0.0/16")
    program.add(DEFAULT, "own", vpcId=other.id, ingress=[])
    machine(program, subnetId=subnet.id)
    assert safety(program, moment).open_login is UNKNOWN


@both
def test_a_machine_without_a_subnet_is_in_the_default_network(moment):
    program = Program()
    program.add(DEFAULT, "own", ingress=[SSH])
    machine(program)
    assert logins(program, moment) == [OPEN]


def test_a_default_group_that_no_machine_is_in_is_a_door():
    program = Program()
    program.add(DEFAULT, "own", vpcId="vpc-elsewhere", ingress=[SSH])
    assert logins(program, "created") == [OPEN]


ATTACHMENT = (
    "aws:ec2/networkInterfaceSecurityGroupAttachment:NetworkInterfaceSecurityGroupAttachment"
)


def program_with_two_groups():
    program = Program()
    vpc, subnet = network(program)
    closed = wall(program, vpc, "closed", ingress=[])
    opened = wall(program, vpc, "opened", ingress=[SSH])
    return program, subnet, closed, opened


@both
def test_a_group_that_is_attached_later_counts(moment):
    program, subnet, closed, opened = program_with_two_groups()
    server = machine(program, subnetId=subnet.id, vpcSecurityGroupIds=[closed.id])
    added = program.add(
        ATTACHMENT,
        "more",
        securityGroupId=opened.id,
        networkInterfaceId=server.id if moment == "preview" else "eni-of-m",
    )
    resources = [
        replace(each, outputs={**each.outputs, "primaryNetworkInterfaceId": "eni-of-m"})
        if each.urn == server.urn and moment == "created"
        else each
        for each in program.resources(moment)
    ]
    assert observe(resources).groups[0].safety.open_login is True
    program.change(added, networkInterfaceId=UNKNOWN)
    assert safety(program, moment).open_login is UNKNOWN
    program.change(added, networkInterfaceId="eni-of-another-stack")
    assert safety(program, moment).open_login is False


def with_interface(program, subnet, group, **inputs):
    own = program.add(
        "aws:ec2/networkInterface:NetworkInterface",
        "eni",
        subnetId=subnet.id,
        securityGroups=[group.id],
        **inputs,
    )
    return own, {"networkInterfaceId": own.id, "deviceIndex": 0}


@both
@pytest.mark.parametrize("where", ["networkInterfaces", "primaryNetworkInterface"])
def test_a_machine_takes_the_groups_and_the_subnet_of_its_interface(moment, where):
    program, subnet, closed, opened = program_with_two_groups()
    own, nic = with_interface(program, subnet, opened)
    machine(program, **{where: [nic] if where == "networkInterfaces" else nic})
    seen = observe(program.resources(moment))
    (group,) = seen.groups
    assert seen.not_judged == ()
    assert (group.safety.open_login, group.safety.public_ip) == (True, False)
    assert group.rung.zones == ("us-east-1a",)
    assert group.addresses == (1, 251)
    program.change(own, securityGroups=[closed.id])
    assert safety(program, moment).open_login is False


@both
def test_an_interface_of_another_stack_hides_what_it_is(moment):
    program, _, _, _ = program_with_two_groups()
    machine(program, networkInterfaces=[{"networkInterfaceId": "eni-1", "deviceIndex": 0}])
    seen = safety(program, moment)
    assert (seen.open_login, seen.public_ip) == (UNKNOWN, UNKNOWN)


@both
@pytest.mark.parametrize("how", ["own", "association"])
def test_an_elastic_address_of_its_interface_makes_a_machine_public(moment, how):
    program, subnet, closed, _ = program_with_two_groups()
    own, nic = with_interface(program, subnet, closed)
    machine(program, networkInterfaces=[nic])
    if how == "own":
        program.add("aws:ec2/eip:Eip", "ip", networkInterface=own.id)
    else:
        program.add(
            "aws:ec2/eipAssociation:EipAssociation",
            "ip",
            allocationId="eipalloc-1",
            networkInterfaceId=own.id,
        )
    assert safety(program, moment).public_ip is True


@both
@pytest.mark.parametrize("how", ["attachment", "attachments"])
def test_the_groups_of_an_interface_that_is_attached_later_count(moment, how):
    program, subnet, closed, opened = program_with_two_groups()
    server = machine(program, subnetId=subnet.id, vpcSecurityGroupIds=[closed.id])
    if how == "attachments":
        with_interface(
            program, subnet, opened, attachments=[{"instance": server.id, "deviceIndex": 1}]
        )
    else:
        own, _ = with_interface(program, subnet, opened)
        program.add(
            "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment",
            "more",
            instanceId=server.id,
            networkInterfaceId=own.id,
            deviceIndex=1,
        )
    assert safety(program, moment).open_login is True


@both
def test_an_efa_interface_of_its_own_is_a_fabric(moment):
    program = Program()
    vpc, subnet = network(program)
    free = {"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}
    group = wall(program, vpc, ingress=[free], egress=[free])
    _, nic = with_interface(program, subnet, group, interfaceType="efa")
    program.add(
        "aws:ec2/instance:Instance",
        "m",
        ami="ami-1",
        instanceType="p5.48xlarge",
        networkInterfaces=[nic],
    )
    fabric = observe(program.resources(moment)).groups[0].fabric
    assert (fabric.requirement, fabric.interfaces, fabric.one_zone) == ("required", 1, True)
    assert (fabric.self_ingress, fabric.self_egress, fabric.public_ip) == (True, True, False)


def test_which_of_two_kinds_of_interfaces_comes_first_is_known_once_they_have_ids():
    program, subnet, closed, _ = program_with_two_groups()
    plain, first = with_interface(program, subnet, closed)
    fast = program.add(
        plain.type, "fast", subnetId=subnet.id, securityGroups=[closed.id], interfaceType="efa"
    )
    second = {"networkInterfaceId": fast.id, "deviceIndex": 1, "networkCardIndex": 1}
    program.add(
        "aws:ec2/instance:Instance",
        "m",
        ami="ami-1",
        instanceType="p5.48xlarge",
        networkInterfaces=[first, second],
    )
    assert observe(program.resources("preview")).groups[0].fabric.interfaces is UNKNOWN
    fabric = observe(program.resources("created")).groups[0].fabric
    assert (fabric.interfaces, faults_of(fabric.faults, "fabric-cards")) == (1, ())


RESOLVER = "aws:route53/resolverEndpoint:ResolverEndpoint"


@both
@pytest.mark.parametrize(
    ("users", "expected"),
    [
        (["aws:ec2/vpcEndpoint:VpcEndpoint"], []),
        ([RESOLVER], []),
        ([], [OPEN]),
        (["aws:ec2/vpcEndpoint:VpcEndpoint", "aws:ecs/service:Service"], [OPEN]),
        (["aws:unheard/of:Of"], [OPEN]),
    ],
)
def test_a_group_that_only_endpoints_use_lets_nobody_log_in(users, expected, moment):
    program = Program()
    vpc, _ = network(program)
    group = wall(program, vpc, ingress=[{**SSH, "fromPort": 0, "toPort": 65535}])
    for number, token in enumerate(users):
        program.add(token, f"user-{number}", securityGroupIds=[group.id])

    assert [each for each in logins(program, moment) if each != "not-applicable"] == expected
