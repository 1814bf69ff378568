"""Training's components as they reach the engine on AWS: their children, image and rights."""

import base64
import json
from typing import Any

import pytest

from gpuinfra.components.messages import ProgramError
from tests.clouds.startup_scripts import unpacked
from tests.components.trainers import REGION, cluster, node


def test_cluster_is_the_golden_one(record, golden) -> None:
    golden("training-cluster", record(cluster).golden())


def test_node_is_the_golden_one(record, golden) -> None:
    golden("training-node", record(node).golden())


def test_every_child_stands_under_the_component(record) -> None:
    seen = record(cluster)
    (component,) = [
        resource for resource in seen.resources if resource.type.startswith("gpuinfra:")
    ]

    assert component.parent == ""
    assert {resource.parent for resource in seen.resources if resource is not component} == {
        component.urn
    }
    assert all(
        resource.name.startswith("trainer-")
        for resource in seen.resources
        if resource is not component
    )


def test_start_script_names_the_buckets_of_the_cloud(record) -> None:
    template = record(cluster).of("trainer-launch-template")
    script = unpacked(base64.b64decode(template.inputs["userData"])).decode()

    assert "mount_bucket /data/data-tokens tokens-bucket tokens/ read" in script
    assert "mount_bucket /checkpoints tokens-bucket checkpoints/ write" in script
    assert "GPUINFRA_NODES=2" in script
    assert "NCCL_SHM_USE_CUDA_MEMCPY=1" in script  # the g6 family
    assert "gpuinfra-torchrun train.py" in script


@pytest.mark.parametrize(
    ("machine", "interfaces"),
    [("p5.48xlarge", 33), ("p4d.24xlarge", 5), ("p5en.48xlarge", 17), ("g6.8xlarge", 2)],
)
def test_every_card_has_its_interface_and_none_a_public_address(
    record, machine: str, interfaces: int
) -> None:
    seen = record(
        lambda: cluster(args={"instance": machine, "capacity": "on-demand", "max_price": None})
    )
    nics = seen.of("trainer-launch-template").inputs["networkInterfaces"]
    first, *others = nics

    assert len(nics) == interfaces
    assert (first["interfaceType"], first["associatePublicIpAddress"]) == ("interface", "false")
    assert {nic["interfaceType"] for nic in others} == {"efa-only"}
    assert not any("associatePublicIpAddress" in nic for nic in others)
    assert len({(nic["networkCardIndex"], nic["deviceIndex"]) for nic in nics}) == interfaces
    assert seen.of("trainer-private-subnet").inputs["mapPublicIpOnLaunch"] is False


def test_spot_writes_its_ceiling_and_comes_back_after_an_interruption(record) -> None:
    seen = record(cluster)
    market = seen.of("trainer-launch-template").inputs["instanceMarketOptions"]

    assert (market["marketType"], market["spotOptions"]["maxPrice"]) == ("spot", "1.50")
    assert seen.of("trainer-group").inputs["suspendedProcesses"] == ["AZRebalance"]


def test_one_step_of_capacity_is_a_mapping(record) -> None:
    seen = record(lambda: node(capacity={"on-demand": {"reserve": True}}))

    assert [each.name for each in seen.resources if each.type.endswith(":CapacityReservation")]


def test_on_demand_gang_is_neither_moved_nor_broken_up(record) -> None:
    seen = record(lambda: cluster(args={"capacity": "on-demand", "max_price": None}))
    group = seen.of("trainer-group").inputs

    assert "instanceMarketOptions" not in seen.of("trainer-launch-template").inputs
    assert group["suspendedProcesses"] == ["AZRebalance", "ReplaceUnhealthy"]
    assert (group["minSize"], group["maxSize"], group["desiredCapacity"]) == (2, 2, 2)
    assert len(group["vpcZoneIdentifiers"]) == 1


def test_another_machine_or_market_makes_the_group_anew_and_deletes_first(record) -> None:
    options = record(cluster).of("trainer-group").options

    assert options == {
        "deleteBeforeReplace": True,
        "replacementTrigger": ["g6.8xlarge", "spot"],
        "timeouts": {"delete": "30m"},
    }


