"""Each refusal that AWS makes and moto does not, over the wire."""

from collections.abc import Iterator
from typing import Any

import pytest

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
SUBNET = "aws:ec2/subnet:Subnet"
P5 = "p5.48xlarge"


def nic(card: int, device: int, kind: str = "interface", **more: Any) -> dict[str, Any]:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind, **more}


def current_layout(cards: int, efa: int) -> list[dict[str, Any]]:
    first = [nic(0, 0)] + ([nic(0, 1, "efa-only")] if efa == cards else [])
    return first + [nic(card, 0, "efa-only") for card in range(1, cards)]


@pytest.fixture(scope="module")
def made(plugin: Any) -> Iterator[Any]:
    """Makes resources that are gone after the module."""
    standing: list[tuple[str, str, dict[str, Any]]] = []

    def make(token: str, **inputs: Any) -> str:
        resource_id, outputs = plugin.create(token, inputs, name=f"made{len(standing)}")
        standing.append((token, resource_id, outputs))
        return str(resource_id)

    yield make
    for token, resource_id, outputs in reversed(standing):
        plugin.delete(token, resource_id, outputs)


@pytest.fixture(scope="module")
def vpc(made: Any) -> str:
    return str(made("aws:ec2/vpc:Vpc", cidrBlock="10.7.0.0/16"))


@pytest.mark.parametrize(
    ("machine", "layout"),
    [
        (P5, current_layout(32, 32)),
        (P5, [nic(card, 0, "efa") for card in range(32)]),
        ("p5en.48xlarge", current_layout(16, 16)),
        ("p4d.24xlarge", current_layout(4, 4)),
        ("p6-b300.48xlarge", current_layout(17, 16)),
        ("g6.8xlarge", current_layout(1, 1)),
        ("g6.xlarge", [nic(0, 0)]),
    ],
    ids=["p5", "p5-classic", "p5en", "p4d", "p6-b300", "g6.8", "g6"],
)
def test_the_layouts_of_awss_guide_stand(
    machine: str, layout: list[dict[str, Any]], plugin: Any
) -> None:
    inputs = {"instanceType": machine, "networkInterfaces": layout}

    resource_id, outputs = plugin.create(TEMPLATE, inputs, name="good-layout")

    plugin.delete(TEMPLATE, resource_id, outputs)


@pytest.mark.parametrize(
    ("machine", "layout", "message"),
    [
        (P5, [nic(0, 0), nic(2, 2, "efa-only")], "device index exceeds the maximum number"),
        (P5, [nic(0, 0), nic(32, 0, "efa-only")], "network card index '32'"),
        ("p5.4xlarge", [nic(0, 0), nic(0, 1, "efa"), nic(0, 2, "efa")], "supports 1 Elastic"),
        ("g6.xlarge", [nic(0, 0), nic(0, 1, "efa-only")], "supports 0 Elastic"),
        (P5, [nic(0, 0), nic(1, 0, "efa"), nic(1, 1, "efa-only")], "at most one EFA interface"),
        (P5, [nic(0, 0, "efa-only")], "can't be the primary interface"),
        (P5, [nic(0, 0), nic(1, 0, "efa-only", ipv4AddressCount=1)], "has no IP address"),
        (P5, [nic(0, 0), nic(0, 0)], "use device index 0 of network card 0"),
        (
            P5,
            [nic(0, 0, associatePublicIpAddress="true"), nic(1, 0, "efa-only")],
            "InvalidParameterCombination: The associatePublicIPAddress parameter",
        ),
    ],
)
def test_a_layout_that_no_machine_has_is_refused(
    machine: str, layout: list[dict[str, Any]], message: str, plugin: Any
) -> None:
    refusal = plugin.refusal(TEMPLATE, {"instanceType": machine, "networkInterfaces": layout})

    assert message in refusal
    assert "https://" in refusal


def test_many_interfaces_in_a_subnet_with_public_addresses_are_refused(
    plugin: Any, made: Any, vpc: str
) -> None:
    subnet = made(SUBNET, vpcId=vpc, cidrBlock="10.7.1.0/24", mapPublicIpOnLaunch=True)
    layout = current_layout(32, 32)
    template = made(TEMPLATE, instanceType=P5, networkInterfaces=layout)

    assert "mapPublicIpOnLaunch" in plugin.refusal(GROUP, group(subnet, template))


def group(subnet: str, template: str, **more: Any) -> dict[str, Any]:
    return {
        "minSize": 1,
        "maxSize": 1,
        "vpcZoneIdentifiers": [subnet],
        "launchTemplate": {"id": template},
        **more,
    }


def test_a_way_of_buying_that_the_machine_is_not_sold_by_is_refused(
    plugin: Any, made: Any, vpc: str
) -> None:
    subnet = made(SUBNET, vpcId=vpc, cidrBlock="10.7.2.0/24", availabilityZone="us-east-1a")
    template = made(
        TEMPLATE, instanceType="g6.xlarge", instanceMarketOptions={"marketType": "capacity-block"}
    )

    refusal = plugin.refusal(GROUP, group(subnet, template))

    assert refusal.startswith("Unsupported: ")
    assert "sold as on-demand, spot, not as capacity-block" in refusal


