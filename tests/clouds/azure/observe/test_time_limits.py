"""Within which hours machines of Azure end, and what counts in a month of them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.observing import end_times
from gpuinfra.cost.run_hours import month_hours
from gpuinfra.model import UNKNOWN, Group, Usage
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.azure_stacks import scale_set

WEEKLY = {"recurrence": {"frequency": "Week"}}
SETTING = "azure-native:monitor:AutoscaleSetting"


def sized(count: Any, **more: Any) -> dict[str, Any]:
    return {
        "name": "size",
        "capacity": {"minimum": count, "maximum": count, "default": count},
        "rules": [],
        **more,
    }


NOW = datetime.now(UTC)


@pytest.fixture(autouse=True)
def _the_clock_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock: the cases are made when pytest collects, and may run an hour later."""
    monkeypatch.setattr(end_times, "now", lambda: NOW)


def window(hours: Any) -> dict[str, Any]:
    end = hours
    if isinstance(hours, int):
        end = f"{NOW + timedelta(hours=hours):%Y-%m-%dT%H:%M:%S}"
    return {"fixedDate": {"timeZone": "UTC", "start": "2026-01-01T00:00:00", "end": end}}


def seen(*profiles: dict[str, Any], usage: Usage | None = None, **more: Any) -> Group:
    """A scale set of two machines, with an autoscale setting."""
    program = AzureProgram()
    servers = scale_set(program, sku={"name": "Standard_NC4as_T4_v3", "capacity": 2})
    program.add(
        SETTING,
        "end",
        **{"enabled": True, **more},
        targetResourceUri=servers.id,
        profiles=profiles,
    )
    (group,) = observe(program.resources(), usage or Usage()).groups
    return group


@pytest.mark.parametrize(
    ("profiles", "ends", "hours"),
    [
        ([sized("0"), sized("2", **window(10))], True, 10),
        ([sized("0"), sized("2", **window(10)), sized("1", **window(20))], True, 20),
        ([sized("0"), sized("2", **window(UNKNOWN))], True, 0),  # only a preview has no moment
        ([sized("0"), sized("2", **window(5000))], False, None),  # further away than any run
        ([sized("0"), sized("2", **window("2020-01-01T00:00:00"))], False, None),
        ([sized("1"), sized("2", **window(10))], False, None),
        ([sized("2", **window(10))], False, None),  # nothing says what follows
        ([sized("0"), sized("2", **window(10)), sized("2", **WEEKLY)], False, None),
    ],
)
def test_a_scale_set_ends_once_its_dates_are_over(
    profiles: list[dict[str, Any]], ends: bool, hours: int | None
) -> None:
    lifecycle = seen(*profiles).lifecycle
    within = None if lifecycle.ends_within is None else round(lifecycle.ends_within)

    assert (lifecycle.ends, within) == (ends, hours)


@pytest.mark.parametrize(("enabled", "ends"), [(False, False), (UNKNOWN, UNKNOWN)])
def test_a_setting_that_may_be_off_surely_ends_nothing(enabled: Any, ends: Any) -> None:
    group = seen(sized("0"), sized("2", **window(10)), enabled=enabled)

    assert (group.lifecycle.ends, group.lifecycle.ends_within) == (ends, None)


@pytest.mark.parametrize("profiles", [(sized("0"), sized("2", **window(10))), (sized("2"),)])
def test_a_setting_that_keeps_one_size_is_no_sign_of_a_pool(profiles: Any) -> None:
    group = seen(*profiles)

    assert (group.purpose, group.minimum, group.maximum) == ("unknown", 2, 2)
    assert group.lifecycle.grows is None


@given(hours=st.integers(1, 100 * 24), runs=st.integers(1, 4))
def test_a_program_of_others_and_a_stack_file_count_the_same_month(hours: int, runs: int) -> None:
    text = (
        "version: 1\nname: lab\nowner: me\nprices: {accept_outdated: true}\n"
        "where: {cloud: azure, regions: [eastus]}\n"
        "training: {servers: {instance: Standard_NC4as_T4_v3, nodes: 2, fabric: none, "
        f"time_to_live: {hours}h, runs: {runs}}}}}\n"
    )
    (planned,) = from_stack(loads(text).stack).groups
    usage = Usage(ends_after={"servers": Decimal(hours)}, runs={"servers": Decimal(runs)})
    theirs = seen(sized("0"), sized("2", **window(hours)), usage=usage)

    assert planned.lifecycle.ends is theirs.lifecycle.ends is True
    assert month_hours(planned) == month_hours(theirs) == min(hours * runs, 730)


ACTION = "azure-native:computeschedule:ScheduledAction"
SHUTDOWN = "azure-native:devtestlab:GlobalSchedule"
FULL, SHORT = Decimal(730), Decimal(80)


@pytest.mark.parametrize(
    ("action", "hours"),
    [
        (None, SHORT),
        ({"actionType": "Deallocate"}, SHORT),
        ({"actionType": "Start"}, FULL),
        ({"actionType": "Start", "disabled": True}, SHORT),
    ],
)
def test_a_machine_that_an_action_starts_again_runs_all_month(
    action: dict[str, Any] | None, hours: Decimal
) -> None:
    program = AzureProgram()
    size = {"vmSize": "Standard_NC4as_T4_v3"}
    machine = "azure-native:compute:VirtualMachine"
    box = program.add(machine, "box", location="eastus", hardwareProfile=size)
    stop = {"taskType": "ComputeVmShutdownTask", "dailyRecurrence": {"time": "2000"}}
    program.add(SHUTDOWN, "stop", targetResourceId=box.id, **stop)
    if action is not None:
        program.add(ACTION, "again", **action)
    usage = Usage(purpose={"box": "training"}, ends_after={"box": SHORT})
    (group,) = observe(program.resources(), usage).groups
    assert month_hours(group) == hours


@pytest.mark.parametrize(
    ("profiles", "hours"),
    [
        ([sized("2"), sized("0", **WEEKLY)], FULL),
        ([sized("0"), sized("0", **WEEKLY)], SHORT),
        ([sized("0"), sized("2", **window(10))], SHORT),
    ],
)
def test_a_set_that_a_profile_fills_again_runs_all_month(
    profiles: list[dict[str, Any]], hours: Decimal
) -> None:
    usage = Usage(purpose={"servers": "training"}, ends_after={"servers": SHORT})
    assert month_hours(seen(*profiles, usage=usage)) == hours
