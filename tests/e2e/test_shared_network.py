"""The life of workloads that share a network, in the sandbox under the real engine."""

from pathlib import Path

import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from tests.e2e.lives import aws, changed, edit, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e

TEXT = """\
version: 1
name: both
owner: ml-platform
budget: {per_hour: 20, per_month: 20000}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
network: {shared: true}
training:
  trainer: {instance: g6.8xlarge, nodes: 2, duration: 10h}
inference:
  chat: {gpu: "L4:1", replicas: 1..3, image: "vllm/vllm-openai:v0.11.0", port: 8000}
"""
BOX = "  box: {gpu: L4:1, where: {cloud: aws, regions: [us-east-1], zones: [us-east-1c]}}\n"
VPC = "both-network-us-east-1-vpc"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"
    path.write_text(TEXT)
    return path


def test_both_stand_in_one_network_and_stay(stack: Path) -> None:
    made = up(stack)
    again = up(stack, judged=False)
    ec2 = aws("ec2")
    vpc = standing()[VPC].id
    of_vpc = [{"Name": "vpc-id", "Values": [vpc]}]
    gateways = ec2.describe_nat_gateways(Filters=of_vpc)["NatGateways"]
    groups = ec2.describe_security_groups(Filters=of_vpc)["SecurityGroups"]

    assert set(made.changes) == {"create"}
    assert set(again.changes) == {"same"}
    assert len(gateways) == 1
    assert {"trainer-security-group", "chat-security-group"} <= standing().keys()
    assert len(groups) == 3 + 1, "with the default group of the network"


def test_another_workload_touches_no_machine_that_stands(stack: Path) -> None:
    edit(stack, ("inference:\n", f"{BOX}inference:\n"))
    before = standing()
    more = up(stack, judged=False)
    after = standing()
    machines = ("trainer-group", "chat-group", VPC, "both-network-us-east-1-nat-gateway")

    assert {operation for operation, _ in changed(more).values()} == {"create"}
    assert {name: after[name].id for name in machines} == {
        name: before[name].id for name in machines
    }
    assert "box-group" in after


def test_networks_of_their_own_are_a_replacement_that_the_preview_shows(stack: Path) -> None:
    """Whoever changes the word on a stack that stands sees beforehand what it does."""
    edit(stack, ("network: {shared: true}\n", ""))
    shown = fine(lifecycle.preview(request_of(stack, judged=False)))
    edit(
        stack,
        (
            "where: {cloud: aws, regions: [us-east-1]}\ntraining",
            "where: {cloud: aws, regions: [us-east-1]}\nnetwork: {shared: true}\ntraining",
        ),
    )

    assert shown.changes["replace"] > 0
    assert "replace" in changed(shown)["trainer-security-group"][0]


def test_a_destroy_takes_all_of_it(stack: Path) -> None:
    fine(lifecycle.destroy(request_of(stack, judged=False)))

    assert left() == []
    assert sandbox.existing_resources() == []
