"""Within which hours machines of Google Cloud end, and what counts in a month of them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.clouds.observing import end_times
from gpuinfra.cost.run_hours import month_hours
from gpuinfra.model import UNKNOWN, Group, Usage
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_program import GcpProgram

KEPT = {"instanceLifecyclePolicy": {"defaultActionOnFailure": "DO_NOTHING"}}
UNHEALTHY = {
    "instanceLifecyclePolicy": {
        "defaultActionOnFailure": "DO_NOTHING",
        "onFailedHealthCheck": "REPAIR",
    }
}
TEN = {"maxRunDuration": {"seconds": 36_000}, "instanceTerminationAction": "DELETE"}


NOW = datetime.now(UTC)


@pytest.fixture(autouse=True)
def _the_clock_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock: the cases are made when pytest collects, and may run an hour later."""
    monkeypatch.setattr(end_times, "now", lambda: NOW)


def moment(hours: int) -> dict[str, Any]:
    when = NOW + timedelta(hours=hours)
    return {"terminationTime": f"{when:%Y-%m-%dT%H:%M:%SZ}", "instanceTerminationAction": "DELETE"}


def managed(scheduling: dict[str, Any], *, scaled: bool = False, **inputs: Any) -> GcpProgram:
    """A managed group of one machine."""
    program = GcpProgram()
    made = gcp_stacks.template(
        program,
        "made",
        gcp_stacks.network(program),
        scheduling={"onHostMaintenance": "TERMINATE", **scheduling},
    )
    goal = gcp_stacks.group(program, "run", made, targetSize=1, **inputs)
    if scaled:
        gcp_stacks.autoscaler(program, goal, 1, 1)
    return program


def seen(program: GcpProgram, usage: Usage | None = None) -> Group:
    rows = observe(program.resources(), usage or Usage())
    (group,) = (group for group in rows.groups if group.name == "run")
    return group


def within(program: GcpProgram) -> int | None:
    hours = observe(program.resources()).groups[0].lifecycle.ends_within
    return None if hours is None else round(hours)


@pytest.mark.parametrize(
    ("scheduling", "inputs", "hours"),
    [
        ({}, {}, None),
        (moment(10), {}, 10),
        ({"terminationTime": UNKNOWN}, {}, 0),  # only a preview does not know it
        (moment(10), {"scaled": True}, None),  # the autoscaler asks for another machine
        (TEN, {}, None),  # a machine that is made again begins its time anew
        (TEN, KEPT, 10),
        (TEN, {**KEPT, "scaled": True}, None),
        (TEN, UNHEALTHY, None),  # so does one that fails its health check
    ],
)
def test_a_group_ends_within_hours(
    scheduling: dict[str, Any], inputs: dict[str, Any], hours: int | None
) -> None:
    assert within(managed(scheduling, **inputs)) == hours


@pytest.mark.parametrize(("scheduling", "hours"), [(moment(10), 10), (TEN, 10)])
def test_a_machine_alone_ends_within_hours(scheduling: dict[str, Any], hours: int) -> None:
    program = GcpProgram()
    program.add(
        "compute/instance:Instance",
        "run",
        zone="us-central1-a",
        machineType="g2-standard-8",
        networkInterfaces=[{"subnetwork": gcp_stacks.network(program).link}],
        scheduling={"onHostMaintenance": "TERMINATE", **scheduling},
    )

    assert within(program) == hours


@given(hours=st.integers(1, 100 * 24), runs=st.integers(1, 4))
def test_a_program_of_others_and_a_stack_file_count_the_same_month(hours: int, runs: int) -> None:
    text = (
        "version: 1\nname: lab\nowner: me\nprices: {accept_outdated: true}\n"
        "where: {cloud: gcp, regions: [us-central1]}\n"
        f"training: {{run: {{instance: g2-standard-8, time_to_live: {hours}h, runs: {runs}}}}}\n"
    )
    (planned,) = from_stack(loads(text).stack).groups
    usage = Usage(ends_after={"run": Decimal(hours)}, runs={"run": Decimal(runs)})
    theirs = seen(managed(moment(hours)), usage)

    assert planned.lifecycle.ends is theirs.lifecycle.ends is True
    assert month_hours(planned) == month_hours(theirs) == min(hours * runs, 730)
