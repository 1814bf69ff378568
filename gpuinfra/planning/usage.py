"""What no resource shows and the stack file says: run hours, sizes, purposes."""

from decimal import Decimal

from gpuinfra.clouds.declaring.names import replica_name
from gpuinfra.model import Purpose, Usage
from gpuinfra.specs.schema import Stack
from gpuinfra.specs.storage import Bucket
from gpuinfra.units import gigabytes, hours


def to_usage(stack: Stack) -> Usage:
    """The usage of a stack by workload and bucket name, for planning from resources."""
    purposes: dict[str, Purpose] = dict.fromkeys(stack.training, "training")
    purposes.update(dict.fromkeys(stack.inference, "inference"))
    works = {**stack.training, **stack.inference}
    return Usage(
        hours={
            name: hours(work.duration)
            for name, work in stack.training.items()
            if work.duration is not None
        },
        ends_after={
            name: hours(work.time_to_live)
            for name, work in works.items()
            if work.time_to_live is not None
        },
        expected={
            name: Decimal(pool.expected)
            for name, pool in stack.inference.items()
            if pool.expected is not None
        },
        gigabytes={
            one: gigabytes(bucket.size)
            for name, bucket in stack.buckets.items()
            for one in _copies(name, bucket)
            if bucket.size is not None
        },
        checkpoints={name: work.checkpoints is not None for name, work in stack.training.items()},
        purpose=purposes,
        reads={
            name: Decimal(bucket.reads)
            for name, bucket in stack.buckets.items()
            if bucket.reads is not None
        },
        writes={
            one: Decimal(bucket.writes)
            for name, bucket in stack.buckets.items()
            for one in _copies(name, bucket)
            if bucket.writes is not None
        },
        data={
            kind: gigabytes(size) for kind, size in dict(stack.usage).items() if size is not None
        },
        # Resources show a fabric that is there, but not that none is wanted.
        fabric={
            name: work.fabric
            for name, work in stack.training.items()
            if work.fabric == "none" and work.nodes > 1
        },
        nvlink={
            name: True for name, work in works.items() if work.gpu is not None and work.gpu.nvlink
        },
    )


def _copies(name: str, bucket: Bucket) -> tuple[str, ...]:
    """The bucket, and its copy in a second region, which holds the same."""
    return (name,) if bucket.replicate_to is None else (name, replica_name(name))
