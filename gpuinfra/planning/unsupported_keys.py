"""The refusal of keys and values of a workload that its cloud does not support."""

from collections.abc import Iterable, Iterator
from functools import reduce

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.supported_keys import accepts, builders_of, reason
from gpuinfra.errors import PathPart, Problem
from gpuinfra.model import Bucket as PlannedBucket
from gpuinfra.model import Group, Machine, Rung
from gpuinfra.model.time_to_live import time_to_live
from gpuinfra.specs.forms import Form
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Inference, Stack, Training
from gpuinfra.specs.storage import Bucket
from gpuinfra.units import format_duration
from gpuinfra.units import hours as in_hours

Path = tuple[PathPart, ...]


def check_keys(
    cloud: str, stack: Stack, workload: Training | Inference, path: Path
) -> Iterator[Problem]:
    """Yield problems of a workload's keys and values that its cloud does not support."""
    key_paths: list[tuple[Path, str]] = [(path, key) for key in workload.model_fields_set]
    if isinstance(workload, Training):
        for index, step in enumerate(workload.capacity):
            key_path = (*path, "capacity", index)
            key_paths.append((key_path, f"capacity.{step.kind}"))
            key_paths += [
                (key_path, f"capacity.{stated_key}") for stated_key in step.model_fields_set
            ]
    else:
        key_paths += _section_keys((*path, "scale_on"), workload.scale_on)
    if workload.network is not None:
        key_paths += _section_keys((*path, "network"), workload.network)
    yield from check_stack_keys(cloud, stack)
    is_pool = isinstance(workload, Inference)
    for key_path, stated_key in key_paths:
        if not accepts(cloud, stated_key, pool=is_pool):
            instead = _end_of_run(workload) if stated_key == "idle_stop" else "remove it"
            yield _unsupported_problem(cloud, key_path, stated_key, instead, pool=is_pool)
    yield from _problems_of(
        provider_of(cloud).accepts.stack_faults(stack, workload), workload, path
    )


def check_stack_keys(cloud: str, stack: Stack) -> Iterator[Problem]:
    """Yield problems of stack-wide keys that the cloud does not support."""
    for stated_key in sorted(stack.model_fields_set):
        if not accepts(cloud, stated_key):
            yield _unsupported_problem(cloud, (), stated_key)
    sections = {"budget": stack.budget, "network": stack.network}
    for name, section in sections.items():
        for key_path, stated_key in () if section is None else _section_keys((name,), section):
            if not accepts(cloud, stated_key):
                yield _unsupported_problem(cloud, key_path, stated_key)


def _section_keys(path: Path, section: Form) -> list[tuple[Path, str]]:
    """Return the keys that a section states, as the allow-list has them, each with its path."""
    return [(path, f"{path[-1]}.{stated_key}") for stated_key in sorted(section.model_fields_set)]


def of_bucket(cloud: str, bucket: Bucket, path: Path) -> Iterator[Problem]:
    """Yield problems of bucket keys that the cloud does not support."""
    for stated_key in sorted(bucket.model_fields_set):
        if not accepts(cloud, stated_key):
            yield _unsupported_problem(cloud, path, stated_key)


def _unsupported_problem(
    cloud: str, path: Path, stated_key: str, instead: str = "remove it", *, pool: bool = False
) -> Problem:
    builders = builders_of(stated_key, pool=pool)
    name = stated_key.rpartition(".")[2]
    return Problem(
        message=f"{name} is not supported on {cloud}: {reason(stated_key, cloud)}",
        path=path if stated_key.startswith("capacity.") else (*path, name),
        value=name,
        allowed=f"on {', '.join(builders)}" if builders else "",
        fix=f"{instead}, or use {' or '.join(builders) or 'another cloud'}",
    )


def _end_of_run(workload: Training | Inference) -> str:
    """Return the fix of an unsupported idle_stop; every cloud has time_to_live for a run."""
    if not isinstance(workload, Training):
        return "remove it"
    if workload.time_to_live is not None:
        return f"remove it (time_to_live: {format_duration(workload.time_to_live)} ends the run)"
    duration_hours = None if workload.duration is None else in_hours(workload.duration)
    return f"write time_to_live: {time_to_live(duration_hours)}h in its place"


def of_workload(
    cloud: str,
    workload: Training | Inference,
    path: Path,
    rungs: tuple[Rung, ...],
    machine: Machine | None,
    network: NetworkSpec | None,
) -> Iterator[Problem]:
    """Yield problems of a workload's values that the cloud refuses on its rungs or its disk."""
    accepted, disk = provider_of(cloud).accepts, workload.disk
    disks = accepted.disk_faults(disk.size, disk.iops, disk.throughput, machine)
    yield from _problems_of(disks, workload, path)
    yield from _problems_of(
        accepted.workload_faults(str(path[1]), workload, rungs, network), workload, path
    )


