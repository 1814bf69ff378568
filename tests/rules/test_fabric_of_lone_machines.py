"""Single machines of AWS that train together: one zone, one network, open to each other."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.cluster import Cluster, cluster
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle
from tests.rules.cases.verdicts import verdicts

ZONE = "fabric-one-zone"
WALLS = ("fabric-self-ingress", "fabric-self-egress")
CLOSED = [
    f"it and 1 more are in security groups that do not allow {way} traffic from one to the other"
    for way in ("inbound", "outbound")
]
APART = "it and 1 more are in several zones: us-east-1a, us-east-1b"


def lone() -> Cluster:
    case = cluster("p4d.24xlarge", nodes=1, cards=4)
    del case.program.handles[case.scaling.urn]
    return case


def subnet(case: Cluster, name: str, zone: str, vpc: Any = None) -> Handle:
    own = case.program.handles[case.subnet.urn].inputs["vpcId"]
    return case.program.add("aws:ec2/subnet:Subnet", name, vpcId=vpc or own, availabilityZone=zone)


def template(case: Cluster, name: str, **changes: Any) -> dict[str, Any]:
    """A template as that of the cluster, with other settings."""
    inputs = case.program.handles[case.template.urn].inputs
    made = case.program.add(case.template.type, name, **{**inputs, **changes})
    return {"id": made.id, "version": "$Latest"}


def nics(case: Cluster, **changes: Any) -> list[dict[str, Any]]:
    inputs = case.program.handles[case.template.urn].inputs
    return [{**nic, **changes} for nic in inputs["networkInterfaces"]]


def wrong(case: Cluster, rule: str, moment: Any = "created") -> list[str]:
    given = verdicts(of_resources(case.program.resources(moment)), rule)
    return [message for outcome, message in given if outcome == "violated"]


@both
@pytest.mark.parametrize("way", ["interfaces", "placement"])
@pytest.mark.parametrize("second", ["us-east-1a", "us-east-1b"])
def test_a_template_says_in_which_zone_its_machine_is(way, second, moment):
    case = lone()
    for number, zone in enumerate(("us-east-1a", second)):
        near = {"groupName": case.placement.out("name")}
        changes = (
            {"networkInterfaces": nics(case, subnetId=subnet(case, f"s{number}", zone).id)}
            if way == "interfaces"
            else {"placement": {**near, "availabilityZone": zone}}
        )
        launch = template(case, f"t{number}", **changes)
        case.program.add("aws:ec2/instance:Instance", f"w{number}", launchTemplate=launch)
    assert wrong(case, ZONE, moment) == ([APART] if second == "us-east-1b" else [])


@both
@pytest.mark.parametrize("second", ["use1-az1", "use1-az2", UNKNOWN])
def test_the_zones_of_subnets_may_be_told_by_their_ids(second, moment):
    case = lone()
    own = case.program.handles[case.subnet.urn].inputs["vpcId"]
    for number, zone in enumerate(("use1-az1", second)):
        near = {"vpcId": own, "availabilityZoneId": zone}
        inner = case.program.add("aws:ec2/subnet:Subnet", f"s{number}", **near)
        launch = template(case, f"t{number}", networkInterfaces=nics(case, subnetId=inner.id))
        case.program.add("aws:ec2/instance:Instance", f"w{number}", launchTemplate=launch)
    apart = "it and 1 more are in several zones: use1-az1, use1-az2"
    assert wrong(case, ZONE, moment) == ([apart] if second == "use1-az2" else [])


UNSEEN = "it and 1 more are in subnets whose zones are unknown"
IN_A, IN_ID = {"availabilityZone": "us-east-1a"}, {"availabilityZoneId": "use1-az1"}


def unsure(case: Cluster, moment: Any = "created") -> list[str]:
    given = verdicts(of_resources(case.program.resources(moment)), ZONE)
    return [message for outcome, message in given if outcome == "not-knowable"]


@both
@pytest.mark.parametrize(
    ("zones", "messages"),
    [
        ([{}, {}], [UNSEEN]),
        ([IN_A, {}], [UNSEEN]),
        ([IN_A, IN_ID], [UNSEEN]),
        ([IN_ID, IN_ID], []),
        ([IN_A, IN_A], []),
        ([{}], []),
    ],
)
def test_subnets_that_tell_no_zone_may_be_in_several(zones, messages, moment):
    case = lone()
    own = case.program.handles[case.subnet.urn].inputs["vpcId"]
    subnets = [
        case.program.add("aws:ec2/subnet:Subnet", f"s{number}", vpcId=own, **zone)
        for number, zone in enumerate(zones)
    ]
    for number in range(2):
        inner = subnets[number % len(subnets)]
        launch = template(case, f"t{number}", networkInterfaces=nics(case, subnetId=inner.id))
        case.program.add("aws:ec2/instance:Instance", f"w{number}", launchTemplate=launch)
    assert unsure(case, moment) == messages


@pytest.mark.parametrize(("second", "messages"), [("subnet-1", []), ("subnet-2", [UNSEEN])])
def test_subnets_of_elsewhere_are_compared_by_their_ids(second, messages):
    case = lone()
    for number, inner in enumerate(("subnet-1", second)):
        launch = template(case, f"t{number}", networkInterfaces=nics(case, subnetId=inner))
        case.program.add("aws:ec2/instance:Instance", f"w{number}", launchTemplate=launch)
    assert unsure(case) == messages


def test_a_zone_of_the_machine_comes_before_that_of_its_template():
    case = lone()
    launch = template(case, "t", placement={"availabilityZone": "us-east-1b"})
    case.program.add(
        "aws:ec2/instance:Instance", "w", launchTemplate=launch, availabilityZone="us-east-1a"
    )
    (group,) = observe(case.program.resources()).groups
    assert group.rung.zones == ("us-east-1a",)


def test_a_disk_in_another_zone_than_the_template_s_is_refused():
    case = lone()
    inner = subnet(case, "s", "us-east-1b")
    launch = template(case, "t", networkInterfaces=nics(case, subnetId=inner.id))
    add = case.program.add
    machine = add("aws:ec2/instance:Instance", "w", launchTemplate=launch)
    disk = add("aws:ebs/volume:Volume", "d", availabilityZone="us-east-1a", size=10)
    add("aws:ec2/volumeAttachment:VolumeAttachment", "a", instanceId=machine.id, volumeId=disk.id)
    (message,) = wrong(case, "disk-limits")
    assert message.startswith("the disk d is in us-east-1a, its machine in us-east-1b")


def rule(case: Cluster, group: Handle, peer: Handle, way: str) -> None:
    case.program.add(
        f"aws:vpc/securityGroup{way}Rule:SecurityGroup{way}Rule",
        f"{group.name}-{peer.name}-{way}",
        securityGroupId=group.id,
        referencedSecurityGroupId=peer.id,
        ipProtocol="-1",
    )


def second_group(case: Cluster) -> Handle:
    """Another group that is open to itself, as that of the cluster."""
    own = case.program.handles[case.group.urn].inputs
    group = case.program.add(case.group.type, "other", **own)
    for way in ("Ingress", "Egress"):
        rule(case, group, group, way)
    return group


def of_groups(case: Cluster, *groups: Any, kind: str = "instance") -> None:
    """A machine for each of some groups, as instances or as scaling groups of one machine."""
    for number, group in enumerate(groups):
        near = {} if kind == "group" else {"subnetId": case.subnet.id}
        interfaces = nics(case, securityGroups=[group], **near)
        launch = template(case, f"t{number}", networkInterfaces=interfaces)
        if kind == "instance":
            case.program.add("aws:ec2/instance:Instance", f"w{number}", launchTemplate=launch)
            continue
        sizes = {"minSize": 1, "maxSize": 1, "vpcZoneIdentifiers": [case.subnet.id]}
        case.program.add(case.scaling.type, f"w{number}", launchTemplate=launch, **sizes)


def walls(case: Cluster, moment: Any = "created") -> list[str]:
    return [message for name in WALLS for message in wrong(case, name, moment)]


@both
@pytest.mark.parametrize("kind", ["instance", "group"])
def test_groups_that_are_open_to_themselves_alone_keep_machines_apart(kind, moment):
    case = lone()
    of_groups(case, case.group.id, second_group(case).id, kind=kind)
    assert walls(case, moment) == CLOSED


@both
def test_groups_that_name_each_other_let_machines_meet(moment):
    case = lone()
    other = second_group(case)
    for way in ("Ingress", "Egress"):
        rule(case, case.group, other, way)
        rule(case, other, case.group, way)
    of_groups(case, case.group.id, other.id)
    assert walls(case, moment) == []


@both
def test_one_closed_way_keeps_machines_apart(moment):
    case = lone()
    other = second_group(case)
    rule(case, case.group, other, "Ingress")
    for group, peer in ((case.group, other), (other, case.group)):
        rule(case, group, peer, "Egress")
    of_groups(case, case.group.id, other.id)
    assert walls(case, moment) == CLOSED[:1]


def test_machines_of_one_group_meet_and_of_a_group_elsewhere_nobody_knows():
    case = lone()
    second_group(case)
    of_groups(case, case.group.id, case.group.id, "sg-0elsewhere")
    assert walls(case) == []


def test_a_rule_that_is_not_known_yet_may_let_machines_meet():
    case = lone()
    other = second_group(case)
    case.program.change(other, ingress=[UNKNOWN], egress=[UNKNOWN])
    case.program.change(case.group, ingress=[UNKNOWN], egress=[UNKNOWN])
    of_groups(case, case.group.id, other.id)
    assert walls(case) == []


@both
def test_all_templates_of_a_scaling_group_let_machines_meet(moment):
    case = lone()
    launches = [
        template(case, f"t{number}", networkInterfaces=nics(case, securityGroups=[group.id]))
        for number, group in enumerate((case.group, second_group(case)))
    ]
    first, second = ({"launchTemplateId": launch["id"]} for launch in launches)
    overrides = [{"launchTemplateSpecification": second}, {"instanceType": "p4d.24xlarge"}]
    mixed = {"launchTemplateSpecification": first, "overrides": overrides}
    case.program.add(
        case.scaling.type,
        "workers",
        minSize=2,
        maxSize=2,
        vpcZoneIdentifiers=[case.subnet.id],
        mixedInstancesPolicy={"launchTemplate": mixed},
    )
    assert walls(case, moment) == [
        said.replace("it and 1 more", "its machines") for said in CLOSED
    ]


@pytest.mark.parametrize("second", ["vpc-0one", "vpc-0two"])
def test_efa_connects_no_two_networks_even_where_they_are_joined(second):
    case = lone()
    case.program.add("aws:ec2/vpcPeeringConnection:VpcPeeringConnection", "peer", vpcId="vpc-0one")
    for number, vpc in enumerate(("vpc-0one", second)):
        inner = subnet(case, f"s{number}", "us-east-1a", vpc)
        launch = template(case, f"t{number}", networkInterfaces=nics(case, subnetId=inner.id))
        case.program.add("aws:ec2/instance:Instance", f"w{number}", launchTemplate=launch)
    apart = "it and 1 more are in different networks, which no fabric connects"
    assert wrong(case, "fabric-networks") == ([apart] if second == "vpc-0two" else [])
