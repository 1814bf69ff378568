"""Single machines of AWS that train together: one zone, one network, open to each other."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from tests.rules.cases.cluster import Cluster, cluster
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Handle
from tests.rules.cases.verdicts import verdicts

both = pytest.mark.parametrize("moment", ["preview", "created"])
ZONE = "fabric-one-zone"
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
