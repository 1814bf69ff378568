"""`gpuinfra commitments`: a reservation's savings, break-even and best size."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.catalog.fact_age import refresh_commands
from gpuinfra.cli import shell_completion
from gpuinfra.cli.source import format_options, load, plan_options, source_argument
from gpuinfra.cli.views.commitment_size import OUTDATED_MARK, SizedCommitment, show_sized
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, heading, note, show_json, show_table, wrap_after
from gpuinfra.clouds import provider_of
from gpuinfra.cost.commitments import (
    RULE_OF_THUMB,
    Commitment,
    CommitmentFacts,
    commitment_facts,
    hours_cost,
)
from gpuinfra.errors import InputError, unknown_word
from gpuinfra.model import Group, Machine, Price
from gpuinfra.units import (
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    format_money,
    format_percent,
    format_unit_price,
)

if TYPE_CHECKING:
    pass

THREE_YEARS: Final = HOURS_PER_YEAR * 3


@click.command("commitments")
@source_argument
@click.option(
    "--usage",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="Past GPU-hours by hour, day or month (hour,gpu_hours), to size a commitment from a"
    " forecast.",
)
@click.option(
    "--peak",
    type=click.FloatRange(min=0, min_open=True),
    metavar="GPUS",
    help="Maximum number of GPUs in use at once; required if --usage is by month.",
)
@click.option(
    "--workload",
    shell_complete=shell_completion.workloads,
    help="Only this workload; required for --usage if there are several.",
)
@click.option("--mode", help="The commitment to size, for example reserved-1y; else the cheapest.")
@format_options
@plan_options
def command(
    source: Path,
    usage: Path | None,
    peak: float | None,
    workload: str | None,
    mode: str | None,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
) -> int:
    """Compare committing to the machines of SOURCE with on demand.

    Exit 1 where a price is unknown; outdated ones are marked.
    """
    loaded = load(source, as_of=as_of, rung=rung)
    terms = loaded.source.terms(loaded.as_of)
    all_facts = [commitment_facts(group, terms) for group in _groups_of(loaded, workload)]
    sized = None if usage is None else _size_commitment(usage, peak, all_facts, mode, loaded)
    if format_ == "json":
        show_json(
            {
                "stack": loaded.stack.name,
                "as_of": loaded.as_of,
                "commitments": all_facts,
                "sized": sized,
            }
        )
    else:
        for group_facts in all_facts:
            show(group_facts)
        if sized is not None:
            show_sized(sized)
    if commands := _refreshes(all_facts):
        note(
            f"note: some prices are older than {terms.outdated_after_days} days or undated"
            f" ({OUTDATED_MARK}): before you commit, run {' and '.join(commands)}"
        )
    return 0 if all(facts.commitments for facts in all_facts) else 1


def _refreshes(all_facts: Sequence[CommitmentFacts]) -> list[str]:
    """Return the commands, one per cloud, that fetch the outdated prices."""
    return refresh_commands(
        (facts.on_demand.cloud, facts.region)
        for facts in all_facts
        if facts.on_demand is not None
        and (facts.outdated or any(commitment.outdated for commitment in facts.commitments))
    )


def show(facts: CommitmentFacts) -> None:
    """Print the commitments to a machine with their break-evens, and the unknown prices."""
    heading(f"{clean(facts.workload)}: one {facts.machine} in {facts.region}")
    list_price = facts.on_demand
    if list_price is None:
        click.secho("the on-demand price is unknown: no comparison is possible", fg="red")
        return
    sources = {
        source: number
        for number, source in enumerate(
            dict.fromkeys(
                (list_price.source, *(commitment.source for commitment in facts.commitments))
            ),
            1,
        )
    }
    show_table(
        ("", "per hour", "saves", "pays from", "a year", "3 years", "price of", "from"),
        [
            _on_demand_row(list_price, sources, old=facts.outdated),
            *(_row(commitment, sources) for commitment in facts.commitments),
        ],
        spare=("price of", "a year"),
        right=("per hour", "saves", "pays from", "a year", "3 years", "from"),
    )
    for source, number in sources.items():
        click.echo(wrap_after(f"[{number}] ", source))
    for commitment in facts.commitments:
        if commitment.note:
            click.echo(wrap_text(f"{commitment.mode}: {clean(commitment.note)}", "  "))
        if commitment.break_even_share >= 1:
            text = (
                f"{commitment.mode} costs more than the same hours on demand of {list_price.as_of}"
            )
            click.echo(wrap_text(text, "  "))
    if not facts.commitments:
        click.secho("no commitment has a known price", fg="red")
    if facts.unpriced:
        click.echo(f"the price of {', '.join(facts.unpriced)} is unknown")
    text = (
        f"rule of thumb of the buying guides: {RULE_OF_THUMB} × on demand for 3 years is "
        f"{format_unit_price(list_price.per_unit * RULE_OF_THUMB)} an hour. Add "
        "savings plans of other regions and private offers to prices.yaml (mode: savings-1y …)"
    )
    click.echo(wrap_text(text, "  "))


def _on_demand_row(price: Price, sources: Mapping[str, int], *, old: bool) -> tuple[str, ...]:
    return (
        "on-demand",
        f"{format_unit_price(price.per_unit)}{OUTDATED_MARK if old else ''}",
        "",
        "",
        format_money(hours_cost(price, HOURS_PER_YEAR)),
        format_money(hours_cost(price, THREE_YEARS)),
        price.as_of,
        _source_mark(price.source, price.origin, sources),
    )


def _row(commitment: Commitment, sources: Mapping[str, int]) -> tuple[str, ...]:
    is_never_worth_it = commitment.break_even_share >= 1
    return (
        commitment.mode,
        f"{format_unit_price(commitment.per_hour)}{OUTDATED_MARK if commitment.outdated else ''}",
        f"{format_percent(commitment.saved_share)}",
        "never"
        if is_never_worth_it
        else f"{commitment.break_even:,.0f} h ({format_percent(commitment.break_even_share)})",
        format_money(commitment.per_hour * HOURS_PER_YEAR)
        if commitment.hours <= HOURS_PER_YEAR
        else "",
        format_money(commitment.per_hour * THREE_YEARS),
        commitment.as_of,
        _source_mark(commitment.source, commitment.origin, sources),
    )


def _source_mark(source: str, origin: str, sources: Mapping[str, int]) -> str:
    return f"{'yours ' if origin == 'user' else ''}[{sources[source]}]"


def _groups_of(stack_check: StackCheck, workload: str | None) -> Sequence[Group]:
    """Return the groups of the workload; all of them for None.

    Raises:
        InputError: there is none of that name.
    """
    groups = stack_check.plan.groups
    names = [group.name for group in groups]
    if workload is None or workload in names:
        return [group for group in groups if workload in {None, group.name}]
    raise InputError([unknown_word("--workload: no such workload", workload, names)])


def _size_commitment(
    usage: Path,
    peak: float | None,
    all_facts: Sequence[CommitmentFacts],
    mode: str | None,
    stack_check: StackCheck,
) -> SizedCommitment:
    """Return the advice for one workload.

    Raises:
        InputError: it is not clear whose usage it is, nothing can be committed to, or the file
            is wrong.
    """
    from gpuinfra import forecast  # noqa: PLC0415  (an extra, and only needed here)

    if len(all_facts) != 1:
        raise InputError.of(
            "--usage applies to the machines of one workload",
            allowed=", ".join(facts.workload for facts in all_facts),
            fix="add --workload NAME" if all_facts else "the stack has no machines",
        )
    (facts,) = all_facts
    commitment = _selected_commitment(facts, mode)
    if facts.on_demand is None:
        raise LookupError(f"{facts.workload} has a commitment but no on-demand price")
    gpus = _machine(stack_check, facts.workload).gpu_count
    rates = forecast.GpuHourRates(
        on_demand=float(hours_cost(facts.on_demand, commitment.hours) / commitment.hours / gpus),
        committed=float(commitment.per_hour / gpus),
        machine_gpus=float(gpus),
    )
    day = stack_check.as_of
    history = forecast.read_history(usage, day)
    months = int(commitment.hours / HOURS_PER_MONTH)
    advice = forecast.advise(history, rates, months, day.replace(day=1), peak)
    return SizedCommitment(workload=facts.workload, commitment=commitment, advice=advice)


def _machine(stack_check: StackCheck, workload: str) -> Machine:
    (group,) = [group for group in stack_check.plan.groups if group.name == workload]
    machine = provider_of(group.cloud).machines.get(group.rung.machine)
    if machine is None:
        raise LookupError(f"unknown machine type {group.rung.machine}")
    return machine


def _selected_commitment(facts: CommitmentFacts, mode: str | None) -> Commitment:
    """Return the commitment to size: the one of the mode, or the first.

    Raises:
        InputError: there is none, or none of that mode.
    """
    modes = [commitment.mode for commitment in facts.commitments]
    if mode is None and modes:
        return facts.commitments[0]
    if mode in modes:
        return facts.commitments[modes.index(mode)]
    message = (
        f"the price of {'such a' if mode else 'any'} commitment to {facts.machine} in "
        f"{facts.region} is unknown"
    )
    fix = "add one to prices.yaml beside the stack file"
    raise InputError([unknown_word(message, mode or "", modes, fix=fix)])