def test_the_public_image_is_pinned_by_region_and_parameter(record) -> None:
    seen = record(cluster)
    (pin,) = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]
    (call,) = [args for token, args in seen.calls if token == "aws:ssm/getParameter:getParameter"]
    elsewhere = record(lambda: cluster(args={"region": "us-west-2"}))
    (other,) = [
        resource for resource in elsewhere.resources if resource.type == "pulumi:index:Stash"
    ]

    assert pin.options == {"ignoreChanges": ["input"]}
    assert call["region"] == REGION
    assert call["name"].startswith("/aws/service/deeplearning/ami/x86_64/")
    assert seen.of("trainer-launch-template").inputs["imageId"] == pin.outputs["output"]["id"]
    assert pin.name != other.name


def test_nothing_else_ignores_changes(record) -> None:
    ignoring = [
        resource.type
        for resource in record(cluster).resources
        if "ignoreChanges" in resource.options
    ]

    assert ignoring == ["pulumi:index:Stash"]


def test_own_image_is_taken_as_it_is_with_its_own_root_disk(record) -> None:
    seen = record(lambda: node(machine_image="ami-0feedbeeffeedbeef"))
    template = seen.of("dev-launch-template").inputs

    assert template["imageId"] == "ami-0feedbeeffeedbeef"
    assert template["blockDeviceMappings"][0]["deviceName"] == "/dev/xvda"
    (lookup,) = [args for token, args in seen.calls if token == "aws:ec2/getAmi:getAmi"]
    assert not [args for token, args in seen.calls if token.endswith(":getParameter")]
    assert lookup["filters"] == [{"name": "image-id", "values": ["ami-0feedbeeffeedbeef"]}]


def test_own_parameter_is_pinned_too(record) -> None:
    seen = record(lambda: node(machine_image="/team/ami"))

    assert any(resource.type == "pulumi:index:Stash" for resource in seen.resources)
    (lookup,) = [args for token, args in seen.calls if token.endswith(":getParameter")]
    assert lookup["name"] == "/team/ami"


def test_an_image_that_is_no_image_of_the_cloud(record) -> None:
    with pytest.raises(ProgramError, match=r"is not an AWS image.*ami-"):
        record(lambda: node(machine_image="ubuntu-22.04"))


def test_the_role_holds_what_it_uses_and_no_managed_policy(record) -> None:
    seen = record(cluster)
    rights = {
        resource.name: [action for each in statements(resource) for action in each["Action"]]
        for resource in seen.resources
        if resource.type == "aws:iam/rolePolicy:RolePolicy"
    }

    assert not any("rolePolicyAttachment" in resource.type for resource in seen.resources)
    assert set(rights) == {
        "trainer-session-manager",
        "trainer-storage",
        "trainer-peers",
        "trainer-agent",
        "trainer-preflight",
    }
    assert rights["trainer-session-manager"] == [
        "ssm:UpdateInstanceInformation",
        "ssmmessages:CreateControlChannel",
        "ssmmessages:CreateDataChannel",
        "ssmmessages:OpenControlChannel",
        "ssmmessages:OpenDataChannel",
    ]
    assert rights["trainer-peers"] == ["ec2:DescribeInstances"]


def statements(policy: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(policy.inputs["policy"])["Statement"]
    return listed


def test_outputs_are_attributes(record) -> None:
    shown: dict[str, Any] = {}

    def program() -> None:
        component = cluster()
        for name in type(component).__mro__[1].__annotations__:
            getattr(component, name).apply(lambda value, name=name: shown.update({name: value}))

    record(program)

    assert shown == {
        "group_name": "trainer-group-0a1b2c3",
        "template_id": "trainer-launch-template-id",
        "identity": "trainer-role-0a1b2c3",
        "firewall_id": "trainer-security-group-id",
        "network_id": "trainer-vpc-id",
        "subnet_id": "trainer-private-subnet-id",
        "image_id": "ami-0123456789abcdef0",
    }
