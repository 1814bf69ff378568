"""What a `prices.yaml` says that can't be: unknown names, contradictions, doubles."""

from collections.abc import Hashable, Iterable, Iterator
from decimal import Decimal
from typing import Any

from gpuinfra.catalog.gpus import gpu as gpu_of
from gpuinfra.catalog.gpus import matching, words
from gpuinfra.catalog.known import unknown_region, unknown_type
from gpuinfra.clouds import PRICED, priced_room
from gpuinfra.errors import PathPart, Problem, nearest
from gpuinfra.own.rows import unit_of
from gpuinfra.own.schema import (
    ON_DEMAND,
    SERVICES,
    Discount,
    Hardware,
    MachinePrice,
    ServicePrice,
)
from gpuinfra.stackfile.files import sound

Path = tuple[PathPart, ...]

BOUGHT: tuple[str, ...] = (ON_DEMAND, "spot", "reserved-1y", "reserved-3y", "capacity-block")
"""Ways to buy that a price of the user's may have on every cloud, listed there or not."""


def problems_in(value: Any) -> Iterator[Problem]:
    """Every problem that the grammar can't see, by path; of what it refuses, nothing is told."""
    prices = tuple(sound(value, "prices", MachinePrice))
    for at, price in prices:
        yield from _machine_price(price, ("prices", at))
    services = tuple(sound(value, "services", ServicePrice))
    for at, service in services:
        yield from _service_price(service, ("services", at))
    for at, discount in sound(value, "discounts", Discount):
        yield from _discount(discount, ("discounts", at))
    for at, one in sound(value, "hardware", Hardware):
        yield from _gpu(one.gpu, ("hardware", at, "gpu"))
    yield from _doubles(
        ((at, (one.cloud, one.machine, one.region, one.mode)) for at, one in prices), "prices"
    )
    yield from _doubles(
        ((at, (one.cloud, one.item, one.region)) for at, one in services), "services"
    )


def _machine_price(one: MachinePrice, path: Path) -> Iterator[Problem]:
    if (one.paid is None) != (one.term is None):
        has, lacks = ("paid", "term") if one.term is None else ("term", "paid")
        yield Problem(
            message=f"what has {has} needs {lacks}",
            path=(*path, has),
            fix="write both, such as paid: 12088.80 and term: 365d",
        )
    if one.basis is not None and one.mode != ON_DEMAND:
        yield Problem(
            message="a basis stands behind an on-demand price only",
            path=(*path, "basis"),
            fix=f"remove it, or mode: {one.mode}",
        )
    yield from _tiers(one, path)
    unknown = _cloud(one.cloud, path)
    if unknown is not None:
        yield unknown
        return
    modes = tuple(dict.fromkeys((*BOUGHT, *priced_room(one.cloud).modes())))
    yield from _word(one.mode, modes, "unknown way to buy", (*path, "mode"))
    if one.basis is not None:
        yield from _word(one.basis, modes, "unknown way to buy", (*path, "basis"))
    wrong = unknown_type(one.cloud, one.machine, (*path, "machine"))
    yield from () if wrong is None else (wrong,)
    yield from _region(one.cloud, one.region, (*path, "region"))


def _tiers(one: MachinePrice, path: Path) -> Iterator[Problem]:
    if one.tiers and one.paid is not None:
        yield Problem(
            message="what was paid beforehand has no tiers",
            path=(*path, "tiers"),
            fix="write per_hour and tiers, or paid and term",
        )
        return
    after, price = None, one.per_hour or Decimal(0)
    for index, tier in enumerate(one.tiers):
        if after is not None and tier.after <= after:
            yield Problem(
                message="a tier begins before the one above it, or with it",
                path=(*path, "tiers", index, "after"),
                fix="write the tiers in the order of time",
            )
        if tier.per_hour > price:
            yield Problem(
                message="a later tier costs more than the one before it",
                path=(*path, "tiers", index, "per_hour"),
                allowed=f"at most {price.normalize():f}",
                fix="a tier is a lower price after continuous use; write the dearest as per_hour",
            )
        after, price = tier.after, tier.per_hour


def _service_price(one: ServicePrice, path: Path) -> Iterator[Problem]:
    unknown = _cloud(one.cloud, path)
    if unknown is not None:
        yield unknown
        return
    items = priced_room(one.cloud).service_items()
    yield from _word(one.item, items, f"unknown service of {one.cloud}", (*path, "item"))
    if one.item in items and not unit_of(one.cloud, one.item):
        yield Problem(
            message=f"nobody knows the unit of {one.item}",
            path=(*path, "item"),
            fix="leave it out; it can't be priced",
        )
    yield from _region(one.cloud, one.region, (*path, "region"))


def _discount(one: Discount, path: Path) -> Iterator[Problem]:
    unknown = _cloud(one.cloud, path)
    if unknown is not None:
        yield unknown
        return
    modes = (*dict.fromkeys((*BOUGHT, *priced_room(one.cloud).modes())), SERVICES)
    for index, mode in enumerate(one.modes):
        yield from _word(mode, modes, "unknown way to buy", (*path, "modes", index))
    for index, machine in enumerate(one.machines or ()):
        wrong = unknown_type(one.cloud, machine, (*path, "machines", index))
        yield from () if wrong is None else (wrong,)
    for index, region in enumerate(one.regions or ()):
        yield from _region(one.cloud, region, (*path, "regions", index))


def _gpu(given: str, path: Path) -> Iterator[Problem]:
    word, _, count = given.partition(":")
    if gpu_of(word) is not None:
        return
    meant = matching(word)
    near = meant[0] if len(meant) == 1 else nearest(word, () if meant else words())
    yield Problem(
        message=f"{word} stands for several GPUs" if len(meant) > 1 else "unknown GPU",
        path=path,
        value=given,
        allowed=", ".join(meant),
        suggestion=f"{near}:{count}" if near else "",
        fix="name the very model, as the catalog does",
    )


def _cloud(given: str, path: Path) -> Problem | None:
    return next(_word(given, PRICED, "unknown cloud", (*path, "cloud")), None)


def _region(cloud: str, region: str, path: Path) -> Iterator[Problem]:
    wrong = unknown_region(cloud, region, path)
    yield from () if wrong is None else (wrong,)


def _word(given: str, accepted: Iterable[str], message: str, path: Path) -> Iterator[Problem]:
    known = tuple(accepted)
    if given not in known:
        yield Problem(
            message=message,
            path=path,
            value=given,
            allowed=", ".join(known),
            suggestion=nearest(given, known),
        )


def _doubles(keys: Iterable[tuple[PathPart, Hashable]], list_: str) -> Iterator[Problem]:
    met: dict[Hashable, PathPart] = {}
    for at, key in keys:
        if key in met:
            yield Problem(
                message=f"a second price for the same as in {list_}[{met[key]}]",
                path=(list_, at),
                allowed="one price for an item, a region and a way to buy",
                fix="keep one of them",
            )
        met.setdefault(key, at)