def test_a_machine_in_a_zone_without_it_is_refused_with_the_zones_that_have_it(
    plugin: Any, made: Any, vpc: str
) -> None:
    subnet = made(SUBNET, vpcId=vpc, cidrBlock="10.7.3.0/24", availabilityZone="us-east-1a")
    template = made(TEMPLATE, instanceType="p6-b200.48xlarge")

    refusal = plugin.refusal(GROUP, group(subnet, template))

    assert refusal.startswith("Unsupported: Your requested instance type (p6-b200.48xlarge)")
    assert "choosing us-east-1c" in refusal


def test_a_machine_that_no_cluster_takes_is_refused_a_placement_group(
    plugin: Any, made: Any, vpc: str
) -> None:
    subnet = made(SUBNET, vpcId=vpc, cidrBlock="10.7.4.0/24", availabilityZone="us-east-1a")
    placement = made(PLACEMENT, strategy="cluster")
    template = made(TEMPLATE, instanceType="t3.micro", placement={"groupName": placement})

    refusal = plugin.refusal(GROUP, group(subnet, template))

    assert "Cluster placement groups are not supported by the 't3.micro'" in refusal


def test_more_machines_than_the_subnet_has_addresses_are_refused(
    plugin: Any, made: Any, vpc: str
) -> None:
    subnet = made(SUBNET, vpcId=vpc, cidrBlock="10.7.5.0/28", availabilityZone="us-east-1a")
    template = made(
        TEMPLATE,
        instanceType=P5,
        networkInterfaces=[nic(card, 0, "efa") for card in range(32)],
    )

    refusal = plugin.refusal(GROUP, group(subnet, template))

    assert refusal.startswith("InsufficientFreeAddressesInSubnet: ")
    assert "1 x 32 addresses, 11 free" in refusal


def test_a_taken_name_is_refused_in_the_clouds_words(plugin: Any, made: Any) -> None:
    made(PLACEMENT, strategy="cluster", name="taken")
    made("aws:iam/role:Role", assumeRolePolicy="{}", name="taken")

    again = plugin.refusal(PLACEMENT, {"strategy": "cluster", "name": "taken"})
    role = plugin.refusal("aws:iam/role:Role", {"assumeRolePolicy": "{}", "name": "taken"})

    assert again.startswith("InvalidPlacementGroup.Duplicate: The Placement Group 'taken'")
    assert role.startswith("EntityAlreadyExists: Role with name taken already exists.")


@pytest.mark.parametrize(
    ("disk", "path"),
    [
        ({"volumeType": "gp3", "iops": 2999}, "iops"),
        ({"volumeType": "gp3", "throughput": 2001}, "throughput"),
        ({"volumeType": "gp3", "volumeSize": 10, "iops": 6000}, "iops"),
        ({"volumeType": "gp3", "throughput": 1000}, "throughput"),
        ({"volumeType": "gp2", "throughput": 200}, "throughput"),
        ({"volumeType": "gp3", "volumeSize": 70_000}, "volumeSize"),
    ],
)
def test_a_disk_outside_its_limits_is_refused(
    disk: dict[str, Any], path: str, plugin: Any
) -> None:
    _, failures = plugin.check(TEMPLATE, {"blockDeviceMappings": [{"ebs": disk}]})

    assert list(failures) == [f"blockDeviceMappings[0].ebs.{path}"]


@pytest.mark.parametrize(
    "disk",
    [
        {"volumeType": "gp3", "volumeSize": 200, "iops": 80_000, "throughput": 2000},
        # Only the launch of a machine is refused: github.com/hashicorp/terraform/issues/5608.
        {"encrypted": "false", "snapshotId": "snap-1"},
    ],
)
def test_a_disk_at_its_limits_stands(disk: dict[str, Any], plugin: Any) -> None:
    _, failures = plugin.check(TEMPLATE, {"blockDeviceMappings": [{"ebs": disk}]})

    assert not failures


@pytest.mark.parametrize(
    ("token", "inputs", "path"),
    [
        (GROUP, {"minSize": 2, "maxSize": 1}, "minSize"),
        (GROUP, {"minSize": 1, "maxSize": 2, "desiredCapacity": 3}, "desiredCapacity"),
        (TEMPLATE, {"networkInterfaces": [{}], "vpcSecurityGroupIds": ["sg"]}, "vpcSecurityGroup"),
        (
            "aws:ec2/route:Route",
            {"routeTableId": "r", "destinationCidrBlock": "c"},
            "carrierGatewayId",
        ),
        (
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            {
                "securityGroupId": "sg",
                "ipProtocol": "-1",
                "cidrIpv4": "10.0.0.0/8",
                "referencedSecurityGroupId": "sg",
            },
            "referencedSecurityGroupId",
        ),
    ],
)
def test_inputs_that_do_not_go_together_are_refused(
    token: str, inputs: dict[str, Any], path: str, plugin: Any
) -> None:
    complete = {"vpcZoneIdentifiers": ["subnet"], "launchTemplate": {"id": "lt"}}

    _, failures = plugin.check(token, (complete if token == GROUP else {}) | inputs)

    assert len(failures) == 1
    assert next(iter(failures)).startswith(path)
