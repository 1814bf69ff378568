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
AT_LIST_PRICE: Final = "none: spot counts at the on-demand price"
UNENCRYPTED: Final = "none: plain HTTP, inside the network alone"


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
    yield from _absent(run, path, nodes=run.nodes)
    if run.nodes > 1:
        yield from _absent(run, path, origin="several nodes", fabric=run.fabric)
    yield from _absent(run, path, capacity="on-demand")
    if any(step.kind == "spot" and step.max_price is None for step in run.capacity):
        yield from _absent(run, path, max_price=AT_LIST_PRICE)
    if run.duration is not None:
        yield from _absent(run, path, runs=run.runs)
    yield from _workload(run, path, stack)
    files = run.shared_storage
    if files is not None:
        inner = (*path, "shared_storage")
        yield from _absent(files, inner, deployment=files.deployment, storage=files.storage)


def _inference(pool: Inference, path: tuple[str, ...], stack: Stack) -> Iterator[Default]:
    yield from _absent(pool, path, capacity="on-demand")
    if pool.capacity.above == "spot":
        yield from _absent(pool, path, max_price=AT_LIST_PRICE)
    use = pool.scale_on.gpu_utilization
    if use is not None:
        yield from _absent(pool, path, scale_on=f"{{gpu_utilization: {use:.0%}}}")
    yield from _absent(pool, path, certificate=UNENCRYPTED)
    yield from _workload(pool, path, stack)


def _workload(
    workload: Training | Inference, path: tuple[str, ...], stack: Stack
) -> Iterator[Default]:
    """Yield the defaults that training and inference share: the disk and the network."""
    yield from _absent(workload.disk, (*path, "disk"), size=format_size(workload.disk.size))
    if workload.network is not None:
        yield from _network(workload.network, (*path, "network"))
    elif stack.network is None:
        yield from _absent(workload, path, network=OWN_NETWORK)


def _network(network: NetworkSpec, path: tuple[str, ...]) -> Iterator[Default]:
    if network.vpc is None:
        yield from _absent(network, path, nat=network.nat)


def _bucket(bucket: Bucket, path: tuple[str, ...]) -> Iterator[Default]:
    yield from _absent(bucket, path, versioned=bucket.versioned)
    if bucket.versioned:
        kept = format_duration(bucket.keep_noncurrent)
        yield from _absent(bucket, path, keep_noncurrent=kept)


def _absent(
    form: Form, path: tuple[str, ...], *, origin: str = BUILT_IN, **values: Any
) -> Iterator[Default]:
    """Yield a default for each of these keys that the file does not set there."""
    for key, value in values.items():
        if key not in form.model_fields_set:
            yield Default(path=(*path, key), value=value, origin=origin)
