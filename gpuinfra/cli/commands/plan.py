"""`gpuinfra plan`: what a stack becomes: machines, rungs, fabric, storage."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra import planning
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.cli import any_source, each_source
from gpuinfra.cli.each_source import SourceAnswer, select_sources
from gpuinfra.cli.hints import same_command_as
from gpuinfra.cli.options import Detail, details
from gpuinfra.cli.source import format_options, plan_options, sources_argument
from gpuinfra.cli.views.ladders import active_rung, states
from gpuinfra.cli.views.layout import fits_whole
from gpuinfra.cli.views.render import clean, heading, section, show_line, show_table
from gpuinfra.cost import Quote
from gpuinfra.cost.spot_savings import maximum_notes
from gpuinfra.model import Group, Rung
from gpuinfra.report.nat_gateway_costs import gateways
from gpuinfra.report.summary import totals
from gpuinfra.rules import fabric_verdict
from gpuinfra.stackfile.defaults import Default
from gpuinfra.stackfile.grammar_defaults import built_in
from gpuinfra.units import format_count, format_money, format_unit_price
from gpuinfra.units.message_merging import texts_with_names

DEFAULTS: Final = ("default", "value", "from")


@click.command("plan")
@sources_argument
@format_options
@plan_options
@any_source.options
@details(
    "--verbose",
    "--quiet",
    verbose="Also print the date and the source of each rung's price.",
    quiet="Print only the machines and the totals.",
)
@click.option("--resources", is_flag=True, help="Show every resource that SOURCE creates.")
def command(
    sources: tuple[Path, ...],
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    *,
    detail: Detail,
    resources: bool,
    **options: Any,
) -> int:
    """Show what each SOURCE becomes: machines, rungs, fabric, storage; or its resources.

    SOURCE is a stack file, a preview, a state or a program, as for check; there may be several.
    """
    if resources and detail != "normal":
        raise click.UsageError(f"--{detail} can't be combined with --resources")
    selection = select_sources(sources, options, rung)

    def answer(
        source: Path, source_options: dict[str, Any], rung: tuple[str, ...]
    ) -> SourceAnswer:
        loaded = any_source.check_source(source, as_of, rung, source_options)
        return _resources_answer(loaded) if resources else _plan_answer(loaded, detail)

    return each_source.show(selection, answer, format_)


def _plan_answer(loaded: CheckResult, detail: Detail) -> SourceAnswer:
    return SourceAnswer(
        print_table=lambda: show(loaded, detail),
        document=lambda: {
            "plan": loaded.plan,
            "rungs": loaded.quote.rungs,
            "defaults": _used_defaults(loaded),
        },
    )


def _resources_answer(loaded: CheckResult) -> SourceAnswer:
    """Return the resources that a stack file creates.

    Raises:
        click.UsageError: it is none.
    """
    if not isinstance(loaded, StackCheck):
        raise click.UsageError("--resources requires a stack file")
    from gpuinfra.cli.views import declared_resources  # noqa: PLC0415  (only here)

    return SourceAnswer(
        print_table=lambda: declared_resources.show(loaded),
        document=lambda: declared_resources.document(loaded),
    )


def show(stack_check: CheckResult, detail: Detail) -> None:
    """Print the plan as tables: groups, their ladders, buckets, defaults; with the totals.

    "verbose" adds the sources of the rungs' prices; of "quiet" only groups and totals are left.
    """
    quote = stack_check.quote
    heading(f"{stack_check.plan.name} (owner {clean(stack_check.plan.owner or 'not given')})")
    show_table(
        ("workload", "purpose", "machines", "machine", "where", "bought", "fabric"),
        [_row(group, quote) for group in stack_check.plan.groups],
    )
    detail_hint = "" if detail == "verbose" else f" (`{same_command_as('cost', '-v')}`)"
    show_line("; ".join(totals(quote, stack_check.plan.caps, detail_hint)))
    if detail != "quiet":
        _show_ladder(quote)
        _show_notes(stack_check)
        _show_defaults(stack_check)
    if detail == "verbose":
        _show_price_sources(quote)


def _show_ladder(quote: Quote) -> None:
    """Print the rungs, each with its price and its state."""
    rungs = quote.rungs
    click.echo()
    show_table(
        ("workload", "rung", "machine", "unit price", "per hour", "state"),
        [
            (
                rung.group,
                rung.rung.label,
                rung.rung.machine,
                f"{'yours ' if rung.origin == 'user' else ''}{format_unit_price(rung.node_rate)}",
                format_money(rung.per_hour),
                state,
            )
            for rung, state in zip(rungs, states(quote, rungs), strict=True)
        ],
        title="ladder",
        right=("unit price", "per hour"),
    )


def _show_price_sources(quote: Quote) -> None:
    """Print the date and the source of the price of each rung's machines."""
    rows = (
        (rung.group, rung.rung.label, line.as_of or "–", line.source or "–")
        for rung in quote.rungs
        for line in rung.machines
    )
    section("prices of the ladder")
    show_table(("workload", "rung", "price of", "source"), list(dict.fromkeys(rows)))


