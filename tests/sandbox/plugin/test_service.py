"""The protocol: previews, updates, faults, look-ups, settings, as the engine uses them."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from gpuinfra import sandbox
from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import InjectedFault
from gpuinfra.sandbox.plugin.wire import UNKNOWN, from_wire, to_wire

PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
VPC = "aws:ec2/vpc:Vpc"
P5 = {
    "availabilityZone": "us-east-1a",
    "instanceCount": 1,
    "instancePlatform": "Linux/UNIX",
    "instanceType": "p5.48xlarge",
}


def test_it_reports_the_sdks_own_version(plugin: Any) -> None:
    from importlib import metadata

    from google.protobuf.empty_pb2 import Empty

    assert plugin.stub.GetPluginInfo(Empty()).version == metadata.version("pulumi-aws")


def test_a_preview_knows_inputs_and_not_what_is_made(plugin: Any) -> None:
    resource_id, outputs = plugin.create(PLACEMENT, {"strategy": "cluster"}, preview=True)

    assert resource_id == ""
    assert outputs["strategy"] == "cluster"
    assert outputs["name"].startswith("thing-")
    assert outputs["region"] == "us-east-1"
    assert outputs["arn"] is UNKNOWN
    assert outputs["placementGroupId"] is UNKNOWN


def test_unknown_inputs_pass_the_check(plugin: Any) -> None:
    inputs = {"vpcId": UNKNOWN, "cidrBlock": UNKNOWN, "tags": {"a": UNKNOWN}}

    checked, failures = plugin.check("aws:ec2/subnet:Subnet", inputs)

    assert not failures
    assert checked["vpcId"] is UNKNOWN


def test_an_input_newly_set_to_what_stands_is_no_change(plugin: Any) -> None:
    same = plugin.diff(VPC, {}, {"enableDnsHostnames": False}, enableDnsHostnames=False)
    other = plugin.diff(VPC, {}, {"enableDnsHostnames": True}, enableDnsHostnames=False)

    assert list(same.diffs) == []
    assert list(other.diffs) == ["enableDnsHostnames"]


def test_only_a_fixed_name_makes_a_replacement_delete_first(plugin: Any) -> None:
    old = {"strategy": "cluster", "name": "n"}
    new = {"strategy": "spread", "name": "n"}
    made_up = {"__defaults": ["name"]}

    fixed = plugin.diff(PLACEMENT, old, new)
    free = plugin.diff(PLACEMENT, {**old, **made_up}, {**new, **made_up})

    assert list(fixed.replaces) == list(free.replaces) == ["strategy"]
    assert fixed.deleteBeforeReplace
    assert not free.deleteBeforeReplace


def test_an_update_of_a_template_makes_a_new_version(plugin: Any) -> None:
    inputs = {"instanceType": "g6.xlarge", "name": "versions"}
    resource_id, outputs = plugin.create(TEMPLATE, inputs)
    try:
        changed = plugin.update(
            TEMPLATE, resource_id, outputs, {**inputs, "instanceType": "g6.2xlarge"}
        )

        assert (outputs["latestVersion"], changed["latestVersion"]) == (1, 2)
        assert changed["instanceType"] == "g6.2xlarge"
    finally:
        plugin.delete(TEMPLATE, resource_id, outputs)


def test_a_name_prefix_is_completed(plugin: Any) -> None:
    resource_id, outputs = plugin.create(
        "aws:iam/role:Role", {"assumeRolePolicy": "{}", "namePrefix": "job-"}
    )

    assert outputs["name"].startswith("job-")
    assert len(outputs["name"]) == len("job-") + 26
    plugin.delete("aws:iam/role:Role", resource_id, outputs)


def test_default_tags_stand_and_do_not_show_as_own(
    shared_home: Path, start_plugin: Callable[..., Any]
) -> None:
    plugin = start_plugin()
    plugin.configure(region="us-east-1", defaultTags=json.dumps({"tags": {"team": "a", "x": "1"}}))
    inputs = {"cidrBlock": "10.0.0.0/16", "tags": {"x": "2"}}

    resource_id, outputs = plugin.create(VPC, inputs)
    read = plugin.read(VPC, resource_id, outputs=outputs, inputs=inputs)
    group_id, group = plugin.create(PLACEMENT, {"strategy": "cluster"})

    assert outputs["tags"] == {"x": "2"}
    assert outputs["tagsAll"] == {"team": "a", "x": "2"}
    assert from_wire(read.inputs) == inputs
    assert group["tagsAll"] == {"team": "a", "x": "1"}
    plugin.delete(VPC, resource_id, outputs)
    plugin.delete(PLACEMENT, group_id, group)


def test_another_region_is_another_world(plugin: Any) -> None:
    vpc, outputs = plugin.create(VPC, {"cidrBlock": "10.0.0.0/16", "region": "eu-west-1"})

    refusal = plugin.refusal("aws:ec2/subnet:Subnet", {"vpcId": vpc, "cidrBlock": "10.0.0.0/24"})

    assert outputs["region"] == "eu-west-1"
    assert refusal.startswith("InvalidVpcID.NotFound")
    plugin.delete(VPC, vpc, outputs)


def test_a_provider_without_a_region_says_how_to_set_one(
    plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pulumi.runtime.proto import provider_pb2 as proto

    answer = plugin.stub.CheckConfig(proto.CheckRequest(news=to_wire({"regin": "x"})))
    reasons = {item.property: item.reason for item in answer.failures}

    assert set(reasons) == {"region", "regin"}
    assert "pulumi config set aws:region" in reasons["region"]


class TestFaults:
    """In a sandbox of their own; capacity reservations need no server."""

    @pytest.fixture
    def plugin(self, sandbox_home: Path, start_plugin: Callable[..., Any]) -> Any:
        return start_plugin()

    def test_no_capacity_strikes_only_its_zone_and_machine(self, plugin: Any) -> None:
        faults.add(InjectedFault(kind="no-capacity", zone="us-east-1b"))
        faults.add(InjectedFault(kind="no-capacity", instance_type="p4d.24xlarge"))
        resource_id, _ = plugin.create(RESERVATION, P5)
        faults.add(
            InjectedFault(kind="no-capacity", zone="us-east-1a", instance_type="p5.48xlarge")
        )

        refusal = plugin.refusal(RESERVATION, P5)

        assert resource_id.startswith("cr-")
        assert refusal.startswith("InsufficientInstanceCapacity: We currently do not have")
        assert "us-east-1a" in refusal

    def test_quota_is_about_a_way_of_buying(self, plugin: Any) -> None:
        faults.add(InjectedFault(kind="quota", capacity="spot"))
        plugin.create(RESERVATION, P5)
        faults.add(InjectedFault(kind="quota", capacity="on-demand"))

        assert plugin.refusal(RESERVATION, P5).startswith("VcpuLimitExceeded: ")

    def test_throttling_is_sat_out_until_it_lasts_too_long(self, plugin: Any) -> None:
        faults.add(InjectedFault(kind="throttling", times=2))
        plugin.create(PLACEMENT, {"strategy": "cluster"})
        assert faults.active_faults() == []
        faults.add(InjectedFault(kind="throttling", times=50))

        refusal = plugin.refusal(PLACEMENT, {"strategy": "cluster"})

        assert refusal.startswith("RequestLimitExceeded: ")

    def test_a_slow_create_is_slow_for_its_type_only(self, plugin: Any) -> None:
        faults.add(InjectedFault(kind="slow-create", type=PLACEMENT, seconds=0.5))

        def seconds(token: str, inputs: dict[str, Any], name: str) -> float:
            began = time.monotonic()
            plugin.create(token, inputs, name)
            return time.monotonic() - began

        assert seconds(PLACEMENT, {"strategy": "cluster"}, "slow") >= 0.5
        assert seconds(RESERVATION, P5, "quick") < 0.5 or faults.active_faults()

    def test_a_crash_ends_the_process(self, plugin: Any) -> None:
        faults.add(InjectedFault(kind="crash", after=1))
        plugin.create(PLACEMENT, {"strategy": "cluster"}, name="before")

        with pytest.raises(grpc.RpcError):
            plugin.create(PLACEMENT, {"strategy": "cluster"}, name="after")

        assert plugin.process.wait(timeout=10) == 70
        assert [item.name for item in sandbox.existing_resources()] == ["before"]

    def test_a_stopped_server_is_a_clear_message(self, plugin: Any) -> None:
        plugin.create(VPC, {"cidrBlock": "10.0.0.0/16"})
        sandbox.stop()

        refusal = plugin.refusal(VPC, {"cidrBlock": "10.1.0.0/16"})

        assert "the sandbox's server ended and with it 1 resources" in refusal
        assert "gpuinfra sandbox start" in refusal

    def test_what_stood_in_another_server_can_still_be_deleted(self, plugin: Any) -> None:
        vpc, outputs = plugin.create(VPC, {"cidrBlock": "10.0.0.0/16"})
        sandbox.stop()
        sandbox.start()
        assert sandbox.status().lost == 1

        plugin.delete(VPC, vpc, outputs)

        assert sandbox.status().lost == 0


class TestLookUps:
    def test_a_policy_document_is_written_as_the_provider_writes_it(self, plugin: Any) -> None:
        answer = plugin.invoke(
            "aws:iam/getPolicyDocument:getPolicyDocument",
            statements=[
                {
                    "sid": "One",
                    "actions": ["s3:GetObject", "s3:PutObject"],
                    "resources": ["*"],
                    "principals": [{"type": "AWS", "identifiers": ["1"]}],
                    "conditions": [
                        {"test": "StringLike", "variable": "aws:x", "values": ["a", "b"]},
                    ],
                }
            ],
        )

        assert json.loads(answer["json"]) == {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "One",
                    "Effect": "Allow",
                    "Action": ["s3:PutObject", "s3:GetObject"],
                    "Resource": "*",
                    "Principal": {"AWS": "1"},
                    "Condition": {"StringLike": {"aws:x": ["a", "b"]}},
                }
            ],
        }
        assert json.loads(answer["minifiedJson"]) == json.loads(answer["json"])

    def test_source_documents_are_joined_and_overridden_by_sid(self, plugin: Any) -> None:
        def document(effect: str) -> str:
            statement = {"Sid": "A", "Effect": effect, "Action": "*", "Resource": "*"}
            return json.dumps({"Statement": [statement]})

        answer = plugin.invoke(
            "aws:iam/getPolicyDocument:getPolicyDocument",
            sourcePolicyDocuments=[document("Allow")],
            overridePolicyDocuments=[document("Deny")],
        )

        [statement] = json.loads(answer["json"])["Statement"]
        assert statement["Effect"] == "Deny"

    def test_zones_can_be_left_out(self, plugin: Any) -> None:
        token = "aws:index/getAvailabilityZones:getAvailabilityZones"
        every = plugin.invoke(token, state="available")
        fewer = plugin.invoke(token, excludeNames=["us-east-1a"])

        assert every["names"][0] == "us-east-1a"
        assert fewer["names"] == every["names"][1:]
        assert len(every["zoneIds"]) == len(every["names"])

    def test_deep_learning_images_have_their_public_parameters(self, plugin: Any) -> None:
        path = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04"
        answer = plugin.invoke("aws:ssm/getParameter:getParameter", name=f"{path}/latest/ami-id")
        image = plugin.invoke(
            "aws:ec2/getAmi:getAmi",
            filters=[{"name": "image-id", "values": [answer["value"]]}],
        )

        assert image["name"].startswith("Deep Learning Base OSS Nvidia Driver GPU AMI")
        assert "sandbox value" in image["description"]

    @pytest.mark.parametrize("owner", ["amazon", "099720109477"])
    def test_ubuntu_is_found_by_its_owner(self, owner: str, plugin: Any) -> None:
        image = plugin.invoke(
            "aws:ec2/getAmi:getAmi",
            mostRecent=True,
            owners=[owner],
            filters=[
                {
                    "name": "name",
                    "values": ["ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"],
                }
            ],
        )

        assert image["architecture"] == "x86_64"

    @pytest.mark.parametrize(
        ("token", "arguments", "message"),
        [
            (
                "aws:ec2/getAmi:getAmi",
                {"filters": [{"name": "name", "values": ["no such image"]}]},
                "Your query returned no results",
            ),
            ("aws:ec2/getAmi:getAmi", {"owners": ["amazon"]}, "more than one result"),
            ("aws:ssm/getParameter:getParameter", {"name": "/none"}, "couldn't find resource"),
            ("aws:ec2/getVpc:getVpc", {"id": "vpc-0"}, "no matching EC2 VPC found"),
            ("aws:ec2/getSubnet:getSubnet", {}, "multiple EC2 Subnets matched"),
            ("aws:iam/getRole:getRole", {"name": "absent"}, "NoSuchEntity"),
            (
                "aws:iam/getInstanceProfile:getInstanceProfile",
                {"name": "absent"},
                "NoSuchEntity",
            ),
            ("aws:ec2/getInstanceType:getInstanceType", {"instanceType": "x1"}, "Invalid"),
            ("aws:rds/getCluster:getCluster", {}, "does not answer aws:rds/getCluster:getCluster"),
        ],
    )
    def test_what_is_not_found_is_said(
        self, token: str, arguments: dict[str, Any], message: str, plugin: Any
    ) -> None:
        with pytest.raises(grpc.RpcError) as caught:
            plugin.invoke(token, **arguments)

        assert message in str(caught.value.details())

    @pytest.mark.parametrize(
        ("region", "host"),
        [
            ("eu-west-1", "763104351884.dkr.ecr.eu-west-1.amazonaws.com"),
            ("cn-north-1", "763104351884.dkr.ecr.cn-north-1.amazonaws.com.cn"),
        ],
    )
    def test_an_image_of_sagemaker_has_a_path(self, region: str, host: str, plugin: Any) -> None:
        answer = plugin.invoke(
            "aws:sagemaker/getPrebuiltEcrImage:getPrebuiltEcrImage",
            repositoryName="kmeans",
            region=region,
        )

        assert answer["registryPath"] == f"{host}/kmeans:1"

    def test_the_default_network_is_found(self, plugin: Any) -> None:
        vpc = plugin.invoke("aws:ec2/getVpc:getVpc", default=True)
        subnets = plugin.invoke(
            "aws:ec2/getSubnets:getSubnets",
            filters=[{"name": "vpc-id", "values": [vpc["id"]]}],
        )
        group = plugin.invoke(
            "aws:ec2/getSecurityGroup:getSecurityGroup", vpcId=vpc["id"], name="default"
        )

        assert vpc["default"]
        assert subnets["ids"]
        assert group["id"].startswith("sg-")

    def test_machines_are_described(self, plugin: Any) -> None:
        machine = plugin.invoke(
            "aws:ec2/getInstanceType:getInstanceType", instanceType="p5.48xlarge"
        )
        places = plugin.invoke(
            "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings",
            locationType="availability-zone",
            filters=[{"name": "instance-type", "values": ["p5en.48xlarge"]}],
        )

        assert machine["efaMaximumInterfaces"] == 32
        assert machine["gpuses"][0]["name"] == "H100"
        assert places["locations"] == ["us-east-1a", "us-east-1c"]

    def test_account_region_and_partition(self, plugin: Any) -> None:
        caller = plugin.invoke("aws:index/getCallerIdentity:getCallerIdentity")
        region = plugin.invoke("aws:index/getRegion:getRegion")
        partition = plugin.invoke("aws:index/getPartition:getPartition")

        assert caller["accountId"] == "123456789012"
        assert region["region"] == "us-east-1"
        assert partition["partition"] == "aws"
