"""Zones apart from their region have prices of their own: the region's do not hold there."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.azure.observe import observe as observe_azure
from gpuinfra.clouds.gcp.observe import observe as observe_gcp
from tests.rules.cases import azure_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

SUBNET = "aws:ec2/subnet:Subnet"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"


def region(program, moment="created"):
    (group,) = observe(program.resources(moment)).groups
    return group.rung.region


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("us-east-1a", "us-east-1"),
        ("us-gov-west-1b", "us-gov-west-1"),
        ("ap-southeast-2c", "ap-southeast-2"),
        ("us-east-1-atl-1a", "us-east-1-atl-1"),
        ("us-west-2-lax-1b", "us-west-2-lax-1"),
        ("us-east-1-wl1-bos-wlz-1", "us-east-1-wl1-bos-wlz-1"),
    ],
)
def test_a_machine_is_in_its_zone_s_region_or_in_a_local_zone(zone, expected):
    program = Program(region=None)
    machine = {"instanceType": "g4dn.xlarge", "availabilityZone": zone}
    program.add("aws:ec2/instance:Instance", "m", **machine)

    assert region(program) == expected


@both
@pytest.mark.parametrize(
    "inputs",
    [
        {"availabilityZone": "us-east-1-atl-1a"},
        {"availabilityZoneId": "use1-atl1-az1"},
    ],
)
def test_a_subnet_of_a_local_zone_holds_machines_and_gateways_there(moment, inputs):
    program = Program()
    subnet = program.add(SUBNET, "s", **inputs)
    template = program.add(TEMPLATE, "t", instanceType="g4dn.xlarge")
    program.add(
        GROUP, "g", maxSize=1, launchTemplate={"id": template.id}, vpcZoneIdentifiers=[subnet.id]
    )
    program.add("aws:ec2/natGateway:NatGateway", "n", subnetId=subnet.id)
    rows = observe(program.resources(moment))

    assert rows.groups[0].rung.region.startswith(("us-east-1-atl", "use1-atl"))
    assert {item.region for item in rows.items if item.region} == {rows.groups[0].rung.region}


@both
@pytest.mark.parametrize("how", ["placement", "interface", "override"])
def test_a_template_or_an_override_may_name_the_zone(moment, how):
    program = Program()
    subnet = program.add(SUBNET, "s", availabilityZone="us-east-1-atl-1a")
    settings = {
        "placement": {"placement": {"availabilityZone": "us-east-1-atl-1a"}},
        "interface": {"networkInterfaces": [{"subnetId": subnet.id}]},
        "override": {},
    }[how]
    template = program.add(TEMPLATE, "t", instanceType="g4dn.xlarge", **settings)
    specification = {"launchTemplateId": template.id, "version": "$Latest"}
    override = {"availabilityZone": "us-east-1-atl-1a"} if how == "override" else {}
    program.add(
        "aws:ec2/fleet:Fleet",
        "f",
        targetCapacitySpecification={
            "totalTargetCapacity": 1,
            "defaultTargetCapacityType": "on-demand",
        },
        launchTemplateConfigs=[
            {"launchTemplateSpecification": specification, "overrides": [override]}
        ],
    )

    assert region(program, moment) == "us-east-1-atl-1"


def test_what_stands_in_a_local_zone_has_no_price():
    program = Program()
    machine = {"instanceType": "g4dn.xlarge", "availabilityZone": "us-east-1-atl-1a"}
    program.add("aws:ec2/instance:Instance", "m", **machine)

    assert "violated" in outcomes(of_resources(program.resources()), "price-unknown")


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("us-central1-a", "us-central1"), ("us-central1-ai1a", "us-central1-ai1a")],
)
def test_an_ai_zone_of_google_cloud_is_a_place_of_its_own(zone, expected):
    program = GcpProgram()
    program.add("gcp:compute/instance:Instance", "m", machineType="g2-standard-4", zone=zone)

    assert observe_gcp(program.resources()).groups[0].rung.region == expected


def test_an_edge_zone_of_azure_is_a_place_of_its_own():
    program = AzureProgram()
    azure_stacks.scale_set(
        program, "edge", extendedLocation={"name": "losangeles", "type": "EdgeZone"}
    )

    assert observe_azure(program.resources()).groups[0].rung.region == "losangeles"
