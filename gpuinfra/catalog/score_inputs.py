"""What the provider score is computed from: the catalog's rows, and what no source tells."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.book import CATALOG, CURRENCY, Book
from gpuinfra.catalog.gpus import gpu, matching
from gpuinfra.catalog.listing import cheapest
from gpuinfra.catalog.score import Input, Reading, best
from gpuinfra.clouds import priced_room
from gpuinfra.model import Machine, Price

UNSOURCED: Final = (
    ("network", "latency between machines", "µs", "no measurement that was read"),
    ("support", "promised availability", "%", "no service agreement that was read"),
    ("support", "time to a response", "h", "no support plan that was read"),
    ("ecosystem", "containers and storage", "", "nobody measures it"),
)
"""What the guides weigh and no table has: criterion, name, unit, why it is unknown."""

COMMITTED: Final = ("reserved-3y", "reserved-1y", "subscription-1mo")
"""Modes with a commitment, the longest first: the cheapest of them counts."""

NODE: Final = 16
"""The most GPUs that count as a machine; more are a rack that is rented whole."""

Measure = Callable[[Machine], tuple[Decimal | None, str, str]]
"""A figure of a machine, with its source and date."""


def inputs(clouds: Sequence[str], model: str, prices: Book = CATALOG) -> tuple[Input, ...]:
    """Everything that counts, sourced or marked unknown.

    Args:
        clouds: the providers.
        model: the GPU that prices are compared for, such as A100.
        prices: where prices come from.
    """
    keys = matching(model)
    return (
        _measured(clouds, "performance", "dense BF16 of the best machine", "TFLOPS", _compute),
        _measured(clouds, "performance", "memory bandwidth of the best machine", "GB/s", _memory),
        _priced(clouds, f"{model}, on demand", keys, ("on-demand",), prices),
        _priced(clouds, f"{model}, committed", keys, COMMITTED, prices),
        _measured(clouds, "network", "fabric of the best machine", "Gbps", _fabric),
        *(
            Input(
                criterion=criterion,
                name=name,
                unit=unit,
                better="more",
                readings=dict.fromkeys(clouds, Reading(value=None, source="", as_of="", note=why)),
                full=None,
            )
            for criterion, name, unit, why in UNSOURCED
        ),
    )


def _measured(
    clouds: Sequence[str], criterion: str, name: str, unit: str, measure: Measure
) -> Input:
    readings = {cloud: _most(cloud, measure) for cloud in clouds}
    return Input(
        criterion=criterion,
        name=name,
        unit=unit,
        better="more",
        readings=readings,
        full=best(readings.values(), "more"),
    )


def _most(cloud: str, measure: Measure) -> Reading:
    """The most that a machine of a cloud has.

    Unknown where it is known of none, and where those it is known of have none at all while it
    isn't known of others.
    """
    found = [
        (*measure(machine), machine.type)
        for machine in priced_room(cloud).machines()
        if machine.status == "current" and machine.gpu_count <= NODE
    ]
    known = [
        (value, type_, source, day) for value, source, day, type_ in found if value is not None
    ]
    value, type_, source, as_of = max(known, default=(Decimal(0), "", "", ""))
    if not value and len(known) < len(found):
        return Reading(value=None, source="", as_of="", note="not known of its machines")
    return Reading(value=value, source=source, as_of=as_of, note=type_ if value else "none has it")


def _compute(machine: Machine) -> tuple[Decimal | None, str, str]:
    model = gpu(machine.gpu)
    if model is None or model.bf16_tflops is None:
        return None, "", ""
    return machine.gpu_count * model.bf16_tflops, model.source, model.as_of


def _memory(machine: Machine) -> tuple[Decimal | None, str, str]:
    model = gpu(machine.gpu)
    if model is None or model.bandwidth_gbs is None:
        return None, "", ""
    return machine.gpu_count * model.bandwidth_gbs, model.source, model.as_of


def _fabric(machine: Machine) -> tuple[Decimal | None, str, str]:
    rate = Decimal(0) if machine.fabric_interfaces == 0 else machine.fabric_gbps
    return rate, machine.source, machine.as_of


def _priced(
    clouds: Sequence[str], name: str, keys: Iterable[str], modes: Sequence[str], prices: Book
) -> Input:
    wanted = frozenset(keys)
    readings = {cloud: _least(cloud, wanted, modes, prices) for cloud in clouds}
    return Input(
        criterion="cost",
        name=name,
        unit="$/GPU-h",
        better="less",
        readings=readings,
        full=best(readings.values(), "less"),
    )


def _least(cloud: str, keys: frozenset[str], modes: Sequence[str], prices: Book) -> Reading:
    """The least that a GPU costs in dollars; unknown where no such price is known."""
    rows = list(_rates(cloud, keys, modes, prices))
    dollars = [one for one in rows if one[2].currency == CURRENCY]
    if not dollars:
        why = f"known in {rows[0][2].currency} alone" if rows else "no such price is known"
        return Reading(value=None, source="", as_of="", note=why)
    per_gpu, type_, row = min(dollars, key=lambda one: one[:2])
    return Reading(
        value=per_gpu, source=row.source, as_of=row.as_of, note=f"{type_} in {row.region}"
    )


def _rates(
    cloud: str, keys: frozenset[str], modes: Sequence[str], prices: Book
) -> Iterator[tuple[Decimal, str, Price]]:
    room = priced_room(cloud)
    for machine in room.machines():
        if machine.gpu not in keys or machine.status != "current":
            continue
        for mode in modes:
            row = cheapest(machine, mode, prices) if mode in room.modes() else None
            if row is not None:
                yield row.per_unit / machine.gpu_count, machine.type, row