def _show_notes(stack_check: CheckResult) -> None:
    """Print what has to be known of the groups, their fabric, their network and their disks."""
    notes = list(_notes(stack_check))
    if notes:
        section("notes")
    for note in notes:
        show_line(note)


def _notes(stack_check: CheckResult) -> Iterator[str]:
    """Yield the fabric of each group, then what explains its choice, its prices and its parts."""
    plan, quote = stack_check.plan, stack_check.quote
    fabrics = (
        (proof.name, str(proof).removeprefix(f"{proof.name}: ")) for proof in fabric_verdict(plan)
    )
    yield from texts_with_names(fabrics)
    yield from maximum_notes(quote)
    yield from _choice_notes(stack_check)
    yield from texts_with_names(
        (group.name, note) for group in plan.groups for note in group.notes
    )
    yield from gateways(plan, quote)
    yield from (*plan.notes, *plan.disk_loss_notes)
    if plan.buckets:
        yield f"buckets: {', '.join(bucket.name for bucket in plan.buckets)}"


def _show_defaults(stack_check: CheckResult) -> None:
    """Print what the stack file leaves out."""
    defaults = _used_defaults(stack_check)
    if defaults:
        rows = [(default.key, default.text, default.origin) for default in defaults]
        section("what the file leaves out")
        if fits_whole(DEFAULTS, rows):
            show_table(DEFAULTS, rows)
        else:
            show_table(DEFAULTS[:2], [(key, f"{text} ({origin})") for key, text, origin in rows])


def _choice_notes(stack_check: CheckResult) -> Iterator[str]:
    """Yield the reason for each group's cloud and machine, then the GPU keys that are unset."""
    for group in stack_check.plan.groups:
        if group.cloud_reasons.chosen:
            yield f"{group.name} runs on {group.cloud_reasons.chosen}"
    if isinstance(stack_check, StackCheck):
        yield from stack_check.open_notes
        yield from stack_check.spot_notes


def _used_defaults(stack_check: CheckResult) -> list[Default]:
    """Return the defaults that a stack file uses; none for other sources."""
    if not isinstance(stack_check, StackCheck):
        return []
    return [
        *stack_check.document.defaults,
        *built_in(stack_check.stack),
        *planning.open_defaults(stack_check.stack, stack_check.plan),
    ]


def count(group: Group) -> str:
    """Return how many machines a group has: a number, or the minimum and maximum."""
    if group.minimum == group.maximum:
        return str(group.maximum)
    return f"{group.minimum}–{group.maximum}"


def purchase_text(rung: Rung) -> str:
    """Return how a rung's machines are bought, with a pool's on-demand base first."""
    base = f"{rung.on_demand_base} on-demand + " if rung.on_demand_base else ""
    return f"{base}{rung.label}"


def _row(group: Group, quote: Quote) -> tuple[str, ...]:
    fabric_value = group.fabric
    fabric = format_count(str(fabric_value.interfaces), "interface") if fabric_value else "none"
    active = active_rung(quote, group.name)
    rung = group.rung if active is None else active.rung
    location = f"{', '.join(rung.zones) or rung.region}"
    # The region stands in `where`, and the whole label below, in the ladder.
    purchase = purchase_text(rung).partition("@")[0]
    if active is not None and active.skip_reason:
        purchase = "none: all excluded"
    return (group.name, group.purpose, count(group), rung.machine, location, purchase, fabric)
