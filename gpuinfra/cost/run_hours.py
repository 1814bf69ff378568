"""The hours of a group's machines that are counted: of one run, and of a month."""

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Group, Rung, Unknown
from gpuinfra.model.time_to_live import time_to_live
from gpuinfra.units import HOURS_PER_MONTH

if TYPE_CHECKING:
    from gpuinfra.cost.interruptions import CheckpointTimes

ZERO: Final = Decimal(0)
_SHOWN: Final = Decimal("0.0001")
"""Estimated hours are rounded to this."""


def run_hours(group: Group, rung: Rung | None = None) -> Decimal | None:
    """Return the hours of a run that nothing interrupts; None where no duration is stated.

    They are its duration and, as far as known, the writing of its checkpoints on the machines of a
    rung, which is the active one unless it is given. What ends the machines ends the writing, too.
    """
    work = group.needs.hours
    if work is None:
        return None
    hours = _uninterrupted_hours(work, _checkpoint_times(group, rung or group.rung))
    return hours if group.ends_after is None else max(work, min(hours, group.ends_after))


def suggested_end(group: Group) -> int:
    """Return the time_to_live to suggest in hours: a quarter longer than a long run.

    That is one on the rung where it takes longest. On spot, nine runs of ten end before, where the
    rate of interruptions and the times of the checkpoints are known.
    """
    work = group.needs.hours
    if work is None:
        return time_to_live(None)
    return time_to_live(max(_long_run_hours(group, rung, work) for rung in group.rungs))


def _long_run_hours(group: Group, rung: Rung, work: Decimal) -> Decimal:
    times = _checkpoint_times(group, rung)
    least = _uninterrupted_hours(work, times)
    restart, machines = group.needs.restart, group.maximum
    if (
        rung.capacity != "spot"
        or times is None
        or restart is None
        or isinstance(machines, Unknown)
    ):
        return least
    # Only where a stack file states how a run on spot saves its work:
    from gpuinfra.cost.interruption_risk import risk  # noqa: PLC0415
    from gpuinfra.cost.interruptions import hours, per_hour  # noqa: PLC0415

    declared = group.needs.interrupted_share
    share = risk(group.cloud, rung, machines, declared, float(least)).counted_share
    if share is None:
        return least
    times = replace(times, restart_hours=float(restart))
    outlook = hours(float(work), times, per_hour(float(share), machines))
    return least if outlook is None else rounded_hours(max(outlook.expected, outlook.p90))


def _uninterrupted_hours(work: Decimal, times: "CheckpointTimes | None") -> Decimal:
    """Return the hours of a run with the writing of its checkpoints, as far as that is known."""
    if times is None:
        return work
    from gpuinfra.cost.interruptions import uninterrupted_hours  # noqa: PLC0415

    return rounded_hours(uninterrupted_hours(float(work), times))


def _checkpoint_times(group: Group, rung: Rung) -> "CheckpointTimes | None":
    """Return the times of a run's checkpoints without a restart; None where unknown."""
    writes = group.needs.writes
    machine = priced_cloud_of(group.cloud).machines.get(rung.machine)
    if writes is None or machine is None or isinstance(group.maximum, Unknown):
        return None
    # Only where a stack file states the writing:
    from gpuinfra.cost.interruptions import CheckpointTimes  # noqa: PLC0415
    from gpuinfra.cost.storage_throughput import storage  # noqa: PLC0415

    rate = storage(machine, group.maximum, None, writes.rate).write_rate or writes.rate
    return CheckpointTimes(
        interval_hours=float(writes.every),
        write_hours=float(writes.size / rate / 3600),
        restart_hours=0,
    )


def rounded_hours(duration_hours: float) -> Decimal:
    """Return estimated hours as a Decimal, rounded to 0.0001 h."""
    return Decimal(duration_hours).quantize(_SHOWN)


def shown_hours(hours: Decimal) -> str:
    """Return hours for people: as stated, or estimated ones with one decimal."""
    return f"{round(hours, 1).normalize():f}"


def runs_anew(group: Group) -> bool:
    """Return whether machines start again after they end, and runs per month are unstated."""
    return group.lifecycle.starts_again and group.needs.runs == 1


def month_hours(group: Group) -> Decimal:
    """Return the maximum hours per month of a group's machines.

    The duration of a run bounds no month: nothing enforces it. What ends them ends each run, and
    not before the time that it shows. A program's own word needs one that shows its time. Machines
    that start again run in several runs a month: one alone bounds nothing. The first run starts at
    any time; those that a schedule starts end when its next stop is due.
    """
    needs, end = group.needs, group.lifecycle.ends_within
    claimed = needs.ends_claimed if end is not None or needs.ends_after is not None else None
    limits = [hours for hours in (needs.ends_after, claimed) if hours is not None]
    if not limits or runs_anew(group) or group.lifecycle.ends is False:
        return HOURS_PER_MONTH
    first_end, restarts = end or ZERO, group.lifecycle.restarts_within
    later_end = first_end if restarts is None else min(first_end, restarts)
    hours = max(*limits, first_end) + max(*limits, later_end) * (needs.runs - 1)
    return min(hours, HOURS_PER_MONTH)


def expected_hours(group: Group, rung: Rung | None = None) -> Decimal:
    """Return the expected monthly hours of a group's machines; from its runs, if stated."""
    most, hours = month_hours(group), run_hours(group, rung)
    return most if hours is None else min(most, hours * group.needs.runs)
