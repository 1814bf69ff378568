"""`gpuinfra cost --against purchase.yaml`: what renting the GPUs costs beside buying them."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.cli.options import Command
from gpuinfra.cli.render import heading, money, note, show_table
from gpuinfra.cli.source import Loaded
from gpuinfra.clouds import room
from gpuinfra.errors import InputError, Problem
from gpuinfra.own import purchase
from gpuinfra.own.purchase import Against, Purchase
from gpuinfra.units import UnitError, format_share, parse_share

OPTIONS: Final = ("against", "years", "utilisation")
LONGEST: Final = 20


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A purchase to compare with: its file, the years, and the share of hours at work."""

    purchase: Purchase
    years: Decimal
    utilisation: Decimal


def against_options(command: Command) -> Command:
    """Add --against, --years and --utilisation."""
    command = click.option(
        "--utilisation",
        default=None,
        metavar="SHARE",
        help="With --against: the share of the hours in which the GPUs work; default 100%.",
    )(command)
    command = click.option(
        "--years", default=None, metavar="N", help="With --against: for how long; default 1."
    )(command)
    return click.option(
        "--against",
        type=click.Path(path_type=Path),
        default=None,
        metavar="PURCHASE",
        help="Compare with buying as many GPUs, as a purchase.yaml says.",
    )(command)


def asked(wanted: dict[str, Any]) -> Asked | None:
    """What the options ask for, which leave `wanted`; None without --against.

    Raises:
        InputError: the file has faults, or an option is not what it is meant for.
    """
    path, years, share = (wanted.pop(name) for name in OPTIONS)
    if path is None:
        if years or share:
            raise click.UsageError("--years and --utilisation go with --against")
        return None
    return Asked(
        purchase=purchase.read(path), years=_years(years or "1"), utilisation=_share(share)
    )


def compared(loaded: Loaded, asked: Asked) -> Against:
    """The purchase against renting as many GPUs as the stack's machines have.

    Raises:
        InputError: nobody knows what the stack's machines cost, or how many GPUs they have.
    """
    rent = _rent_of_a_gpu(loaded)
    return purchase.against(
        asked.purchase, rent * asked.purchase.gpus, asked.years, asked.utilisation
    )


def show(loaded: Loaded, asked: Asked, found: Against) -> None:
    """Both sides as a table, and from when on buying is cheaper."""
    bought = asked.purchase
    span = f"{found.years.normalize():f} year{'' if found.years == 1 else 's'}"
    heading(
        f"rent or buy {bought.what or 'the GPUs'}: {bought.gpus} GPUs for {span},"
        f" at work in {format_share(found.utilisation)} of the hours"
    )
    kwh = f"{found.energy_kwh.quantize(Decimal(1)):,} kWh"
    rows = (
        ("rent", f"{money(found.rent_per_hour)} an hour", found.rented, None),
        ("price less what is left", "", None, found.wear),
        ("energy", kwh, None, found.energy),
        ("hosting and staff", "", None, found.upkeep),
        ("together", "", found.rented, found.owned),
    )
    show_table(
        ("", "of", "rented", "bought"),
        [(what, of, _shown(rented), _shown(owned)) for what, of, rented, owned in rows],
        right=("of", "rented", "bought"),
    )
    click.echo(_verdict(found))
    held = _gpus(loaded)
    if held != bought.gpus:
        note(f"note: GPUs of the stack: {held:f}; their rent counts for {bought.gpus}")
    note("note: rent counts the hours at work of machines alone, on the rung that stands")


def _verdict(found: Against) -> str:
    share = found.break_even_utilisation
    if share is None:
        return "renting is always cheaper: an hour of it costs no more than the energy"
    if share > 1:
        words = "renting is cheaper, even if the GPUs never rest"
    else:
        words = f"buying is cheaper above {share * 100:.1f}% of the hours"
    month = found.break_even_month
    back = "never within its lifetime" if month is None else f"in month {month}"
    return f"{words}; at this load the purchase is paid back {back}"


def _shown(amount: Decimal | None) -> str:
    return "" if amount is None else money(amount)


def _rent_of_a_gpu(loaded: Loaded) -> Decimal:
    """What a GPU of the stack costs an hour, over all of its machines."""
    standing = loaded.quote.standing
    stands = [one for one in loaded.quote.rungs if one.index == standing[one.group]]
    known = [one.machines_per_hour for one in stands if one.machines_per_hour is not None]
    if not stands or len(known) < len(stands):
        raise InputError(
            [
                Problem(
                    message="nobody knows what renting costs: a price of the machines is missing"
                    if stands
                    else "there is nothing to rent: the stack has no machines",
                    fix="gpuinfra cost SOURCE shows what is missing; prices.yaml may give it",
                )
            ]
        )
    return sum(known, Decimal(0)) / _gpus(loaded)


def _gpus(loaded: Loaded) -> Decimal:
    """The GPUs of the stack, pools at their maximum."""
    total = Decimal(0)
    for group in loaded.plan.groups:
        machine = room(group.cloud).machine(group.rung.machine)
        if machine is not None and isinstance(group.maximum, int):
            total += machine.gpu_count * group.maximum
    return total


def _years(given: str) -> Decimal:
    try:
        years = Decimal(given)
    except InvalidOperation:
        years = Decimal("NaN")
    if years.is_finite() and 0 < years <= LONGEST:
        return years
    raise _wrong("--years", given, f"a number above 0 and up to {LONGEST}, such as 1 or 3")


def _share(given: str | None) -> Decimal:
    if given is None:
        return Decimal(1)
    try:
        share = parse_share(given)
    except UnitError as error:
        raise _wrong("--utilisation", given, error.allowed, error.hint) from None
    if share:
        return share
    raise _wrong("--utilisation", given, "a share above 0% and up to 100%, such as 60%")


def _wrong(option: str, given: str, allowed: str, hint: str = "") -> InputError:
    problem = Problem(
        message=f"{option} is not accepted", value=given, allowed=allowed, suggestion=hint
    )
    return InputError([problem])
