"""The checks of a `prices.yaml` for unknown names, contradictions and duplicates."""

from collections.abc import Generator, Hashable, Iterable, Iterator
from typing import Any, Final

from gpuinfra.catalog.choosing.known_names import is_of_known_family, unknown_region, unknown_type
from gpuinfra.catalog.commitment_terms import COMMITMENTS
from gpuinfra.catalog.gpus import gpu as gpu_of
from gpuinfra.catalog.gpus import gpu_names, matching
from gpuinfra.catalog.price_book import COUNTS_AS
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.errors import PathPart, Problem, unknown_word
from gpuinfra.price_overrides.accepted_keys import KeyPath, entries
from gpuinfra.price_overrides.override_rows import unit_of
from gpuinfra.price_overrides.schema import (
    ON_DEMAND,
    SERVICES,
    Discount,
    Hardware,
    MachinePrice,
    ServicePrice,
)
from gpuinfra.similar_words import nearest

Path = tuple[PathPart, ...]

PURCHASE_MODES: Final = (ON_DEMAND, "spot", "capacity-block", *COUNTS_AS, *COMMITMENTS)
"""Ways to buy that a price of the user's may have on every cloud, listed there or not."""


def problems_in(value: Any) -> Iterator[Problem]:
    """Yield problems that the grammar can't detect, by path, except of keys that it refuses."""
    prices = tuple(entries(value, "prices", MachinePrice))
    for price in prices:
        yield from _machine_price(price, ("prices", price.part))
    services = tuple(entries(value, "services", ServicePrice))
    for service in services:
        yield from _service_price(service, ("services", service.part))
    for discount in entries(value, "discounts", Discount):
        yield from _discount(discount, ("discounts", discount.part))
    for hardware in entries(value, "hardware", Hardware):
        if hardware.accepts_keys("gpu"):
            yield from _gpu(hardware.valid_values["gpu"], ("hardware", hardware.part, "gpu"))
    yield from _duplicate_price_problems(prices, "prices", ("cloud", "machine", "region", "mode"))
    yield from _duplicate_price_problems(services, "services", ("cloud", "item", "region"))


def _machine_price(key_path: KeyPath, path: Path) -> Iterator[Problem]:
    """Yield the problems of a machine price; a machine without GPUs may have one, too."""
    if len(prepaid := {"paid", "term"} & key_path.written_keys) == 1:
        has, lacks = ("paid", "term") if "paid" in prepaid else ("term", "paid")
        yield Problem(
            message=f"`{has}` requires `{lacks}`",
            path=(*path, has),
            fix="set both, for example paid: 12088.80 and term: 365d",
        )
    mode = key_path.valid_values.get("mode", ON_DEMAND)
    if "basis" in key_path.written_keys and mode != ON_DEMAND:
        yield Problem(
            message="basis applies only to an on-demand price",
            path=(*path, "basis"),
            fix=f"remove it, or mode: {mode}",
        )
    yield from _tiers(key_path, path)
    cloud = yield from _cloud(key_path, path)
    if cloud is None:
        return
    modes = tuple(dict.fromkeys((*PURCHASE_MODES, *priced_cloud_of(cloud).prices.modes())))
    for key in ("mode", "basis"):
        if key_path.valid_values.get(key) is not None:
            yield from _unknown_word_problem(
                key_path.valid_values[key], modes, "unknown purchase option", (*path, key)
            )
    if key_path.accepts_keys("machine") and is_of_known_family(key_path.valid_values["machine"]):
        yield from _machine(cloud, key_path.valid_values["machine"], (*path, "machine"))
    if key_path.accepts_keys("region"):
        yield from _region(cloud, key_path.valid_values["region"], (*path, "region"))


def _tiers(key_path: KeyPath, path: Path) -> Iterator[Problem]:
    if {"tiers", "paid"} <= key_path.written_keys:
        yield Problem(
            message="an upfront price can't have tiers",
            path=(*path, "tiers"),
            fix="set per_hour and tiers, or paid and term",
        )
        return
    from_amount, price = None, key_path.valid_values.get("per_hour")
    for index, tier in enumerate(key_path.valid_values.get("tiers", ())):
        if from_amount is not None and tier.after <= from_amount:
            yield Problem(
                message="each tier must start later than the one above it",
                path=(*path, "tiers", index, "after"),
                fix="order the tiers by time",
            )
        if price is not None and tier.per_hour > price:
            yield Problem(
                message="a tier costs more than the one before it",
                path=(*path, "tiers", index, "per_hour"),
                allowed=f"at most {price.normalize():f}",
                fix="a tier is a lower price after continuous use; set the highest as per_hour",
            )
        from_amount, price = tier.after, tier.per_hour


