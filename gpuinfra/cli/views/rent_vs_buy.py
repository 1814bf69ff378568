"""`gpuinfra cost --against purchase.yaml`: the cost of renting GPUs and of buying them."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.options import Command
from gpuinfra.cli.views.render import heading, note, show_table
from gpuinfra.clouds import provider_of
from gpuinfra.cost import Line
from gpuinfra.errors import InputError
from gpuinfra.price_overrides import rent_or_buy
from gpuinfra.price_overrides.rent_cost import RentalCost
from gpuinfra.price_overrides.rent_or_buy import Purchase, RentComparison
from gpuinfra.units import (
    UnitError,
    format_count,
    format_money,
    format_parts,
    format_share,
    parse_share,
)

OPTIONS: Final = ("against", "years", "utilisation")
LONGEST: Final = 20


@dataclass(frozen=True, kw_only=True)
class PurchaseComparison:
    """The purchase to compare with: its file, the years, and the share of hours at work."""

    purchase: Purchase
    years: Decimal
    utilisation: Decimal


def against_options(command: Command) -> Command:
    """Add --against, --years and --utilisation."""
    command = click.option(
        "--utilisation",
        default=None,
        metavar="SHARE",
        help="With --against: share of hours in which the GPUs work; default 100%.",
    )(command)
    command = click.option(
        "--years", default=None, metavar="N", help="With --against: number of years; default 1."
    )(command)
    return click.option(
        "--against",
        type=click.Path(path_type=Path),
        default=None,
        metavar="PURCHASE",
        help="Compare with buying the same number of GPUs on the terms of this purchase file.",
    )(command)


def from_options(options: dict[str, Any]) -> PurchaseComparison | None:
    """Return the comparison, its options removed from `options`; None without --against.

    Raises:
        InputError: the file has faults, or an option is invalid.
    """
    path, years, share = (options.pop(name) for name in OPTIONS)
    if path is None:
        if years or share:
            raise click.UsageError("--years and --utilisation require --against")
        return None
    return PurchaseComparison(
        purchase=rent_or_buy.read_purchase(path),
        years=_years(years or "1"),
        utilisation=_share(share),
    )


def compare_with_renting(
    stack_check: StackCheck, comparison: PurchaseComparison
) -> RentComparison:
    """Compare the purchase with renting the same number of GPUs as the stack's machines.

    Raises:
        InputError: the stack has no machines, or their cost is unknown.
    """
    rents = _rents(stack_check, comparison.purchase.gpus)
    return rent_or_buy.compare_with_rent(
        comparison.purchase, rents, comparison.years, comparison.utilisation
    )


def show(stack_check: StackCheck, comparison: PurchaseComparison, against: RentComparison) -> None:
    """Print both sides as a table, and when buying becomes cheaper."""
    bought = comparison.purchase
    span = format_count(f"{against.years.normalize():f}", "year")
    gpus = format_count(bought.gpus, "GPU")
    heading(
        f"rent or buy {bought.what or 'the GPUs'}: {gpus} for {span}, in "
        f"use {format_share(against.utilisation)} of the hours"
    )
    kwh = f"{against.energy_kwh.quantize(Decimal(1)):,} kWh"
    rent, total = format_money(against.rent_cost), against.ownership_cost
    value, energy, upkeep = format_parts(
        (against.depreciation, against.energy, against.upkeep), total
    )
    rows = (
        ("rent", f"{format_money(against.rent_per_hour)} an hour", rent, ""),
        ("price less residual value", "", "", value),
        ("energy", kwh, "", energy),
        ("hosting and staff", "", "", upkeep),
        ("together", "", rent, format_money(total)),
    )
    show_table(("", "of", "rented", "bought"), rows, right=("of", "rented", "bought"))
    click.echo(_verdict(against))
    stack_gpus = _gpus(stack_check)
    if stack_gpus != bought.gpus:
        note(f"note: GPUs of the stack: {stack_gpus:f}; the rent is scaled to {bought.gpus}")
    note("note: rent counts the used hours of machines only, on the active rung")
    if against.prepaid:
        note(f"note: {format_money(against.prepaid)} of the rent is paid upfront, used or not")
    if any(rent.tiers for rent in _rents(stack_check, bought.gpus)):
        note("note: where the hourly price falls with use, the used hours count as one run")


def _verdict(against: RentComparison) -> str:
    since, until = against.break_even_utilisation, against.break_even_until
    if since is None:
        return "renting is always cheaper: buying never recovers the price of the machines"
    within = [f"above {since * 100:.1f}%"] if since else []
    within += [f"below {until * 100:.1f}%"] if until is not None and until < 1 else []
    if since > 1:
        verdict_text = "renting is cheaper, even at full use"
    elif within:
        verdict_text = f"buying is cheaper {' and '.join(within)} of the hours"
    else:
        verdict_text = "buying is cheaper, even without use"
    month = against.break_even_month
    back = (
        "never pays back within its service life"
        if month is None
        else f"pays back in month {month}"
    )
    return f"{verdict_text}; at this use the purchase {back}"


def _rents(stack_check: StackCheck, gpus: int) -> tuple[RentalCost, ...]:
    """Return the active machines as rented, scaled to the number of GPUs."""
    indexes = stack_check.quote.active_rungs
    active_rungs = [rung for rung in stack_check.quote.rungs if rung.index == indexes[rung.group]]
    rates = [rung.machines_per_hour for rung in active_rungs if rung.machines_per_hour is not None]
    if not active_rungs or len(rates) < len(active_rungs):
        raise InputError.of(
            "the cost of renting is unknown: a machine's price is missing"
            if active_rungs
            else "the stack has no machines to rent",
            fix="`gpuinfra cost SOURCE` shows what is missing; add it to prices.yaml",
        )
    clouds = {group.name: group.cloud for group in stack_check.plan.groups}
    share = gpus / _gpus(stack_check)
    return tuple(
        _rent(stack_check, clouds[rung.group], line, share)
        for rung in active_rungs
        for line in rung.machines
    )


def _rent(stack_check: StackCheck, cloud: str, line: Line, share: Decimal) -> RentalCost:
    """Return a line of machines with its price tiers and prepaid part; spot has neither.

    Spot is rented at its ceiling, which has neither.
    """
    machines, rate = (line.quantity or Decimal(0)) * share, line.rate or Decimal(0)
    book = stack_check.source.prices
    row = (
        None if line.kind == "spot" else book.list_price(cloud, line.item, line.region, line.kind)
    )
    if row is None:
        return RentalCost(machines=machines, hourly_rent=rate)
    prepaid = rate * row.prepaid
    return RentalCost(
        machines=machines, hourly_rent=rate - prepaid, hourly_prepaid=prepaid, tiers=row.tiers
    )


def _gpus(stack_check: StackCheck) -> Decimal:
    """Return the GPUs of the stack, pools at their maximum."""
    total = Decimal(0)
    for group in stack_check.plan.groups:
        machine = provider_of(group.cloud).machines.get(group.rung.machine)
        if machine is not None and isinstance(group.maximum, int):
            total += machine.gpu_count * group.maximum
    return total


def _years(text: str) -> Decimal:
    try:
        years = Decimal(text)
    except InvalidOperation:
        years = Decimal("NaN")
    if years.is_finite() and 0 < years <= LONGEST:
        return years
    raise _option_error(
        "--years", text, f"a number above 0 and up to {LONGEST}, for example 1 or 3"
    )


def _share(text: str | None) -> Decimal:
    if text is None:
        return Decimal(1)
    try:
        share = parse_share(text)
    except UnitError as error:
        raise _option_error("--utilisation", text, error.allowed, error.hint) from None
    if share:
        return share
    raise _option_error("--utilisation", text, "a share above 0% and up to 100%, for example 60%")


def _option_error(option: str, value: str, allowed: str, hint: str = "") -> InputError:
    return InputError.of(
        f"{option} is not accepted", value=value, allowed=allowed, suggestion=hint
    )
