"""`gpuinfra commitments`: what a reservation saves, from when on, and how large it should be."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gpuinfra.cli.render import clean, heading, money, note, show_json, show_table
from gpuinfra.cli.source import Loaded, format_options, load, plan_options, source_argument
from gpuinfra.clouds import room
from gpuinfra.cost.commitments import HOURS_PER_YEAR, RULE_OF_THUMB, Commitment, commitments
from gpuinfra.errors import InputError, Problem, nearest
from gpuinfra.model import Group, Machine, Price
from gpuinfra.units import HOURS_PER_MONTH

if TYPE_CHECKING:
    from gpuinfra.forecast import Advice

THREE_YEARS: Final = HOURS_PER_YEAR * 3
SHOWN: Final = 12
"""How many months a table shows; --json has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """A commitment of a mode to the machines of a workload, sized from past usage."""

    workload: str
    mode: str
    advice: "Advice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of committing to the machines of a workload."""

    workload: str
    machine: str
    region: str
    on_demand: Price | None
    commitments: tuple[Commitment, ...]


@click.command("commitments")
@source_argument
@click.option(
    "--usage",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="Past GPU-hours by month (month,gpu_hours), to size a commitment from a forecast.",
)
@click.option("--workload", help="Only this workload; needed for --usage where there are several.")
@click.option("--mode", help="The commitment to size, such as reserved-1y; else the cheapest.")
@format_options
@plan_options
def command(
    source: Path,
    usage: Path | None,
    workload: str | None,
    mode: str | None,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
) -> int:
    """Compare committing to the machines of SOURCE with on demand; exit 1 where no price is."""
    loaded = load(source, as_of=as_of, rung=rung)
    found = [_known(loaded, group) for group in _wanted(loaded, workload)]
    sized = None if usage is None else _sized(usage, found, mode, _machines(loaded))
    if format_ == "json":
        show_json(
            {
                "stack": loaded.stack.name,
                "as_of": loaded.as_of,
                "commitments": found,
                "sized": sized,
            }
        )
    else:
        for one in found:
            show(one)
        if sized is not None:
            show_sized(sized)
    return 0 if all(one.commitments for one in found) else 1


def show(known: Known) -> None:
    """The ways to commit to a machine, each with its break-even; and what nobody knows."""
    heading(f"{clean(known.workload)}: one {known.machine} in {known.region}")
    listed = known.on_demand
    if listed is None:
        click.secho("no on-demand price is known: nothing to compare with", fg="red")
        return
    rows = [_row(one) for one in known.commitments]
    on_demand = (
        "on-demand",
        money(listed.per_unit),
        "",
        "",
        money(listed.per_unit * HOURS_PER_YEAR),
        money(listed.per_unit * HOURS_PER_YEAR * 3),
        listed.as_of,
    )
    show_table(
        ("", "$/h", "saves", "pays from", "$ a year", "$ in 3 years", "price of"),
        [on_demand, *rows],
        right=("$/h", "saves", "pays from", "$ a year", "$ in 3 years"),
    )
    if not rows:
        click.secho("no commitment has a known price", fg="red")
    thumb = listed.per_unit * RULE_OF_THUMB
    click.echo(
        f"the guides' rule of thumb, {RULE_OF_THUMB} × on demand for 3 years, says"
        f" {money(thumb)} an hour; it is no price"
    )
    for one in known.commitments:
        _tell(one, listed)


def show_sized(sized: Sized) -> None:
    """The forecast, how the models did on months they had not seen, and the level to take."""
    advice = sized.advice
    heading(f"a commitment of {sized.mode} for {clean(sized.workload)}, from its usage")
    show_table(
        ("forecast", "held out", "off by", "in p10–p90", "pinball loss"),
        [
            (
                f"{one.forecast.model}{' (taken)' if place == 0 else ''}",
                f"{one.held_out} months",
                f"{one.error:.1%}",
                f"{one.inside} of {one.held_out}",
                f"{one.loss:,.0f} GPU-h",
            )
            for place, one in enumerate(advice.trials)
        ],
        right=("off by", "in p10–p90", "pinball loss"),
    )
    show_table(
        ("month", "p10", "p50", "p90"),
        [
            (f"{one.month:%Y-%m}", f"{one.p10:,.0f}", f"{one.p50:,.0f}", f"{one.p90:,.0f}")
            for one in advice.months[:SHOWN]
        ],
        title="GPU-hours by month",
        right=("p10", "p50", "p90"),
    )
    rest = len(advice.months) - SHOWN
    if rest > 0:
        click.echo(f"… and {rest} more months, in --json; the further, the less anybody knows")
    best, test = advice.level, advice.test
    click.echo(
        f"commit to {best.gpus:g} GPUs: expected ${money(best.cost)} over {len(advice.months)}"
        f" months, ${money(best.saves)} less than all on demand (${money(best.all_on_demand)})"
    )
    verb = "saved" if test.saved >= 0 else "cost more by"
    click.echo(
        f"tried on the last {test.months} months, unseen: {test.gpus:g} GPUs would have {verb}"
        f" ${money(abs(test.saved))}; knowing them, {test.best_gpus:g} GPUs"
        f" ${money(test.best_saved)}"
    )
    for one in advice.notes:
        note(f"note: {one}")


