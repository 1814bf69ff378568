"""With no handler at all, everything lives in the ledger and is judged the same."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import sandbox
from gpuinfra.sandbox.ledger import Ledger, Record
from gpuinfra.sandbox.plugin.aws.cloud import cloud
from gpuinfra.sandbox.plugin.aws.moto import Moto
from gpuinfra.sandbox.plugin.contract import CloudRefusalError, OperationTarget
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings

VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
ROLE = "aws:iam/role:Role"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


class Unused(Moto):
    """moto, in which nothing lives."""

    def handlers(self) -> dict[str, Any]:
        return {}


def target(token: str, name: str = "thing") -> OperationTarget:
    return OperationTarget(f"urn:pulumi:dev::p::{token}::{name}", token, name)


@pytest.fixture
def ledger(shared_home: Path, tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


@pytest.fixture
def resources(ledger: Ledger) -> Resources:
    return Resources(replace(cloud(), server=Unused), ledger, ProviderSettings(place="us-east-1"))


def test_ids_and_outputs_look_like_the_clouds(resources: Resources) -> None:
    vpc, outputs = resources.create(target(VPC), {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}})

    assert vpc.startswith("vpc-")
    assert len(vpc) == len("vpc-") + 17
    assert outputs["arn"] == f"arn:aws:ec2:us-east-1:123456789012:vpc/{vpc}"
    assert outputs["ownerId"] == "123456789012"
    assert outputs["tagsAll"] == {"a": "b"}
    assert outputs["region"] == "us-east-1"


def test_references_are_followed_within_the_ledger(resources: Resources) -> None:
    vpc, _ = resources.create(target(VPC), {"cidrBlock": "10.0.0.0/16"})
    subnet, _ = resources.create(target(SUBNET), {"vpcId": vpc, "cidrBlock": "10.0.0.0/24"})

    assert subnet.startswith("subnet-")
    resources.delete(target(VPC), vpc, {})
    with pytest.raises(CloudRefusalError, match=f"The vpc ID '{vpc}' does not exist"):
        resources.create(target(SUBNET, "two"), {"vpcId": vpc, "cidrBlock": "10.0.1.0/24"})


def test_what_aws_always_has_is_found_in_moto(resources: Resources) -> None:
    with pytest.raises(CloudRefusalError, match="InvalidParameterValue: Invalid availability"):
        resources.create(
            target("aws:ec2/capacityReservation:CapacityReservation"),
            {"availabilityZone": "us-east-1x", "instanceType": "g6.xlarge"},
        )


def test_a_global_thing_is_known_in_every_region(resources: Resources, ledger: Ledger) -> None:
    resources.create(target(ROLE), {"name": "r", "assumeRolePolicy": "{}"})
    elsewhere = replace(resources, settings=ProviderSettings(place="eu-west-1"))
    attachment: dict[str, Any] = {
        "role": "r",
        "policyArn": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore",
    }

    elsewhere.create(target("aws:iam/rolePolicyAttachment:RolePolicyAttachment"), attachment)

    with pytest.raises(CloudRefusalError, match="EntityAlreadyExists"):
        elsewhere.create(target(ROLE, "again"), {"name": "r", "assumeRolePolicy": "{}"})


def test_update_read_and_delete(resources: Resources) -> None:
    made, outputs = resources.create(
        target(TEMPLATE), {"name": "one", "instanceType": "g6.xlarge"}
    )
    changed = resources.update(
        target(TEMPLATE), made, {"name": "one", "instanceType": "g6.2xlarge"}, outputs
    )

    assert (changed["latestVersion"], changed["arn"]) == (2, outputs["arn"])
    assert resources.read(target(TEMPLATE), made, {}) == (made, changed)
    resources.delete(target(TEMPLATE), made, changed)
    resources.delete(target(TEMPLATE), made, changed)
    assert resources.read(target(TEMPLATE), made, {}) is None
    with pytest.raises(CloudRefusalError, match="does not exist"):
        resources.update(target(TEMPLATE), made, {}, outputs)


def test_status_and_standing_say_where_everything_lives(
    sandbox_home: Path, start_plugin: Any
) -> None:
    plugin = start_plugin()
    vpc, _ = plugin.create(VPC, {"cidrBlock": "10.0.0.0/16"}, name="net")
    plugin.create("aws:ec2/placementGroup:PlacementGroup", {"strategy": "cluster"}, name="group")

    counts = [(item.type, item.backend, item.number) for item in sandbox.status().counts]
    [group, net] = sorted(sandbox.existing_resources("dev"), key=lambda item: item.name)

    assert counts == [
        ("aws:ec2/placementGroup:PlacementGroup", "ledger", 1),
        ("aws:ec2/vpc:Vpc", "moto", 1),
    ]
    assert (net.id, net.backend, net.stack, net.region) == (vpc, "moto", "dev", "us-east-1")
    assert (group.backend, group.properties["strategy"]) == ("ledger", "cluster")
    assert sandbox.existing_resources("prod") == []


def test_what_hangs_on_a_group_goes_with_it(resources: Resources, ledger: Ledger) -> None:
    kept = {"backend": "ledger", "region": "us-east-1"}
    hook, group = "aws:autoscaling/lifecycleHook:LifecycleHook", "aws:autoscaling/group:Group"
    for name in ("mine", "other"):
        made = {"autoscalingGroupName": name}
        ledger.put(Record(type=hook, id=f"of-{name}", urn=name, properties=made, **kept))
    ledger.put(Record(type=group, id="mine", urn="group", properties={}, **kept))

    resources.delete(target(group), "mine", {})

    assert [record.id for record in ledger.all()] == ["of-other"]


def test_a_group_and_what_hangs_on_it_are_gone_at_once(
    resources: Resources, ledger: Ledger, tmp_path: Path
) -> None:
    """A reader never sees the group without its hook: where one can't go, neither does."""
    kept = {"backend": "ledger", "region": "us-east-1"}
    hook, group = "aws:autoscaling/lifecycleHook:LifecycleHook", "aws:autoscaling/group:Group"
    made = {"autoscalingGroupName": "mine"}
    ledger.put(Record(type=hook, id="hook", urn="hook", properties=made, **kept))
    ledger.put(Record(type=group, id="mine", urn="group", properties={}, **kept))
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as database:
        database.execute(
            "CREATE TRIGGER held BEFORE DELETE ON resources WHEN old.id = 'mine'"
            " BEGIN SELECT RAISE(ABORT, 'held'); END"
        )

    with pytest.raises(sqlite3.IntegrityError, match="held"):
        resources.delete(target(group), "mine", {})

    assert {record.id for record in ledger.all()} == {"hook", "mine"}
