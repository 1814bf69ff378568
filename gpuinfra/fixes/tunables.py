"""Properties that affect a price or a machine's capability, and their possible values."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import cloud_of, provider_of
from gpuinfra.fixes.fix import Edit, Path
from gpuinfra.fixes.machine_edits import OTHER_MACHINE_UPHEAVAL, kinds, sufficient_first
from gpuinfra.fixes.options import Dimension, EditOption
from gpuinfra.fixes.property_paths import is_inside, matching_paths, parse_path, value_at
from gpuinfra.fixes.remedies import steps, tunables
from gpuinfra.model import Resource

STEPPED_PROPERTIES: Final = frozenset({"throughput", "iops", "storage"})
LARGEST: Final = 200
COUNT_RANGE: Final = 9
_ATTACHED: Final = "+"
"""In a type of the tables, what GPUs are attached: a property of its own of the resource."""

SHARES: Final = (0, 25, 50, 75, 100)


def tunable_dimensions(
    resource: Resource,
    kind: str,
    prices: PriceBook,
    bid_floor: Callable[[Resource], Decimal | None],
) -> Iterator[Dimension]:
    """Yield the tunable properties of a resource, from the table of its cloud.

    `bid_floor` gives the lowest maximum price of spot machines; without one none is proposed.
    """
    cloud = cloud_of(kind)
    for tunable in tunables(cloud) if cloud is not None else ():
        if kind not in tunable.types:
            continue
        for path in matching_paths(resource.inputs, parse_path(tunable.path)):
            if path[1:] and value_at(resource.inputs, path[:-1]) is None:
                continue
            current_value = value_at(resource.inputs, path)
            values = tuple(
                _lower_maximum_prices(current_value, bid_floor(resource))
                if tunable.kind == "max_price"
                else _values(resource, tunable.kind, current_value, prices)
            )
            if values:
                yield Dimension(
                    name=tunable.kind,
                    subject=resource.urn,
                    options=tuple(
                        _option(resource, path, value, tunable.lowered_together)
                        for value in values
                    ),
                    is_ordered=tunable.kind in {"count", "max_price", "base"},
                )


def _option(resource: Resource, path: Path, value: Any, along: Sequence[str] = ()) -> EditOption:
    """Return an option that sets a property, and lowers those that may not be larger."""
    most = _number(value)
    lowered = (
        other
        for text in along
        for other in matching_paths(resource.inputs, parse_path(text))
        if (count := _number(value_at(resource.inputs, other))) is not None
        and most is not None
        and count > most
    )
    edits = tuple(_edit(resource, property_path, value) for property_path in (path, *lowered))
    return EditOption(edits=edits, disruption=OTHER_MACHINE_UPHEAVAL)


def _edit(resource: Resource, path: Path, value: Any) -> Edit:
    current_value = value_at(resource.inputs, path)
    return Edit(
        path=path,
        before=current_value,
        after=str(value) if isinstance(current_value, str) else value,
        resource=resource.urn,
        type=resource.type,
        is_inside=is_inside(resource.inputs, path),
    )


def _values(
    resource: Resource, setting: str, current_value: Any, prices: PriceBook
) -> Iterator[Any]:
    if setting == "machine":
        yield from _machines(resource, current_value, prices)
    elif setting in STEPPED_PROPERTIES:
        all_steps = steps(cloud_of(resource.type), setting)
        yield from (
            step for step in all_steps if _number(current_value) not in {None, Decimal(step)}
        )
    elif setting == "count":
        count = _number(current_value)
        if count is not None and 1 < count <= LARGEST:
            yield from range(int(count) - 1, 0, -1)
    elif setting == "base":
        count = _number(current_value)
        yield from range(int(count or 0) + 1, int(count or 0) + COUNT_RANGE)
    elif setting == "share":
        yield from (
            share for share in SHARES if _number(current_value) not in {None, Decimal(share)}
        )


def _lower_maximum_prices(current_price: Any, floor: Decimal | None) -> Iterator[Decimal]:
    """Yield lower maximum prices, down to the floor."""
    price = _number(current_price)
    if price is None or floor is None or price <= floor:
        return
    lower = (round(price * (100 - percent) / 100, 2) for percent in range(5, 75, 5))
    yield from (bid for bid in lower if bid > floor)
    yield floor


def _machines(resource: Resource, current_type: Any, prices: PriceBook) -> Iterator[str]:
    """Yield other machine types of the cloud, first those that match or exceed the current one."""
    cloud = cloud_of(resource.type)
    if cloud is None or not isinstance(current_type, str):
        return
    machine = provider_of(cloud).machines.get(current_type)
    if machine is None:
        return  # what another one would have to provide is not known
    region = resource.region or provider_of(cloud).regions.default
    offered = kinds(cloud, (region,), prices)
    other_types = [
        kind for kind in offered if kind.type != current_type and _ATTACHED not in kind.type
    ]
    yield from (other.type for other in sufficient_first(machine, other_types))


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return Decimal(str(value))
    except ArithmeticError:
        return None
