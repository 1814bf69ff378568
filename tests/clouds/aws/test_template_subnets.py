"""A machine stands in the subnet that its launch template's interfaces name."""

import pytest

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.launch_settings import instance_launch
from gpuinfra.clouds.aws.observe.network.fabric import public_address
from gpuinfra.model import UNKNOWN, Resource


def machine(subnet, *, public=False, several=1):
    nics = [{"networkCardIndex": at, "subnetId": subnet} for at in range(several)]
    nic = {} if subnet is None else {"networkInterfaces": nics}
    made = [
        ("subnet", "aws:ec2/subnet:Subnet", {"mapPublicIpOnLaunch": public}, {}),
        ("lt", "aws:ec2/launchTemplate:LaunchTemplate", nic, {"networkInterfaces": ("subnet",)}),
        (
            "box",
            "aws:ec2/instance:Instance",
            {"launchTemplate": {"id": UNKNOWN}},
            {"launchTemplate": ("lt",)},
        ),
    ]
    rows = [
        Resource(urn=urn, type=type_, name=urn, inputs=inputs, relations=relations)
        for urn, type_, inputs, relations in made
    ]
    return rows[-1], Index(rows)


@pytest.mark.parametrize("several", [1, 4])
@pytest.mark.parametrize("public", [True, False])
def test_the_subnet_of_a_template_s_interfaces_is_the_machine_s(public, several):
    box, index = machine(UNKNOWN, public=public, several=several)
    launch = instance_launch(box, index)
    assert locations.one_zone(box, launch, index) is True
    assert public_address(box, launch, index) is public


def test_without_a_subnet_nobody_knows():
    box, index = machine(None)
    launch = instance_launch(box, index)
    assert locations.one_zone(box, launch, index) is UNKNOWN
    assert public_address(box, launch, index) is UNKNOWN


def test_a_subnet_of_elsewhere_is_one_zone_all_the_same():
    box, index = machine("subnet-elsewhere")
    launch = instance_launch(box, index)
    assert locations.one_zone(box, launch, index) is True
    assert public_address(box, launch, index) is UNKNOWN
