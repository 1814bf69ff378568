"""What the lifecycles of all clouds share: the verbs as a person runs them, and what they read."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import boto3
import pytest

from gpuinfra import sandbox
from gpuinfra.api.targets import request
from gpuinfra.cli import run
from gpuinfra.cli.source import load
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import EXIT_CODES, Outcome, RunRequest

REGION = "us-east-1"


def request_of(path: Path, *rungs: str, judged: bool = True) -> RunRequest:
    """What the command line asks the engine for, on these rungs."""
    return request(load(path, rung=rungs), "sandbox", judged=judged)


def up(path: Path, *rungs: str, judged: bool = True) -> Outcome:
    """Bring it up, judged by the packs; a failure shows why."""
    return fine(lifecycle.up(request_of(path, *rungs, judged=judged)))


def fine(outcome: Outcome) -> Outcome:
    """The outcome, which is fine; where it is not, the test shows why."""
    assert outcome.ok, (outcome.reason, outcome.diagnostics, outcome.findings, outcome.refusals)
    return outcome


def changed(outcome: Outcome) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The resources that were not left alone: their operation and what differs."""
    return {
        step.urn.rsplit("::", 1)[-1]: (step.operation, step.causes or step.differences)
        for step in outcome.steps
        if step.operation != "same" and not step.type.startswith(("pulumi:", "gpuinfra:"))
    }


def standing() -> Mapping[str, sandbox.SandboxResource]:
    """What stands, by its logical name; no name may stand twice."""
    stands = sandbox.existing_resources()
    by_name = {record.name: record for record in stands}
    assert len(by_name) == len(stands), sorted(record.name for record in stands)
    return by_name


def aws(service: str, region: str = REGION) -> Any:
    """A boto3 client of the sandbox, as a person would make one to look or to meddle."""
    return _client(service, region, sandbox.start().endpoint)


@cache
def _client(service: str, region: str, endpoint: str) -> Any:
    return boto3.client(
        service,
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )


def left() -> list[Any]:
    """All that still stands: what the sandbox keeps, and what AWS's own interfaces show."""
    alive = [{"Name": "instance-state-name", "Values": ["running", "pending"]}]
    open_ = [{"Name": "state", "Values": ["available", "pending"]}]
    vpcs = aws("ec2").describe_vpcs()["Vpcs"]
    return [
        *sandbox.existing_resources(),
        *aws("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"],
        *aws("s3").list_buckets()["Buckets"],
        *aws("ec2").describe_launch_templates()["LaunchTemplates"],
        *aws("ec2").describe_nat_gateways(Filters=open_)["NatGateways"],
        *(vpc for vpc in vpcs if not vpc["IsDefault"]),
        *aws("iam").list_roles()["Roles"],
        *aws("ec2").describe_instances(Filters=alive)["Reservations"],
        *aws("elbv2").describe_load_balancers()["LoadBalancers"],
    ]


class Life:
    """One small stack from its first up to its end, its tests in that order.

    Each cloud's file subclasses it, fills in its own words, and adds what only it has.

    Attributes:
        text: the stack file: trainer, chat and data, the first on spot with on demand next.
        machine: the trainer's machine, and the one it moves to.
        region: where all of it stands.
        drifted: the trainer's group as somebody changes it at a console, by property path.
        removed: what somebody deletes there.
        scaler: what holds the pool's size, and the property that changes with its maximum.
        no_room: a part of the message for no capacity.
        moved: resources that another machine for the trainer replaces.
        cause: the group's property that is the reason.
    """

    text: ClassVar[str]
    machine: ClassVar[tuple[str, str]]
    region: ClassVar[str]
    drifted: ClassVar[Mapping[str, Any]]
    removed: ClassVar[str]
    scaler: ClassVar[tuple[str, str]]
    no_room: ClassVar[str]
    moved: ClassVar[frozenset[str]]
    cause: ClassVar[str]

    def test_refresh_right_after_the_first_up_sees_no_drift(self, life: Path) -> None:
        made = up(life)

        seen = fine(lifecycle.refresh(request_of(life), preview_only=True))

        assert set(made.changes) == {"create"}
        assert changed(seen) == {}

    def test_what_somebody_changed_and_deleted_is_seen_and_mended(self, life: Path) -> None:
        before = standing()
        sandbox.change(before["trainer-group"].urn, self.drifted)
        sandbox.remove(before[self.removed].urn)

        seen = fine(lifecycle.refresh(request_of(life), preview_only=True))
        fine(lifecycle.refresh(request_of(life)))
        mended = up(life)

        assert changed(seen) == {
            "trainer-group": ("update", tuple(self.drifted)),
            self.removed: ("delete", ()),
        }
        assert changed(mended) == {
            "trainer-group": ("update", tuple(self.drifted)),
            self.removed: ("create", ()),
        }
        assert standing()["trainer-group"].id == before["trainer-group"].id

    def test_a_larger_pool_is_updated_in_place(self, life: Path) -> None:
        edit(life, ("..3\n", "..4\n"))

        outcome = up(life)

        name, property_ = self.scaler
        assert changed(outcome)[name] == ("update", (property_,))
        assert {operation for operation, _ in changed(outcome).values()} == {"update"}

    def test_another_machine_replaces_the_group_and_says_why(self, life: Path) -> None:
        before = standing()
        edit(life, (f"instance: {self.machine[0]}\n", f"instance: {self.machine[1]}\n"))

        outcome = up(life)

        replaced = {name for name, step in changed(outcome).items() if step[0] == "replace"}
        assert replaced == self.moved
        assert self.cause in changed(outcome)["trainer-group"][1]
        after = standing()
        assert not {before[name].id for name in replaced} & {
            record.id for record in after.values()
        }
        assert set(before) == set(after)

    def test_without_room_the_next_rung_is_named_and_taken(
        self, life: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        edit(life, (f"instance: {self.machine[1]}\n", f"instance: {self.machine[0]}\n"))
        sandbox.faults.add(
            sandbox.faults.InjectedFault(
                kind="no-capacity", instance_type=self.machine[0], capacity="spot"
            )
        )
        command = ("up", str(life), "--target", "sandbox", "--skip-preview")
        next_rung = f"trainer=on-demand@{self.region}"

        refused = run(command)
        message = capsys.readouterr().err
        stepped = run((*command, "--rung", next_rung))
        sandbox.faults.clear()

        assert refused == EXIT_CODES["cloud"]
        assert self.no_room in message
        assert f"--rung {next_rung}" in message
        assert "Traceback" not in message
        assert stepped == 0
        assert changed(up(life, next_rung, judged=False)) == {}

    def test_destroy_leaves_nothing(self, life: Path) -> None:
        fine(lifecycle.destroy(request_of(life, judged=False)))

        assert sandbox.existing_resources() == []


def edit(path: Path, *replaced: tuple[str, str]) -> None:
    """Replace some of a file's text, which has to be there."""
    text = path.read_text()
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)
