"""What a training run will take and cost, bought this way or that, interruptions counted."""

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import Book
from gpuinfra.catalog.sizing import saved_bytes, wish_of
from gpuinfra.clouds import priced_room
from gpuinfra.cost.interruptions import (
    Saving,
    daly,
    hours,
    monthly_share,
    per_hour,
    undisturbed,
    young,
)
from gpuinfra.cost.storage import Storage, storage
from gpuinfra.cost.terms import Terms
from gpuinfra.cost.ways import Planned, Way, cheapest, even_hours, even_rate, rung_of, ways_of
from gpuinfra.model import Group, Interruption, Plan
from gpuinfra.stackfile import Checkpoints, Stack, Training
from gpuinfra.units import gigabytes
from gpuinfra.units import hours as in_hours

KEYS: Final = {"size": "140GB", "write": "2GB/s", "restart": "10m"}
"""What only the user knows about a checkpoint, with an example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """How often a run saves itself, and how often it should: hours of work in between.

    `young` is the first-order figure for comparison; `hours_now` and `hours_best` are the expected
    hours of the run on spot with each interval.
    """

    now: float
    best: float
    young: float
    hours_now: float | None
    hours_best: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutlook:
    """What a run of a training workload will take and cost.

    Attributes:
        group: the workload.
        subject: its path in the stack file.
        machine: its machine type on the standing rung.
        machines: how many.
        work: hours of the run that nothing interrupts and nothing saves.
        interruption: how often spot machines are taken back, as the cloud publishes it.
        counted: the share of machines a month that is counted: the published upper end, or the
            lower one where it has none.
        between: mean hours between two interruptions of this run.
        interrupted: the share of runs on spot that are interrupted at least once.
        checkpoint_gb: what a checkpoint holds, GB of 10^9 bytes.
        checkpoint_of: which key says so: `checkpoints.size`, or `for_model`, of which weights,
            master weights and optimizer states are counted; empty when none does.
        write_hours: to write one checkpoint.
        write_share: of an undisturbed run that goes into writing.
        interval: the checkpoints' interval, and the best one.
        ways: to buy it, each for this run.
        cheapest: the mode of the least expected cost; empty where that of one is not known.
        break_even: the share of machines a month up to which spot is cheaper than on demand.
        break_even_between: the same as mean hours between two interruptions of this run.
        break_even_hours: of a run without checkpoints, up to which spot is cheaper at most.
        storage: whether storage keeps the GPUs waiting.
        unknown: what has to be said in the stack file to know more; empty when nothing has.
    """

    group: str
    subject: str
    machine: str
    machines: int
    work: Decimal
    interruption: Interruption | None
    counted: Decimal | None
    between: float | None
    interrupted: float | None
    checkpoint_gb: Decimal | None
    checkpoint_of: str
    write_hours: float | None
    write_share: float | None
    interval: Interval | None
    ways: tuple[Way, ...]
    cheapest: str
    break_even: Decimal | None
    break_even_between: float | None
    break_even_hours: float | None
    storage: Storage | None
    unknown: str


def outlook(stack: Stack, plan: Plan, terms: Terms) -> tuple[RunOutlook, ...]:
    """The outlook of each training workload that has a duration."""
    return tuple(
        _of_run(group, stack.training[group.name], terms.prices)
        for group in plan.groups
        if group.hours is not None and group.name in stack.training
    )


def _of_run(group: Group, work: Training, prices: Book) -> RunOutlook:
    spot = rung_of(group, "spot")
    said = work.checkpoints
    found = priced_room(group.cloud).interruption(spot.machine, spot.region)
    stored = _storage(group, work)
    counted = None if found is None else found.high or found.low
    size, derived = _size(work)
    writing = _writing(size, stored)
    saving = _saving(said, writing)
    hours_of_work = float(group.hours or 0)
    run = Planned(
        group=group,
        work=hours_of_work,
        steady=_steady(hours_of_work, said, writing),
        machines=work.nodes,
        saving=saving,
        rate=None if counted is None else per_hour(float(counted), work.nodes),
        prices=prices,
    )
    ways = ways_of(run)
    even = even_rate(run, ways)
    return RunOutlook(
        group=group.name,
        subject=group.subject,
        machine=group.rung.machine,
        machines=work.nodes,
        work=group.hours or Decimal(0),
        interruption=found,
        counted=counted,
        between=1 / run.rate if run.rate else None,
        interrupted=None if run.rate is None else -math.expm1(-run.rate * run.steady),
        checkpoint_gb=None if size is None else gigabytes(size),
        checkpoint_of="for_model" if derived else "checkpoints.size" if size else "",
        write_hours=writing,
        write_share=None if writing is None else (run.steady - run.work) / run.steady,
        interval=_interval(run, said, writing),
        ways=ways,
        cheapest=cheapest(ways),
        break_even=None if even is None else _share(monthly_share(even, work.nodes)),
        break_even_between=None if even is None else 1 / even,
        break_even_hours=None if said else even_hours(run, ways),
        storage=stored,
        unknown=_unknown(said, size),
    )


def _saving(said: Checkpoints | None, writing: float | None) -> Saving | None:
    if said is None or said.restart is None or writing is None:
        return None
    return Saving(
        every=float(in_hours(said.every)), write=writing, restart=float(in_hours(said.restart))
    )


def _steady(work: float, said: Checkpoints | None, writing: float | None) -> float:
    """The hours of a run that nothing interrupts; writing counts as far as it is known."""
    if said is None or writing is None:
        return work
    return undisturbed(work, Saving(every=float(in_hours(said.every)), write=writing, restart=0))


def _size(work: Training) -> tuple[int | None, bool]:
    """What a checkpoint holds in bytes, and whether that was derived from the model."""
    said, gpu = work.checkpoints, work.gpu
    if said is None or said.size is not None or gpu is None or gpu.for_model is None:
        return (said.size if said else None), False
    return saved_bytes(wish_of(gpu.for_model, "train")) or None, True


def _writing(size: int | None, stored: Storage | None) -> float | None:
    """The hours that one checkpoint takes to write, at what the way to the bucket lets through."""
    if size is None or stored is None or stored.write_rate is None:
        return None
    return float(Decimal(size) / stored.write_rate / 3600)


def _interval(run: Planned, said: Checkpoints | None, writing: float | None) -> Interval | None:
    if said is None or not run.rate or not writing:
        return None
    best = daly(writing, 1 / run.rate)
    now = then = None
    if run.saving is not None:
        now = hours(run.work, run.saving, run.rate)
        then = hours(run.work, replace(run.saving, every=best), run.rate)
    return Interval(
        now=float(in_hours(said.every)),
        best=best,
        young=young(writing, 1 / run.rate),
        hours_now=now.expected if now else None,
        hours_best=then.expected if then else None,
    )


def _storage(group: Group, work: Training) -> Storage | None:
    machine = priced_room(group.cloud).machine(group.rung.machine)
    if machine is None:
        return None
    reads = [Decimal(mount.rate) for mount in work.data if mount.rate is not None]
    saves = work.checkpoints
    writes = None if saves is None or saves.write is None else Decimal(saves.write)
    return storage(machine, work.nodes, sum(reads, Decimal(0)) if reads else None, writes)


def _unknown(said: Checkpoints | None, size: int | None) -> str:
    if said is None:
        held = {"bucket": "data", "every": "10m", **KEYS}
    else:
        known = {"size": size, "write": said.write, "restart": said.restart}
        held = {key: example for key, example in KEYS.items() if known[key] is None}
    words = ", ".join(f"{key}: {example}" for key, example in held.items())
    return f"checkpoints: {{{words}}}" if held else ""


def _share(share: float) -> Decimal:
    return Decimal(share).quantize(Decimal("0.000001"))
