"""The usage in a stack file that no resource shows: run hours, sizes, checkpoints, purposes."""

from dataclasses import asdict
from decimal import Decimal

from gpuinfra.clouds.declaring.names import replica_name
from gpuinfra.model import CheckpointWrites, Purpose, Usage
from gpuinfra.specs.schema import Stack, Training
from gpuinfra.specs.storage import Bucket
from gpuinfra.units import HOURS_PER_MONTH, gigabytes, hours


def to_usage(stack: Stack) -> Usage:
    """Return the usage of a stack by workload and bucket name, for planning from resources."""
    purposes: dict[str, Purpose] = dict.fromkeys(stack.training, "training")
    purposes.update(dict.fromkeys(stack.inference, "inference"))
    workloads = stack.workloads
    return Usage(
        hours={
            name: hours(work.duration)
            for name, work in stack.training.items()
            if work.duration is not None
        },
        ends_after={
            name: hours(work.time_to_live)
            for name, work in workloads.items()
            if work.time_to_live is not None
        },
        expected={
            name: Decimal(pool.expected)
            for name, pool in stack.inference.items()
            if pool.expected is not None
        },
        runs={name: Decimal(work.runs) for name, work in stack.training.items() if work.runs > 1},
        gigabytes={
            copy: gigabytes(bucket.size)
            for name, bucket in stack.buckets.items()
            for copy in _copies(name, bucket)
            if bucket.size is not None
        },
        versions={
            copy: size
            for name, bucket in stack.buckets.items()
            for copy in _copies(name, bucket)
            if (size := _versions(stack, name, bucket))
        },
        checkpoints={name: work.checkpoints is not None for name, work in stack.training.items()},
        checkpoint_writes={
            name: asdict(writes)
            for name, work in stack.training.items()
            if (writes := checkpoint_writes(work)) is not None
        },
        purpose=purposes,
        reads={
            name: Decimal(bucket.reads)
            for name, bucket in stack.buckets.items()
            if bucket.reads is not None
        },
        writes={
            copy: Decimal(bucket.writes)
            for name, bucket in stack.buckets.items()
            for copy in _copies(name, bucket)
            if bucket.writes is not None
        },
        data=stack.usage.amounts,
        # Resources show a fabric that is there, but not that none is wanted.
        fabric={
            name: work.fabric
            for name, work in stack.training.items()
            if work.fabric == "none" and work.nodes > 1
        },
        nvlink={
            name: True
            for name, work in workloads.items()
            if work.gpu is not None and work.gpu.nvlink
        },
    )


def checkpoint_writes(workload: Training) -> CheckpointWrites | None:
    """Return how a workload writes checkpoints; None where size or speed is unknown."""
    size, _ = checkpoint_size(workload)
    checkpoints = workload.checkpoints
    if checkpoints is None or checkpoints.write is None or size is None:
        return None
    return CheckpointWrites(
        size=Decimal(size), rate=Decimal(checkpoints.write), every=hours(checkpoints.every)
    )


def restart_hours(workload: Training) -> Decimal | None:
    """Return the hours until a run works again after an interruption; None if not stated."""
    restart = None if workload.checkpoints is None else workload.checkpoints.restart
    return None if restart is None else hours(restart)


def checkpoint_size(workload: Training) -> tuple[int | None, bool]:
    """Return the size of a checkpoint in bytes, and whether it was derived from the model."""
    checkpoints, gpu = workload.checkpoints, workload.gpu
    if checkpoints is None or checkpoints.size is not None or gpu is None or gpu.for_model is None:
        return (checkpoints.size if checkpoints else None), False
    # Only where a size is derived:
    from gpuinfra.catalog.sizing.machine_fit import (  # noqa: PLC0415
        checkpoint_bytes,
        model_request_of,
    )

    return checkpoint_bytes(model_request_of(gpu.for_model, "train")) or None, True


def _copies(name: str, bucket: Bucket) -> tuple[str, ...]:
    """Return the names of a bucket and of its replica in a second region, which holds the same."""
    return (name,) if bucket.replicate_to is None else (name, replica_name(name))


def _versions(stack: Stack, name: str, bucket: Bucket) -> Decimal:
    """Return the GB of a bucket's checkpoints and old versions that are stored for a month.

    Versions that are overwritten at a constant rate fill what `keep_noncurrent` holds of them.
    """
    old = Decimal(0)
    if bucket.versioned and bucket.overwritten is not None:
        share = hours(bucket.keep_noncurrent) / HOURS_PER_MONTH
        old = gigabytes(bucket.overwritten) * share
    training_jobs = (work for work in stack.training.values() if work.checkpoints is not None)
    return old + sum((_checkpoints(work, name, bucket) for work in training_jobs), Decimal(0))


def _checkpoints(workload: Training, name: str, bucket: Bucket) -> Decimal:
    """Return the GB of a month's checkpoints in a bucket; 0 if size or duration is unstated.

    Of those that the program does not keep, a bucket with versions still holds the last ones.
    """
    saves, lasts = workload.checkpoints, workload.duration
    if saves is None or saves.bucket != name or saves.size is None or lasts is None:
        return Decimal(0)
    count = lasts // saves.every * workload.runs
    if saves.keep is not None:
        replaced = bucket.keep_noncurrent // saves.every if bucket.versioned else 0
        count = min(count, saves.keep * workload.runs + replaced)
    return gigabytes(saves.size) * count
