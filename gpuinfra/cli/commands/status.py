"""`gpuinfra status`: the deployed resources with cost, rung and age."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from gpuinfra import cost
from gpuinfra.api import checking
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.preparing import StatusResult, status_of
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.api.targets import kept_rungs
from gpuinfra.cli.commands.plan import count, purchase_text
from gpuinfra.cli.hints import clear_pending, command_of_source
from gpuinfra.cli.options import Detail, details
from gpuinfra.cli.source import format_options, load, plan_options, source_argument
from gpuinfra.cli.target_options import existing_target, existing_target_option
from gpuinfra.cli.views.cost_change_table import amount, costs, show_fallbacks
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.login_instructions import login_instructions
from gpuinfra.cli.views.render import clean, heading, show_json, show_line, show_table
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.cost.cost_rate_changes import REST_LABEL, WorkloadCostChange, movement
from gpuinfra.engine.contract import StackStatus
from gpuinfra.errors import InputError
from gpuinfra.model import Caps, Plan
from gpuinfra.report.summary import totals
from gpuinfra.rules.waivers import short_name
from gpuinfra.units import format_count, format_excess, hourly_unit, round_to_total

SINCE: Final = "since (UTC)"


@click.command("status")
@source_argument
@existing_target_option
@format_options
@plan_options
@details(
    "--verbose",
    "--quiet",
    verbose="Also list each resource, with its type and id.",
    quiet="Print only exceeded caps and pending operations.",
)
def command(
    source: Path,
    target: str | None,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    detail: Detail,
) -> int:
    """Show the deployed resources of SOURCE, read from the state, not from the file."""
    loaded = load(source, as_of=as_of, rung=rung, lock="silent")
    name = existing_target(target, loaded.document, detail, even_if_destroyed=True)
    status_result = status_of(loaded, name)
    if status_result.standing is None or status_result.plan is None or status_result.quote is None:
        if format_ == "json":
            show_json({"target": name, "standing": None})
        elif detail != "quiet":
            click.echo(f"{loaded.stack.name} [{name}]: nothing is deployed")
        return 0
    if format_ == "json":
        summary = _summary(status_result.standing)
        json_content = {
            "target": name,
            "standing": summary,
            "plan": status_result.plan,
            "quote": status_result.quote,
        }
        show_json(json_content)
    else:
        stack_status, quote = status_result.standing, status_result.quote
        if detail != "quiet":
            name_of = workload_finder(loaded.document)
            show(stack_status, name_of, status_result.plan, quote, loaded.plan.caps, detail)
            show_fallbacks(_on_deployed_rungs(status_result))
        advice = clear_pending(name)
        for line in problems(stack_status, quote, loaded.plan.caps, advice):
            click.secho(wrap_text(line, "  "), fg="red")
    return 0


def _on_deployed_rungs(result: StatusResult) -> StackCheck:
    """Return the stack file on the rungs of the last `up`; unchanged if a rung is gone."""
    check = result.check
    workloads = {group.name for group in check.plan.groups}
    deployed_rungs = {name: rung for name, rung in result.rungs.items() if name in workloads}
    rungs = {**deployed_rungs, **check.rungs}
    if rungs == check.rungs:
        return check
    try:
        return checking.check_on_rungs(check, rungs)
    except InputError:
        return check


def _summary(status: StackStatus) -> dict[str, object]:
    return {
        "updated": status.updated,
        "rungs": kept_rungs(status),
        "pending": status.pending,
        "resources": [
            {
                "urn": resource.resource.urn,
                "type": resource.resource.type,
                "id": resource.id,
                "created": resource.created,
                "deleting": resource.deleting,
            }
            for resource in status.resources
        ],
    }


def show(
    status: StackStatus,
    name_of: Callable[[str], str],
    plan: Plan,
    quote: cost.Quote,
    caps: Caps,
    detail: Detail,
) -> None:
    """Print the workloads with cost, rung and age, the totals and, with -v, each resource.

    `name_of` gives the workload to which a resource's name belongs; `plan` is the deployed plan.
    """
    deployed = format_count(len(status.resources), "resource")
    heading(f"{plan.name} [{status.target}]: {deployed} deployed")
    show_table(
        ("workload", "machines", "rung", "at most per hour", SINCE),
        list(_rows(status, name_of, plan, quote)),
        right=("at most per hour",),
    )
    more = f" (`{command_of_source('cost', '-v')}`)"
    click.echo(wrap_text(f"in total {'; '.join(totals(quote, caps, more))}", "  "))
    for line in (
        login_instructions(plan.groups, status.outputs) if status.target == "cloud" else ()
    ):
        show_line(line)
    if detail == "verbose":
        show_table(
            ("resource", "type", "id", SINCE),
            [
                (
                    resource.resource.name,
                    short_type(resource.resource.type),
                    resource.id,
                    _age(resource.created),
                )
                for resource in status.resources
            ],
        )
    for unjudged_type in plan.not_judged:
        click.echo(
            wrap_text(
                f"not checked: {clean(unjudged_type.type)} ({clean(unjudged_type.reason)})", "  "
            )
        )


def _rows(
    status: StackStatus, name_of: Callable[[str], str], plan: Plan, quote: cost.Quote
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each group, at the cost of its whole workload, then the others."""
    groups = {group.name for group in plan.groups}

    def workload_of_row(name: str) -> str:
        """Return the workload of a name; a group that the file does not name has its own row."""
        return name if name_of(name) == REST_LABEL and name in groups else name_of(name)

    since = {resource.resource.urn: resource.created for resource in status.resources}
    moves = movement(None, quote, workload_of_row).moves
    rates = dict(
        zip(
            (cost_change.workload for cost_change in moves),
            _hourly_rates(moves, quote),
            strict=True,
        )
    )
    free = {cost_change.workload for cost_change in moves if not costs(cost_change)}
    for group in plan.groups:
        row = workload_of_row(group.name)
        yield (
            row,
            f"{count(group)} × {group.rung.machine}",
            purchase_text(group.rung),
            # of several groups of a workload the first has the rate of all
            rates.pop(row, ""),
            _age(since.get(group.subject)),
        )
    for row, rate in rates.items():
        if row not in free:
            yield (row, "", "", rate, "")


