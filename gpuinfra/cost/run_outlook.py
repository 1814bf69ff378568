"""The outlook of a run before it starts: its checkpoints, hours and cost."""

from decimal import Decimal
from typing import Final

from gpuinfra.cost.interruption_risk import InterruptionRisk
from gpuinfra.cost.run_options import RunOption
from gpuinfra.cost.storage_throughput import Storage
from gpuinfra.records import record

KEYS: Final = {"size": "140GB", "write": "2GB/s", "restart": "10m"}
"""The checkpoint keys that only the user can set, with an example."""


@record
class Interval:
    """The actual and the best interval between checkpoints, in hours of work.

    `first_order_hours` is the first-order figure for comparison; `run_hours_stated` and
    `run_hours_best` are the expected hours of the run on spot with each interval.
    """

    stated_hours: float
    best_hours: float
    first_order_hours: float
    run_hours_stated: float | None
    run_hours_best: float | None


@record
class Checkpoint:
    """The checkpoint of a run: its size, and the time to write it.

    Attributes:
        gigabytes: what one holds, GB of 10^9 bytes.
        interval_hours: hours of work between two checkpoints, as stated in the stack file.
        size_key: the key with the size: `checkpoints.size`, or `for_model`, of which weights,
            master weights and optimizer states are counted; empty when none does.
        write_hours: to write one.
        write_share: of an undisturbed run that goes into writing.
        interval: the interval between two, and the best one.
    """

    interval_hours: float | None
    gigabytes: Decimal | None
    size_key: str
    write_hours: float | None
    write_share: float | None
    interval: Interval | None


@record
class BreakEven:
    """The limits up to which spot is cheaper than on demand; None where unknown or never.

    Attributes:
        interrupted_share: of machines interrupted in a month.
        hours_between: the same as mean hours between two interruptions of this run.
        hours: of a run without checkpoints, at most.
    """

    interrupted_share: Decimal | None
    hours_between: float | None
    hours: float | None


@record
class RunOutlook:
    """The duration and cost of a training workload's run.

    Attributes:
        group: the workload.
        subject: its path in the stack file.
        cloud: the cloud of its active rung.
        machine: its machine type on the active rung.
        machines: how many.
        work_hours: its `duration`: hours that nothing interrupts or saves.
        hours_with_writes: those and the writing of checkpoints as far as known, which caps count.
        risk: how often it is interrupted on spot.
        checkpoint: what it saves.
        options: to buy it, each for this run.
        cheapest: the mode of the least expected cost that can be expected to run; empty where
            that is not known.
        break_even: up to where spot is cheaper than on demand.
        storage: whether storage keeps the GPUs waiting.
        cap: the maximum cost of a run, in US dollars.
        above_cap: the modes of the workload's ladder, without excluded rungs, in which the
            machines only are expected to cost more than that, or do in one run of ten, writing
            and interruptions counted.
        missing_key: what has to be said in the stack file to know more; empty when nothing has.
        parent_key: the key under which `missing_key` goes.
        bucket: the section that `missing_key` needs beside it; empty where a bucket is declared.
    """

    group: str
    subject: str
    cloud: str
    machine: str
    machines: int
    work_hours: Decimal
    hours_with_writes: float
    risk: InterruptionRisk
    checkpoint: Checkpoint
    options: tuple[RunOption, ...]
    cheapest: str
    break_even: BreakEven
    storage: Storage | None
    cap: Decimal | None
    above_cap: tuple[str, ...]
    missing_key: str
    parent_key: str
    bucket: str = ""
