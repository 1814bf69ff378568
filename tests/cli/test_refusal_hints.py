"""What leads on after a refusal: the next rung and the quota, by the code of the refusal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.cli.commands.refusal_hints import next_commands
from gpuinfra.cli.source import load
from gpuinfra.engine.contract import Outcome
from gpuinfra.errors import Refusal

Stack = Callable[..., Path]
URN = "urn:pulumi:cloud::quickstart::gpuinfra:index:TrainingCluster$x:y/z:Z::{}"
RUNG = "No spot machines for trainer. Retry on demand (up to $"


def lines(path: Path, code: str, child: str = "trainer-group", target: str = "cloud") -> list[str]:
    refusal = Refusal(what="x", why="x", fix="x", code=code, urn=URN.format(child))
    outcome = Outcome(verb="up", ending="cloud", refusals=(refusal,))
    return list(next_commands(outcome, load(path), target))


@pytest.mark.parametrize(
    "code", ["InsufficientInstanceCapacity", "SpotMaxPriceTooLow", "NoMachinesInTime", ""]
)
def test_the_next_rung_is_named_with_the_command_that_takes_it(stack: Stack, code: str) -> None:
    path = stack()

    (line,) = lines(path, code)

    assert line.startswith(RUNG)
    assert line.endswith(f"gpuinfra up {path} --target cloud --rung trainer=on-demand@us-east-1")


@pytest.mark.parametrize(
    "code", ["UnauthorizedOperation", "RequestLimitExceeded", "ProviderDied", "NotFound"]
)
def test_where_another_rung_is_no_help_none_is_named(stack: Stack, code: str) -> None:
    assert lines(stack(), code) == []


@pytest.mark.parametrize("child", ["trainer-launch-template", "trainer-fleet"])
def test_any_child_of_the_workload_counts_for_a_known_code_only(stack: Stack, child: str) -> None:
    path = stack()

    assert lines(path, "InsufficientInstanceCapacity", child)[0].startswith(RUNG)
    assert lines(path, "", child) == []


def test_a_child_is_of_the_workload_with_the_longest_name_that_fits(stack: Stack) -> None:
    path = stack(("  chat:\n", "  trainer-two:\n"))

    (line,) = lines(path, "InsufficientInstanceCapacity", "trainer-two-group")

    assert line.startswith("trainer-two has no further rung: add one to its `capacity`")


def test_a_rung_that_is_struck_says_why_and_is_not_named(stack: Stack) -> None:
    path = stack(("per_hour: 8", "per_hour: 5"))

    struck, none = lines(path, "InsufficientInstanceCapacity")

    assert struck.startswith("rung on-demand@us-east-1 of trainer is excluded: ")
    assert none.startswith("trainer has no further rung: add one to its `capacity`")


def test_a_quota_s_request_is_written_for_the_cloud_alone(stack: Stack) -> None:
    path = stack()

    rung, quota = lines(path, "MaxSpotInstanceCountExceeded")

    assert rung.startswith(RUNG)
    assert "--quota-code L-3819A6DF --desired-value 72 --region us-east-1" in quota
    assert quota.endswith(f"`gpuinfra doctor {path}` counts it")
    assert len(lines(path, "MaxSpotInstanceCountExceeded", target="sandbox")) == 1


def test_of_a_cloud_without_such_a_table_no_request_is_written(quickstart: Path) -> None:
    path = quickstart.parent / "startup-gcp"

    assert not [line for line in lines(path, "VcpuLimitExceeded") if line.startswith("quota")]


def test_a_fleet_without_its_machines_has_a_next_rung(stack: Stack) -> None:
    reason = "the program failed: trainer: the fleet fleet-1 has 0 of 2 machines; for the reason:"
    outcome = Outcome(verb="up", ending="program", reason=reason)

    (line,) = next_commands(outcome, load(stack()), "sandbox")

    assert line.startswith(RUNG)
