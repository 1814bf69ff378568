"""The life of machines that are reserved, in a block, and all or none, on the real engine."""

from pathlib import Path

import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from tests.e2e.lives import aws, changed, edit, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e

KEPT = "capacity: [{on-demand: {reserve: true}}]"
BOUGHT = "cr-0123456789abcdef0"
OF_BLOCK = f"reservation: {BOUGHT}, ends: 2030-12-01T11:30Z"
BLOCK = f"capacity: [{{capacity-block: {{{OF_BLOCK}}}}}]"
TEXT = f"""\
version: 1
name: capacity
owner: ml-platform
budget: {{per_hour: 60}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer:
    instance: p4d.24xlarge
    nodes: 2
    {KEPT}
    checkpoints: {{bucket: data}}
buckets: {{data: {{}}}}
"""
"""Two machines cost 43.92 USD an hour: counted beside their reservation they would be refused."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"
    path.write_text(TEXT)
    return path


def test_a_reservation_and_its_machines_are_paid_once_and_stay_as_they_are(stack: Path) -> None:
    made = up(stack)
    again = up(stack, judged=False)
    seen = fine(lifecycle.refresh(request_of(stack, judged=False), preview_only=True))

    assert set(made.changes) == {"create"}
    assert {"trainer-reservation", "trainer-placement-group"} <= standing().keys()
    assert set(again.changes) == {"same"}
    assert changed(seen) == {}


def test_a_third_machine_is_reserved_in_place(stack: Path) -> None:
    edit(stack, ("nodes: 2", "nodes: 3"), ("per_hour: 60", "per_hour: 90"))

    outcome = up(stack, judged=False)

    assert changed(outcome)["trainer-reservation"] == ("update", ("instanceCount",))
    assert changed(outcome)["trainer-group"][0] == "update"


def test_what_somebody_changed_is_seen_and_mended(stack: Path) -> None:
    sandbox.change(standing()["trainer-reservation"].urn, {"instanceCount": 1})

    seen = fine(lifecycle.refresh(request_of(stack, judged=False), preview_only=False))
    mended = up(stack, judged=False)

    assert changed(seen)["trainer-reservation"][0] in {"update", "refresh"}
    assert changed(mended)["trainer-reservation"] == ("update", ("instanceCount",))


def test_another_machine_is_reserved_anew(stack: Path) -> None:
    before = standing()["trainer-reservation"].id
    edit(stack, ("p4d.24xlarge", "g6.8xlarge"))

    outcome = up(stack, judged=False)

    assert changed(outcome)["trainer-reservation"] == ("replace", ("instanceType",))
    assert changed(outcome)["trainer-group"][0] == "replace"
    assert standing()["trainer-reservation"].id != before


def test_a_block_needs_neither_reservation_nor_placement_group(stack: Path) -> None:
    sandbox.add_existing(
        "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
        BOUGHT,
        {"instanceType": "p4d.24xlarge", "availabilityZone": "us-east-1a", "instanceCount": 3},
    )
    edit(stack, (KEPT, BLOCK), ("g6.8xlarge", "p4d.24xlarge"))

    outcome = up(stack)
    again = up(stack, judged=False)

    assert changed(outcome)["trainer-reservation"][0] == "delete"
    assert changed(outcome)["trainer-placement-group"][0] == "delete"
    assert changed(outcome)["trainer-group"][0] == "replace"
    assert set(again.changes) == {"same"}


def test_all_or_nothing_is_a_fleet_whose_machines_stand(stack: Path) -> None:
    edit(stack, (BLOCK, "all_or_nothing: true"), ("nodes: 3", "nodes: 2"))

    outcome = up(stack, judged=False)
    again = up(stack, judged=False)
    running = [
        instance
        for each in aws("ec2").describe_instances()["Reservations"]
        for instance in each["Instances"]
        if instance["State"]["Name"] == "running"
    ]

    assert ("create", ()) in changed(outcome).values()
    assert standing()["trainer-group"].type == "aws:ec2/fleet:Fleet"
    assert "trainer-checkpoint-hook" not in standing()
    assert len(running) == 2
    for instance in running:
        tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
        assert (tags["gpuinfra:stack"], tags["gpuinfra:workload"]) == ("capacity", "trainer")
    assert set(again.changes) == {"same"}


def test_another_template_makes_the_fleet_anew(stack: Path) -> None:
    before = standing()["trainer-group"].id
    edit(stack, ("all_or_nothing: true", "all_or_nothing: true\n    disk: 300GB"))

    outcome = up(stack, judged=False)

    assert changed(outcome)["trainer-launch-template"][0] == "update"
    assert changed(outcome)["trainer-group"] == ("replace", ("launchTemplateConfigs",))
    assert standing()["trainer-group"].id != before


def test_without_room_for_all_of_them_there_is_none_until_the_next_up_asks_again(
    stack: Path,
) -> None:
    edit(stack, ("instance: p4d.24xlarge", "instance: g6.8xlarge"))
    sandbox.faults.add(
        sandbox.faults.InjectedFault(kind="no-capacity", type="aws:ec2/fleet:Fleet", times=1)
    )
    refused = lifecycle.up(request_of(stack, judged=False))
    sandbox.faults.clear()
    empty = standing()["trainer-group"].id
    asked_again = up(stack, judged=False)

    assert not refused.ok
    assert "has 0 of 2 machines" in f"{refused.reason} {refused.diagnostics}"
    assert changed(asked_again)["trainer-group"][0] == "replace"
    assert standing()["trainer-group"].id != empty


def test_destroy_leaves_nothing(stack: Path) -> None:
    sandbox.remove(BOUGHT)
    fine(lifecycle.destroy(request_of(stack, judged=False)))

    assert left() == []
