"""Edits to how machines are bought: the ladder, a pool's spot share, and the maximum price."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_FLOOR, Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.catalog import PriceBook, ceiling
from gpuinfra.clouds import provider_of
from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.model import Group, Plan, Rung
from gpuinfra.rules import spot_only_pool
from gpuinfra.rules.rule import Family
from gpuinfra.rules.settings import values_of
from gpuinfra.specs import Stack, Training
from gpuinfra.units import CENT, round_up

FAMILIES: Final[frozenset[Family]] = frozenset({"budget", "spot"})
KINDS: Final = ("spot", "on-demand")
"""The ways to buy that need no reservation."""

MAXIMA: Final = ("max_price", "higher max_price")

OTHER_PURCHASE_UPHEAVAL: Final = 1
STEPS: Final = 400
"""Into how many steps the room between two prices is divided at most."""

LEAST_SHARE: Final = Decimal("0.1")
"""The lowest maximum price that is tried where no spot price is known, as a share of the price on
demand. A spot machine whose price is above its maximum is not started, so that a lower one is no
fix: https://learn.microsoft.com/azure/virtual-machines/spot-vms#pricing"""


def dimensions(
    context: OptionContext, path: Path, name: str, workload: Work
) -> Iterator[Dimension]:
    """Yield the possible edits to how a workload's machines are bought."""
    subject = ".".join(map(str, path))
    options = tuple(
        _ladders(context, path) if isinstance(workload, Training) else _pool(context, path)
    )
    yield Dimension(name="capacity", subject=subject, options=options, families=FAMILIES)
    for price_path in ((*path, "max_price"), *_own_maxima(context, path)):
        for maximum in MAXIMA:
            options_after = partial(_maximum_options, context, name, price_path, maximum)
            yield Dimension(
                name=maximum,
                subject=subject,
                options=() if context.plan is None else options_after(context.plan),
                is_ordered=True,
                families=FAMILIES,
                options_after=options_after,
            )


def _maximum_options(
    context: OptionContext, name: str, price_path: Path, key: str, plan: Plan
) -> tuple[EditOption, ...]:
    """Return the maximum prices of a workload's machines of a plan, in one of the two ways.

    Other machines or regions are proposed with one only where their spot price is known. Where
    that of the present ones is not known or too old, a lower maximum may start no machine.
    """
    group = next((group for group in plan.groups if group.name == name), None)
    if group is None or not provider_of(group.cloud).takes_spot_maximum:
        return ()
    if plan is not context.plan and spot_floor((group,), context.prices) is None:
        return ()
    prices = dict(_maxima(context, group)).get(key, ())
    disruption = OTHER_PURCHASE_UPHEAVAL if _has_unknown_spot_price(context, group) else 0
    return tuple(context.option(price_path, price, disruption=disruption) for price in prices)


def _has_unknown_spot_price(context: OptionContext, group: Group) -> bool:
    """Return whether no price, or only one that is too old, is known of machines on spot."""
    lines = () if context.quote is None else context.quote.lines
    return any(
        line.group == group.name
        and line.item == group.rung.machine
        and line.expected_per_hour is None
        for line in lines
    )


def _ladders(context: OptionContext, path: Path) -> Iterator[EditOption]:
    """Yield an option for every shorter or longer ladder, and for ladders of plain steps."""
    capacity_path = (*path, "capacity")
    capacity = value_at(context.value, capacity_path)
    steps: list[Any] = [capacity] if isinstance(capacity, str) else list(capacity or ["on-demand"])
    offered_ladders = [steps]
    shorter = (
        [[step for step in steps if step is not left_out] for left_out in steps]
        if steps[1:]
        else []
    )
    simple_ladders = [["spot"], ["on-demand"], list(KINDS)]
    longer = [["spot", *steps]] if "spot" not in map(_kind, steps) else [[*steps, "on-demand"]]
    for ladder in (*shorter, *longer, *simple_ladders):
        if ladder and ladder not in offered_ladders:
            offered_ladders.append(ladder)
            short = ladder[0] if len(ladder) == 1 and isinstance(ladder[0], str) else ladder
            yield context.option(capacity_path, short, disruption=OTHER_PURCHASE_UPHEAVAL)


