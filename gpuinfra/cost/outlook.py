"""The duration and cost of a training run for each purchase mode, with interruptions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds import priced_cloud_of
from gpuinfra.cost.interruption_risk import risk
from gpuinfra.cost.interruptions import (
    CheckpointTimes,
    daly,
    hours,
    monthly_share,
    per_hour,
    uninterrupted_hours,
    young,
)
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.run_options import (
    RunOption,
    UnpricedRun,
    cheapest,
    even_hours,
    even_rate,
    priced_options,
    rung_of,
)
from gpuinfra.cost.run_outlook import KEYS, BreakEven, Checkpoint, Interval, RunOutlook
from gpuinfra.cost.storage_throughput import Storage, storage
from gpuinfra.model import EXAMPLE_SIZE, Group, Plan, Rung
from gpuinfra.planning.usage import checkpoint_size
from gpuinfra.specs import Checkpoints, Stack, Training
from gpuinfra.units import gigabytes
from gpuinfra.units import hours as in_hours

_BUCKET: Final = "data"
"""The name of a bucket that is suggested where a stack has none."""


def outlook(
    stack: Stack,
    plan: Plan,
    terms: PricingTerms,
    skip_reason: Mapping[tuple[str, str], str | None],
) -> tuple[RunOutlook, ...]:
    """Return the outlook of each training workload that has a duration.

    `skip_reason` says of rungs, by group and label, why `up` may not step onto them
    (`Quote.skip_reasons`).
    """
    buckets = tuple(stack.buckets)
    return tuple(
        _run_outlook(
            group, stack.training[group.name], terms, plan.caps.per_run, skip_reason, buckets
        )
        for group in plan.groups
        if group.needs.hours is not None and group.name in stack.training
    )


def _run_outlook(
    group: Group,
    workload: Training,
    terms: PricingTerms,
    cap: Decimal | None,
    skip_reason: Mapping[tuple[str, str], str | None],
    buckets: tuple[str, ...],
) -> RunOutlook:
    checkpoints, stored = workload.checkpoints, _storage(group, workload)
    size, _ = checkpoint_size(workload)
    writing = _write_hours(size, stored)
    hours_of_work = float(group.needs.hours or 0)
    steady = _uninterrupted_hours(hours_of_work, checkpoints, writing)
    spot = rung_of(group, "spot")
    interruption_risk = risk(group.cloud, spot, workload.nodes, workload.interruptions, steady)
    run = UnpricedRun(
        group=group,
        work_hours=hours_of_work,
        uninterrupted_hours=steady,
        machines=workload.nodes,
        checkpoints=checkpoint_times_of(checkpoints, writing),
        interruption_rate=None
        if interruption_risk.counted_share is None
        else per_hour(float(interruption_risk.counted_share), workload.nodes),
        prices=terms.prices,
        day=terms.as_of,
    )
    options = priced_options(run)
    return RunOutlook(
        group=group.name,
        subject=group.subject,
        cloud=group.cloud,
        machine=group.rung.machine,
        machines=workload.nodes,
        work_hours=group.needs.hours or Decimal(0),
        hours_with_writes=steady,
        risk=interruption_risk,
        checkpoint=_checkpoint(run, workload, writing),
        options=options,
        cheapest=cheapest(options),
        break_even=_break_even(run, options, saves=checkpoints is not None),
        storage=stored,
        cap=cap,
        above_cap=_modes_above_cap(
            [rung for rung in group.rungs if not skip_reason.get((group.name, rung.label))],
            options,
            cap,
        ),
        missing_key=_missing_keys(checkpoints, size, (*buckets, _BUCKET)[0]),
        parent_key=f"{group.subject}.checkpoints" if checkpoints else group.subject,
        bucket=""
        if buckets or checkpoints
        else f"buckets: {{{_BUCKET}: {{size: {EXAMPLE_SIZE}}}}}",
    )


def _checkpoint(
    unpriced_run: UnpricedRun, workload: Training, writing: float | None
) -> Checkpoint:
    size, derived = checkpoint_size(workload)
    checkpoints = workload.checkpoints
    return Checkpoint(
        interval_hours=None if checkpoints is None else float(in_hours(checkpoints.every)),
        gigabytes=None if size is None else gigabytes(size),
        size_key="for_model" if derived else "checkpoints.size" if size else "",
        write_hours=writing,
        write_share=None
        if writing is None
        else (unpriced_run.uninterrupted_hours - unpriced_run.work_hours)
        / unpriced_run.uninterrupted_hours,
        interval=_interval(unpriced_run, checkpoints, writing),
    )


def _break_even(
    unpriced_run: UnpricedRun, run_options: tuple[RunOption, ...], *, saves: bool
) -> BreakEven:
    rate = even_rate(unpriced_run, run_options)
    return BreakEven(
        interrupted_share=None
        if rate is None
        else _share(monthly_share(rate, unpriced_run.machines)),
        hours_between=None if rate is None else 1 / rate,
        hours=None if saves else even_hours(unpriced_run, run_options),
    )


def _modes_above_cap(
    rungs: Sequence[Rung], run_options: tuple[RunOption, ...], cap: Decimal | None
) -> tuple[str, ...]:
    if cap is None:
        return ()
    modes = {rung.capacity for rung in rungs}
    return tuple(
        option.mode
        for option in run_options
        if option.mode in modes
        and option.cost
        and max(option.cost.expected, option.cost.p90) > cap
    )


def checkpoint_times_of(
    checkpoints: Checkpoints | None, writing: float | None
) -> CheckpointTimes | None:
    """Return the checkpoint times of a run; None where the writing or restart time is unknown."""
    if checkpoints is None or checkpoints.restart is None or writing is None:
        return None
    return CheckpointTimes(
        interval_hours=float(in_hours(checkpoints.every)),
        write_hours=writing,
        restart_hours=float(in_hours(checkpoints.restart)),
    )


def _uninterrupted_hours(
    work: float, checkpoints: Checkpoints | None, writing: float | None
) -> float:
    """Return the hours of a run without interruptions, with checkpoint writing as far as known."""
    if checkpoints is None or writing is None:
        return work
    return uninterrupted_hours(
        work,
        CheckpointTimes(
            interval_hours=float(in_hours(checkpoints.every)), write_hours=writing, restart_hours=0
        ),
    )


def _write_hours(size: int | None, storage: Storage | None) -> float | None:
    """Return the hours to write one checkpoint, at the rate of the path to the bucket."""
    if size is None or storage is None or storage.write_rate is None:
        return None
    return float(Decimal(size) / storage.write_rate / 3600)


def _interval(
    unpriced_run: UnpricedRun, checkpoints: Checkpoints | None, writing: float | None
) -> Interval | None:
    if checkpoints is None or not unpriced_run.interruption_rate or not writing:
        return None
    best = daly(writing, 1 / unpriced_run.interruption_rate)
    stated_run = best_run = None
    if unpriced_run.checkpoints is not None:
        stated_run = hours(
            unpriced_run.work_hours, unpriced_run.checkpoints, unpriced_run.interruption_rate
        )
        best_run = hours(
            unpriced_run.work_hours,
            replace(unpriced_run.checkpoints, interval_hours=best),
            unpriced_run.interruption_rate,
        )
    return Interval(
        stated_hours=float(in_hours(checkpoints.every)),
        best_hours=best,
        first_order_hours=young(writing, 1 / unpriced_run.interruption_rate),
        run_hours_stated=stated_run.expected if stated_run else None,
        run_hours_best=best_run.expected if best_run else None,
    )


def _storage(group: Group, workload: Training) -> Storage | None:
    machine = priced_cloud_of(group.cloud).machines.get(group.rung.machine)
    if machine is None:
        return None
    reads = [Decimal(mount.rate) for mount in workload.data if mount.rate is not None]
    saves = workload.checkpoints
    writes = None if saves is None or saves.write is None else Decimal(saves.write)
    return storage(machine, workload.nodes, sum(reads, Decimal(0)) if reads else None, writes)


def _missing_keys(checkpoints: Checkpoints | None, size: int | None, bucket: str) -> str:
    """Return the missing checkpoint keys as in a stack file; empty if there are none.

    Without checkpoints all of them as one key, else those to add to it.
    """
    if checkpoints is None:
        return f"checkpoints: {{{_flow({'bucket': bucket, 'every': '10m', **KEYS})}}}"
    checkpoint_keys = {"size": size, "write": checkpoints.write, "restart": checkpoints.restart}
    return _flow({key: example for key, example in KEYS.items() if checkpoint_keys[key] is None})


def _flow(keys: Mapping[str, str]) -> str:
    return ", ".join(f"{key}: {example}" for key, example in keys.items())


def _share(share: float) -> Decimal:
    return Decimal(share).quantize(Decimal("0.000001"))
