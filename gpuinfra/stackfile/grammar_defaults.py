"""The grammar's own defaults that affect the cost of a stack, or its access."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.specs.forms import Form
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Inference, Stack, Training
from gpuinfra.specs.storage import Bucket
from gpuinfra.stackfile.defaults import BUILT_IN, Default
from gpuinfra.units import format_duration, format_size

OWN_NETWORK: Final = "its own, private, with a NAT gateway"
SPOT_PRICE_DEFAULT: Final = "none: spot counts at the on-demand price"
ENCRYPTION_DEFAULT: Final = "none: plain HTTP, only inside the network"


def built_in(stack: Stack) -> Iterator[Default]:
    """Yield the defaults that the grammar sets, workload by workload, then by bucket."""
    if stack.network is not None:
        yield from _network(stack.network, ("network",))
    for name, run in stack.training.items():
        yield from _training(run, ("training", name), stack)
    for name, pool in stack.inference.items():
        yield from _inference(pool, ("inference", name), stack)
    for name, bucket in stack.buckets.items():
        yield from _bucket(bucket, ("buckets", name))


def _training(run: Training, path: tuple[str, ...], stack: Stack) -> Iterator[Default]:
    yield from _missing_key_defaults(run, path, nodes=run.nodes)
    if run.nodes > 1:
        yield from _missing_key_defaults(run, path, origin="several nodes", fabric=run.fabric)
    yield from _missing_key_defaults(run, path, capacity="on-demand")
    if any(
        step.kind == "spot" and step.max_price is None for step in run.capacity
    ) and not _limits_price(run):
        yield from _missing_key_defaults(run, path, max_price=SPOT_PRICE_DEFAULT)
    if run.duration is not None:
        yield from _missing_key_defaults(run, path, runs=run.runs)
    yield from _workload(run, path, stack)
    files = run.shared_storage
    if files is not None:
        inner_path = (*path, "shared_storage")
        yield from _missing_key_defaults(
            files, inner_path, deployment=files.deployment, storage=files.storage
        )


def _inference(pool: Inference, path: tuple[str, ...], stack: Stack) -> Iterator[Default]:
    yield from _missing_key_defaults(pool, path, capacity="on-demand")
    if pool.capacity.above == "spot" and not _limits_price(pool):
        yield from _missing_key_defaults(pool, path, max_price=SPOT_PRICE_DEFAULT)
    use = pool.scale_on.gpu_utilization
    if use is not None:
        yield from _missing_key_defaults(pool, path, scale_on=f"{{gpu_utilization: {use:.0%}}}")
    yield from _missing_key_defaults(pool, path, certificate=ENCRYPTION_DEFAULT)
    yield from _workload(pool, path, stack)


def _workload(
    workload: Training | Inference, path: tuple[str, ...], stack: Stack
) -> Iterator[Default]:
    """Yield the defaults that training and inference share: the disk and the network."""
    yield from _missing_key_defaults(
        workload.disk, (*path, "disk"), size=format_size(workload.disk.size)
    )
    if workload.network is not None:
        yield from _network(workload.network, (*path, "network"))
    elif stack.network is None:
        yield from _missing_key_defaults(workload, path, network=OWN_NETWORK)


def _limits_price(workload: Training | Inference) -> bool:
    """Return whether `max_per_hour` bounds the price of a workload's machines, spot included."""
    return workload.gpu is not None and workload.gpu.max_per_hour is not None


def _network(network: NetworkSpec, path: tuple[str, ...]) -> Iterator[Default]:
    if network.vpc is None:
        yield from _missing_key_defaults(network, path, nat=network.nat)


def _bucket(bucket: Bucket, path: tuple[str, ...]) -> Iterator[Default]:
    yield from _missing_key_defaults(bucket, path, versioned=bucket.versioned)
    if bucket.versioned:
        duration = format_duration(bucket.keep_noncurrent)
        yield from _missing_key_defaults(bucket, path, keep_noncurrent=duration)


def _missing_key_defaults(
    form: Form, path: tuple[str, ...], *, origin: str = BUILT_IN, **values: Any
) -> Iterator[Default]:
    """Yield a default for each of these keys that the file does not set there."""
    for key, value in values.items():
        if key not in form.model_fields_set:
            yield Default(path=(*path, key), value=value, origin=origin)