def _kind(step: Any) -> str:
    return next(iter(step)) if isinstance(step, Mapping) and step else str(step)


def _pool(context: OptionContext, path: Path) -> Iterator[EditOption]:
    holder = (*path, "capacity")
    capacity = value_at(context.value, holder)
    now = capacity.get("above") if isinstance(capacity, Mapping) else capacity
    base = _required_base(context.stack)
    if now == "spot" and (value_at(context.value, (*holder, "on_demand_base")) or 0) < base:
        yield context.option_in_mapping(
            holder, "above", "on_demand_base", base, disruption=OTHER_PURCHASE_UPHEAVAL
        )
    for kind in KINDS:
        if kind != (now or "on-demand"):
            yield context.option_in_mapping(
                holder, "above", "above", kind, disruption=OTHER_PURCHASE_UPHEAVAL
            )


def _required_base(stack: Stack) -> int:
    """Return how many on-demand machines the rule about pools on spot asks of each."""
    rule = spot_only_pool.RULE
    settings = stack.rules.get(rule.id)
    base: int = values_of(rule, {} if settings is None else settings.settings)["on_demand_base"]
    return base


def _own_maxima(context: OptionContext, path: Path) -> Iterator[Path]:
    """Yield the paths of ladder steps that have their own maximum price."""
    steps = value_at(context.value, (*path, "capacity"))
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        price_path = (*path, "capacity", number, _kind(step), "max_price")
        if value_at(context.value, price_path) is not None:
            yield price_path


def _maxima(context: OptionContext, group: Group) -> Iterator[tuple[str, list[Decimal]]]:
    """Yield maximum prices for spot, to the cent, between the current spot price and the ceiling.

    It is that of the most expensive zone: with less, the request may never be filled. Where it is
    unknown, machines that are already bought on spot get lower maximum prices, too. Without any
    room the ceiling itself is yielded, which only helps together with another region.
    """
    spots = spot_rungs(group)
    tops = [top for rung in spots if (top := _ceiling(context, group, rung)) is not None]
    if not tops:
        return
    limits = [rung.max_price for rung in spots if rung.max_price is not None]
    top = max(limits or tops).quantize(CENT, ROUND_FLOOR)
    spot_prices = spot_floor((group,), context.prices)
    lowest_price = spot_prices
    if lowest_price is None and spots[0].capacity == "spot":
        lowest_price = round_up(max(tops) * LEAST_SHARE)
    if lowest_price is not None and top > lowest_price:
        yield MAXIMA[0], [top - step for step in _steps(top - lowest_price)]
    else:
        yield MAXIMA[0], [max(top, spot_prices or top)]
    if spot_prices is not None and limits and min(limits) < spot_prices:
        yield MAXIMA[1], [spot_prices]


def _steps(room_: Decimal) -> list[Decimal]:
    """Return amounts from a cent up to the whole difference, in even steps."""
    cents = int(room_ / CENT)
    step_cents = max(1, -(-cents // STEPS))
    return [CENT * amount for amount in (*range(step_cents, cents, step_cents), cents)]


def _ceiling(context: OptionContext, group: Group, rung: Rung) -> Decimal | None:
    row = context.prices.spot_ceiling(group.cloud, rung.machine, rung.region)
    return None if row is None else row.per_unit


def spot_floor(groups: Iterable[Group], prices: PriceBook) -> Decimal | None:
    """Return the last spot price of these machines, rounded up to a cent; None if it is unknown.

    It is that of the most expensive type and zone: with less, the request may never be filled.
    """
    spot_prices = [
        ceiling(row)
        for group in groups
        for rung in spot_rungs(group)
        for machine in (rung.machine, *group.machines)
        if (row := prices.spot(group.cloud, machine, rung.region, rung.zones)) is not None
    ]
    return round_up(max(spot_prices)) if spot_prices else None


def spot_rungs(group: Group) -> tuple[Rung, ...]:
    """Return the spot rungs of a group; all rungs where none is spot."""
    return tuple(rung for rung in group.rungs if rung.capacity == "spot") or group.rungs