def check_bucket_values(cloud: str, bucket: Bucket, path: Path, region: str) -> Iterator[Problem]:
    """Yield problems of a bucket's values that the cloud refuses."""
    faults = provider_of(cloud).accepts.bucket_faults(str(path[1]), bucket, region)
    yield from _problems_of(faults, bucket, path)


def of_locked(stack: Stack) -> Iterator[Problem]:
    """Yield problems of checkpoints in a bucket with an object lock, which keeps every version."""
    for name, work in stack.training.items():
        checkpoints = work.checkpoints
        bucket = None if checkpoints is None else stack.buckets.get(checkpoints.bucket)
        if checkpoints is not None and bucket is not None and bucket.object_lock is not None:
            yield Problem(
                message=f"the checkpoints of {name} are in {checkpoints.bucket!r}, whose "
                "object_lock keeps every version of them; all are billed",
                path=("training", name, "checkpoints", "bucket"),
                value=checkpoints.bucket,
                allowed="a bucket without object_lock",
                fix="keep checkpoints in another bucket, and copy finished weights into this one",
            )


def of_linked(
    stack: Stack, groups: Iterable[Group], buckets: Iterable[PlannedBucket]
) -> Iterator[Problem]:
    """Yield problems of file systems on a rung outside the region of their linked bucket."""
    bucket_regions = {bucket.name: bucket.region for bucket in buckets}
    for group in groups:
        work = stack.training.get(group.name)
        spec = None if work is None else work.shared_storage
        if spec is None or spec.bucket is None:
            continue
        bucket_region = bucket_regions.get(spec.bucket)
        other_regions = dict.fromkeys(
            rung.region for rung in group.rungs if rung.region != bucket_region
        )
        if bucket_region is not None and other_regions:
            yield Problem(
                message=f"the bucket {spec.bucket!r} is in {bucket_region}, and the file system "
                f"that exports it would be in {', '.join(other_regions)}",
                path=("training", group.name, "shared_storage", "bucket"),
                value=spec.bucket,
                allowed="a bucket in the region of the machines",
                fix=f"keep the workload in {bucket_region}, or mount the bucket under data",
            )


def of_start(cloud: str, workload: Training | Inference, path: Path) -> Iterator[Problem]:
    """Yield problems of start-up and scaling settings that the cloud refuses."""
    accepted, name = provider_of(cloud).accepts, str(path[1])
    faults = (
        accepted.training_start_faults(name, workload)
        if isinstance(workload, Training)
        else accepted.pool_start_faults(name, workload)
    )
    yield from _problems_of(faults, workload, path)


def _problems_of(
    faults: Iterable[KeyFault], form: Training | Inference | Bucket, path: Path
) -> Iterator[Problem]:
    """Yield faults as problems of a form; some keys may be the stack's own, not the form's."""
    for fault in faults:
        is_stack_key = fault.key[0] in {"monitoring", "network"}
        is_own_key = not is_stack_key or getattr(form, str(fault.key[0]), None) is not None
        yield Problem(
            message=fault.message,
            path=(*path, *fault.key) if is_own_key else fault.key,
            value=str(reduce(getattr, map(str, fault.key), form))
            if fault.value is None
            else fault.value,
            allowed=fault.allowed,
            fix=fault.fix,
        )


def of_spot_price(workload: Training | Inference, path: Path) -> Iterator[Problem]:
    """Yield problems of maximum prices that are zero."""
    if isinstance(workload, Training):
        for index, step in enumerate(workload.capacity):
            if step.max_price == 0:
                yield _zero_price_problem((*path, "capacity", index, "max_price"))
    if workload.max_price == 0:
        yield _zero_price_problem((*path, "max_price"))


def of_spot_maximum(cloud: str, workload: Training | Inference, path: Path) -> Iterator[Problem]:
    """Yield problems of maximum prices on a cloud that accepts none."""
    if provider_of(cloud).takes_spot_maximum:
        return
    steps = workload.capacity if isinstance(workload, Training) else ()
    maxima = [((*path, "capacity", index), step.max_price) for index, step in enumerate(steps)]
    for price_path, price in (*maxima, (path, workload.max_price)):
        if price:
            yield Problem(
                message=f"a spot request on {cloud} can't set a maximum price",
                path=(*price_path, "max_price"),
                value=f"{price:f}",
                fix="remove it: spot counts at the on-demand price there",
            )


def _zero_price_problem(path: Path) -> Problem:
    return Problem(
        message="a maximum spot price of 0 never gets a machine",
        path=path,
        value="0",
        allowed="US dollars per node-hour, above 0",
        fix="remove it to pay at most the on-demand price",
    )