def _hourly_rates(moves: Sequence[WorkloadCostChange], quote: cost.Quote) -> Iterator[str]:
    """Yield the hourly cost of each workload, as they add up to the total."""
    rates = [cost_change.after for cost_change in moves]
    known_rates = [None if rate is None else rate.per_hour for rate in rates]
    unit = hourly_unit((*known_rates, quote.per_hour.ceiling))
    for rate, cents in zip(
        rates, round_to_total(known_rates, quote.per_hour.ceiling, unit), strict=True
    ):
        yield amount(rate, "per_hour", cents)


def problems(status: StackStatus, quote: cost.Quote, caps: Caps, advice: str) -> Iterator[str]:
    """Yield the exceeded caps, and the operations without a known outcome.

    `advice` says what to do about such operations.
    """
    for line in above_caps(quote, caps):
        yield f"✗ {line}"
    for pending in status.pending:
        name = short_name(pending.urn)
        yield f"pending: {pending.operation} {short_type(pending.type)} {clean(name)}"
    if status.pending:
        yield advice


def above_caps(quote: cost.Quote, caps: Caps) -> Iterator[str]:
    """Yield a line for each cap that the deployed resources exceed."""
    spans = (
        ("hour", quote.per_hour, caps.per_hour),
        ("month", quote.per_month, caps.per_month),
        ("run", quote.per_run, caps.per_run),
    )
    for span, total, cap in spans:
        if total is not None and cap is not None and total.ceiling > cap:
            amount, most = format_excess(total.ceiling, cap)
            yield (f"the deployed resources may cost {amount} per {span}, above the cap of {most}")


def _age(created: datetime | None) -> str:
    return created.strftime("%Y-%m-%d %H:%M") if created else "–"
