"""Edits to the machine of a workload: type, GPU, GPU count, and NVLink."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

from gpuinfra.catalog import PriceBook, matching
from gpuinfra.clouds import provider_of
from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.model import Machine
from gpuinfra.rules.rule import Family

FAMILIES: Final[frozenset[Family]] = frozenset({"budget", "fabric", "spot"})
OTHER_MACHINE_UPHEAVAL: Final = 1
MAX_TRIED_MACHINES: Final = 24
"""The maximum number of other machine types tried, cheapest of each kind first."""


def dimensions(
    context: OptionContext, path: Path, name: str, workload: Work
) -> Iterator[Dimension]:
    """Yield the possible edits to the machine that a workload requests."""
    cloud = context.cloud(name, workload)
    if cloud is None:
        return
    subject = ".".join(map(str, path))
    by_what: list[tuple[str, list[EditOption]]] = []
    if workload.instance is not None:
        by_what.append(("instance", list(_types(context, cloud, path, workload))))
    if workload.gpu is not None and workload.gpu.model is not None:
        by_what.append(("gpu", list(_gpus(context, cloud, path, workload))))
    if workload.gpu is not None:
        by_what.append(("nvlink", list(_nvlink(context, path, workload))))
    for title, options in by_what:
        if options:
            yield Dimension(name=title, subject=subject, options=tuple(options), families=FAMILIES)


def kinds(
    cloud: str, regions: Iterable[str], prices: PriceBook, purpose: Any = None
) -> tuple[Machine, ...]:
    """Return the cheapest current machine of each GPU, count and fabric, by price, then by name.

    Args:
        cloud: whose machines.
        regions: where one of them has to have a price.
        prices: the book.
        purpose: what the machine needs a public image for; None where it needs none.
    """
    listed = tuple(regions)
    cheapest: dict[tuple[Any, ...], tuple[Decimal, str, Machine]] = {}
    for machine in provider_of(cloud).machines.all_machines():
        if machine.status != "current":
            continue
        if purpose is not None and not provider_of(cloud).images.has_image(machine, purpose):
            continue
        price = _price(machine, listed, prices)
        if price is None:
            continue
        kind = (machine.gpu, machine.gpu_count, bool(machine.fabric_interfaces))
        offer = (price, machine.type, machine)
        cheapest[kind] = min(cheapest.get(kind, offer), offer)
    return tuple(machine for _, _, machine in sorted(cheapest.values()))


def _price(machine: Machine, regions: Iterable[str], prices: PriceBook) -> Decimal | None:
    rows = (prices.on_demand(machine.cloud, machine.type, region) for region in regions)
    return min((row.per_unit for row in rows if row is not None), default=None)


def _types(context: OptionContext, cloud: str, path: Path, workload: Work) -> Iterator[EditOption]:
    purpose = str(path[0]) if workload.machine_image is None else None
    known_types = kinds(cloud, context.regions(workload), context.prices, purpose)
    other_types = [kind for kind in known_types if kind.type != workload.instance]
    for machine in sufficient_first(
        provider_of(cloud).machines.get(workload.instance or ""), other_types
    ):
        yield context.option((*path, "instance"), machine.type, disruption=OTHER_MACHINE_UPHEAVAL)


def sufficient_first(machine: Machine | None, other_machines: list[Machine]) -> list[Machine]:
    """Return the machines that match or exceed one first, then the others; each by price."""
    if machine is None:
        return other_machines[:MAX_TRIED_MACHINES]
    full = [other for other in other_machines if _is_at_least(other, machine)]
    return [*full, *(other for other in other_machines if other not in full)][:MAX_TRIED_MACHINES]


def _is_at_least(other: Machine, machine: Machine) -> bool:
    memory, least = other.gpu_memory_nominal_gb, machine.gpu_memory_nominal_gb
    is_enough = memory is not None and least is not None and memory >= least
    return other.gpu_count >= machine.gpu_count and is_enough


def _gpus(context: OptionContext, cloud: str, path: Path, workload: Work) -> Iterator[EditOption]:
    """Yield options for other GPUs with the same count, and for other counts of the same GPU."""
    request = workload.gpu
    if request is None or request.model is None:
        return
    matching_gpus = set(matching(request.model))
    seen_counts: set[tuple[str, Decimal]] = set()
    purpose = str(path[0]) if workload.machine_image is None else None
    for machine in kinds(cloud, context.regions(workload), context.prices, purpose):
        is_same_gpu = machine.gpu in matching_gpus
        count = machine.gpu_count
        if count != count.to_integral_value() or (machine.gpu, count) in seen_counts:
            continue
        seen_counts.add((machine.gpu, count))
        if is_same_gpu and request.count is not None and count != request.count:
            yield _option(context, path, request.model, int(count))
        elif not is_same_gpu and (request.count is None or count == request.count):
            yield _option(context, path, machine.gpu, request.count)


def _option(context: OptionContext, path: Path, model: str, count: int | None) -> EditOption:
    """Return the option for a GPU, in the form that the file uses."""
    gpu_value = value_at(context.value, (*path, "gpu"))
    if not isinstance(gpu_value, str):
        key, value = ("model", model) if gpu_value.get("model") != model else ("count", count)
        return context.option((*path, "gpu", key), value, disruption=OTHER_MACHINE_UPHEAVAL)
    return context.option(
        (*path, "gpu"),
        model if count is None else f"{model}:{count}",
        disruption=OTHER_MACHINE_UPHEAVAL,
    )


def _nvlink(context: OptionContext, path: Path, workload: Work) -> Iterator[EditOption]:
    """Yield the option that inverts the request for NVLink."""
    request = workload.gpu
    if request is None:
        return
    nvlink = request.nvlink is not True
    gpu_value = value_at(context.value, (*path, "gpu"))
    if not isinstance(gpu_value, str):
        yield context.option((*path, "gpu", "nvlink"), nvlink)
    elif nvlink:
        count = {} if request.count is None else {"count": request.count}
        yield context.option((*path, "gpu"), {"model": request.model, **count, "nvlink": True})