def _service_price(key_path: KeyPath, path: Path) -> Iterator[Problem]:
    cloud = yield from _cloud(key_path, path)
    if cloud is None:
        return
    if key_path.accepts_keys("item"):
        yield from _service(cloud, key_path.valid_values["item"], (*path, "item"))
    if key_path.accepts_keys("region"):
        yield from _region(cloud, key_path.valid_values["region"], (*path, "region"))


def _service(cloud: str, item: str, path: Path) -> Iterator[Problem]:
    items = priced_cloud_of(cloud).prices.service_items()
    yield from _unknown_word_problem(item, items, f"unknown service of {cloud}", path)
    if item in items and not unit_of(cloud, item):
        yield Problem(
            message=f"the unit of {item} is unknown",
            path=path,
            fix="remove it; it can't be priced",
        )


def _discount(key_path: KeyPath, path: Path) -> Iterator[Problem]:
    cloud = yield from _cloud(key_path, path)
    if cloud is None:
        return
    modes = (*dict.fromkeys((*PURCHASE_MODES, *priced_cloud_of(cloud).prices.modes())), SERVICES)
    for index, mode in enumerate(key_path.valid_values.get("modes", ())):
        yield from _unknown_word_problem(
            mode, modes, "unknown purchase option", (*path, "modes", index)
        )
    for index, machine in enumerate(key_path.valid_values.get("machines") or ()):
        yield from _machine(cloud, machine, (*path, "machines", index))
    for index, region in enumerate(key_path.valid_values.get("regions") or ()):
        yield from _region(cloud, region, (*path, "regions", index))


def _gpu(gpu: str, path: Path) -> Iterator[Problem]:
    word, _, count = gpu.partition(":")
    if gpu_of(word) is not None:
        return
    models = matching(word)
    nearest_gpu = models[0] if len(models) == 1 else nearest(word, () if models else gpu_names())
    yield Problem(
        message=f"{word} matches several GPUs" if len(models) > 1 else "unknown GPU",
        path=path,
        value=gpu,
        allowed=", ".join(models),
        suggestion=f"{nearest_gpu}:{count}" if nearest_gpu else "",
        fix="use the exact name in the catalog",
    )


def _cloud(key_path: KeyPath, path: Path) -> Generator[Problem, None, str | None]:
    """Yield a problem for an unknown cloud; return the cloud if it is known, else None."""
    cloud: str | None = key_path.valid_values.get("cloud")
    if cloud is None:
        return None
    yield from _unknown_word_problem(cloud, PRICED_CLOUDS, "unknown cloud", (*path, "cloud"))
    return cloud if cloud in PRICED_CLOUDS else None


def _machine(cloud: str, machine: str, path: Path) -> Iterator[Problem]:
    wrong = unknown_type(cloud, machine, path)
    yield from () if wrong is None else (wrong,)


def _region(cloud: str, region: str, path: Path) -> Iterator[Problem]:
    wrong = unknown_region(cloud, region, path)
    yield from () if wrong is None else (wrong,)


def _unknown_word_problem(
    word: str, accepted: Iterable[str], message: str, path: Path
) -> Iterator[Problem]:
    accepted_words = tuple(accepted)
    if word not in accepted_words:
        yield unknown_word(message, word, accepted_words, path)


def _duplicate_price_problems(
    paths: Iterable[KeyPath], list_: str, key_names: tuple[str, ...]
) -> Iterator[Problem]:
    first_by_key: dict[Hashable, PathPart] = {}
    for path in paths:
        if not path.accepts_keys(*key_names):
            continue
        at, key = path.part, tuple(path.valid_values[name] for name in key_names)
        if key in first_by_key:
            yield Problem(
                message=f"a second price for the same item as {list_}[{first_by_key[key]}]",
                path=(list_, at),
                allowed="one price per item, region and purchase option",
                fix="keep one of them",
            )
        first_by_key.setdefault(key, at)