def _row(one: Commitment) -> tuple[str, ...]:
    never = one.pays_from >= 1
    return (
        f"{one.mode}{' (yours)' if one.origin == 'user' else ''}",
        money(one.per_hour),
        f"{one.saves:.0%}",
        "never" if never else f"{one.break_even:,.0f} h ({one.pays_from:.0%})",
        money(one.per_hour * HOURS_PER_YEAR) if one.hours <= HOURS_PER_YEAR else "",
        money(one.total) if one.hours > HOURS_PER_YEAR else money(one.per_hour * THREE_YEARS),
        one.as_of,
    )


def _tell(one: Commitment, listed: Price) -> None:
    said = f"{one.mode}: {one.note}; " if one.note else f"{one.mode}: "
    click.echo(f"{clean(said)}from {clean(one.source)}")
    if one.pays_from >= 1:
        note(
            f"note: {one.mode} of {one.as_of} is dearer than on demand of {listed.as_of}:"
            " one of the two prices is out of date"
        )


def _wanted(loaded: Loaded, workload: str | None) -> Sequence[Group]:
    """The groups asked for.

    Raises:
        InputError: there is none of that name, or none at all.
    """
    groups = loaded.plan.groups
    names = [group.name for group in groups]
    if workload is None or workload in names:
        return [one for one in groups if workload in {None, one.name}]
    problem = Problem(
        message="--workload: no such workload",
        value=workload,
        allowed=", ".join(names),
        suggestion=nearest(workload, names),
    )
    raise InputError([problem])


def _known(loaded: Loaded, group: Group) -> Known:
    rung = group.rung
    listed, found = commitments(group.cloud, rung.machine, rung.region, loaded.source.prices)
    return Known(
        workload=group.name,
        machine=rung.machine,
        region=rung.region,
        on_demand=listed,
        commitments=found,
    )


def _machines(loaded: Loaded) -> dict[str, Machine | None]:
    """The machine of each workload."""
    groups = loaded.plan.groups
    return {group.name: room(group.cloud).machine(group.rung.machine) for group in groups}


def _sized(
    usage: Path, found: Sequence[Known], mode: str | None, machines: dict[str, Machine | None]
) -> Sized:
    """The advice for one workload.

    Raises:
        InputError: it is not clear whose usage it is, nothing can be committed to, or the file
            is wrong.
    """
    from gpuinfra import forecast  # noqa: PLC0415  (an extra, and only needed here)

    if len(found) != 1:
        names = ", ".join(one.workload for one in found)
        problem = Problem(
            message="--usage is of one workload's machines",
            allowed=names,
            fix="add --workload NAME" if found else "the stack has no machines",
        )
        raise InputError([problem])
    (known,) = found
    commitment = _chosen(known, mode)
    machine = machines[known.workload]
    if machine is None:
        raise LookupError(f"{known.machine} is in no table of machines")
    gpus = machine.gpu_count
    committed = commitment.per_hour / gpus
    rates = forecast.Rates(
        on_demand=float(committed / commitment.pays_from),
        committed=float(committed),
        step=float(gpus),
    )
    term = int(commitment.hours / HOURS_PER_MONTH)
    advice = forecast.advise(forecast.read(usage), rates, term)
    return Sized(workload=known.workload, mode=commitment.mode, advice=advice)


def _chosen(known: Known, mode: str | None) -> Commitment:
    """The commitment to size.

    Raises:
        InputError: there is none, or none of that mode.
    """
    modes = [one.mode for one in known.commitments]
    if mode is None and modes:
        return known.commitments[0]
    if mode in modes:
        return known.commitments[modes.index(mode)]
    problem = Problem(
        message=f"no price of {'such a' if mode else 'any'} commitment to {known.machine} in"
        f" {known.region} is known",
        value=mode or "",
        allowed=", ".join(modes),
        suggestion=nearest(mode or "", modes),
        fix="give one in prices.yaml beside the stack file",
    )
    raise InputError([problem])
