"""The quickstart's whole life on the real engine: what is made, changed, drifts and goes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest

from gpuinfra import sandbox
from gpuinfra.cli.source import load
from gpuinfra.cli.target import request
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome

pytestmark = pytest.mark.e2e
STACK = Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"
REGION = "us-east-1"


def aws(service: str) -> Any:
    """A boto3 client of the sandbox, as a person would make one to look or to meddle."""
    return boto3.client(
        service,
        region_name=REGION,
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )


@pytest.fixture(scope="module")
def stack(
    tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path
) -> Callable[..., Path]:
    """Writes the quickstart's stack file with some of its text replaced, always to one place."""
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"

    def write(*replaced: tuple[str, str]) -> Path:
        text = STACK.read_text()
        for old, new in replaced:
            assert old in text, old
            text = text.replace(old, new, 1)
        path.write_text(text)
        return path

    return write


def up(path: Path) -> Outcome:
    """Bring it up, judged by the packs; a failure shows why."""
    outcome = lifecycle.up(request(load(path), "sandbox"))
    assert outcome.ok, (outcome.reason, outcome.diagnostics, outcome.findings)
    return outcome


def changed(outcome: Outcome) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The resources that were not left alone: their operation and what differs."""
    return {
        step.urn.rsplit("::", 1)[-1]: (step.operation, step.causes or step.differences)
        for step in outcome.steps
        if step.operation != "same" and not step.type.startswith(("pulumi:", "gpuinfra:"))
    }


def test_preview_announces_what_up_creates(stack: Callable[..., Path]) -> None:
    path = stack()

    preview = lifecycle.preview(request(load(path), "sandbox"))
    made = up(path)

    assert preview.ok, preview.reason
    assert preview.changes == made.changes
    assert set(made.changes) == {"create"}


def test_a_second_up_changes_nothing(stack: Callable[..., Path]) -> None:
    again = up(stack())

    assert set(again.changes) == {"same"}


def test_refresh_right_after_sees_no_drift(stack: Callable[..., Path]) -> None:
    outcome = lifecycle.refresh(request(load(stack()), "sandbox"), preview_only=True)

    assert outcome.ok, outcome.reason
    assert changed(outcome) == {}


def test_refresh_sees_a_change_behind_the_back_and_up_mends_it(
    stack: Callable[..., Path],
) -> None:
    path = stack()
    (group,) = (
        one
        for one in aws("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
        if one["MaxSize"] == 3
    )
    name = group["AutoScalingGroupName"]
    aws("autoscaling").update_auto_scaling_group(AutoScalingGroupName=name, MaxSize=7)

    drift = lifecycle.refresh(request(load(path), "sandbox"))
    mended = up(path)

    assert changed(drift)["chat-group"][0] in {"update", "refresh"}
    assert changed(mended)["chat-group"] == ("update", ("maxSize",))
    now = aws("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    assert now["AutoScalingGroups"][0]["MaxSize"] == 3


def test_a_larger_pool_is_updated_in_place(stack: Callable[..., Path]) -> None:
    path = stack(("replicas: 1..3", "replicas: 1..4"), ("per_month: 2200", "per_month: 3000"))

    outcome = up(path)

    assert changed(outcome)["chat-group"] == ("update", ("maxSize",))
    assert {operation for operation, _ in changed(outcome).values()} == {"update"}


def test_another_zone_replaces_the_subnet_and_says_why(stack: Callable[..., Path]) -> None:
    path = stack(
        ("regions: [us-east-1]}", "regions: [us-east-1], zones: [us-east-1c, us-east-1b]}"),
        # What is replaced counts twice until the old one is gone.
        ("per_hour: 8", "per_hour: 20"),
        ("per_month: 2200", "per_month: 9000"),
    )

    outcome = up(path)

    operation, causes = changed(outcome)["trainer-private-subnet"]
    assert operation == "replace"
    assert "availabilityZone" in causes
    zones = {
        one["AvailabilityZone"]
        for one in aws("ec2").describe_subnets()["Subnets"]
        if any(tag["Value"] == "trainer" for tag in one.get("Tags", []))
    }
    assert zones == {"us-east-1c"}


def test_destroy_leaves_nothing(stack: Callable[..., Path]) -> None:
    outcome = lifecycle.destroy(request(load(stack()), "sandbox", judged=False))

    assert outcome.ok, outcome.reason
    assert sandbox.standing() == []
    assert aws("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"] == []
    assert aws("s3").list_buckets()["Buckets"] == []
    assert aws("ec2").describe_launch_templates()["LaunchTemplates"] == []
    assert (
        aws("ec2").describe_nat_gateways(
            Filters=[{"Name": "state", "Values": ["available", "pending"]}]
        )["NatGateways"]
        == []
    )
    assert [one for one in aws("ec2").describe_vpcs()["Vpcs"] if not one["IsDefault"]] == []
    assert aws("iam").list_roles()["Roles"] == []
    running = aws("ec2").describe_instances(
        Filters=[{"Name": "instance-state-name", "Values": ["running", "pending"]}]
    )
    assert running["Reservations"] == []
    assert aws("elbv2").describe_load_balancers()["LoadBalancers"] == []
