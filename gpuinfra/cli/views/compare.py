"""Two quotes compared, as a table, as Markdown for a pull request, or as JSON."""

from typing import Final

import click

from gpuinfra.cli.options import Detail
from gpuinfra.cli.views import cost_change_table
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, heading, show_json, show_line, show_table
from gpuinfra.cost import compare as comparing
from gpuinfra.cost.cost_rate_changes import CostMovement
from gpuinfra.report import markup, quote_diff
from gpuinfra.report.quote_diff import COLUMNS, RIGHT
from gpuinfra.report.quote_diff import headline as headline  # noqa: PLC0414
from gpuinfra.units import UNKNOWN_CHANGE

AS_PLANNED: Final = "as planned; the maximum below also counts fallbacks"
"""The caption of a table whose total is not the change of the maximum cost."""


def show(
    name: str,
    comparison: comparing.Comparison,
    format_: str,
    movement: CostMovement,
    detail: Detail = "normal",
) -> None:
    """Print a comparison as a table, Markdown or JSON.

    Args:
        name: of the stack.
        comparison: of two quotes.
        format_: the form.
        movement: the same two by workload.
        detail: of the table, "verbose" for the lines of the quotes, too.
    """
    if format_ == "json":
        show_json(
            {
                "stack": name,
                "headline": headline(comparison),
                "comparison": comparison_json(comparison),
            }
        )
    elif format_ == "markdown":
        click.echo(as_markdown(name, comparison))
    else:
        _show_table(name, comparison, movement, full=detail == "verbose")


def comparison_json(comparison: comparing.Comparison) -> dict[str, object]:
    """Return a comparison as JSON: each change with its sign and amount."""
    return {
        "same": comparison.is_unchanged,
        "changes": [
            {
                "sign": change.sign,
                "per_hour": change.per_hour,
                "per_month": change.per_month,
                "before": change.before,
                "after": change.after,
            }
            for change in comparison.changes
        ],
        "totals": [
            {
                "span": total.span,
                "before": total.before,
                "after": total.after,
                "ceiling": total.ceiling,
                "standing": total.active_rung_cost,
            }
            for total in comparison.totals
        ],
        "rungs": comparison.rungs,
        "unpriced_before": comparison.unpriced_before,
        "unpriced_after": comparison.unpriced_after,
    }


def as_markdown(name: str, comparison: comparing.Comparison) -> str:
    """Return a pull request comment; its first line is a constant marker."""
    title = f"### {markup.code(name)}: {markup.text(headline(comparison))}"
    foot = "Prices without tax or support plans. `gpuinfra cost` has their dates and sources."
    parts = (markup.marker("cost", name), title, *quote_diff.as_markdown(comparison), foot)
    return "\n\n".join(parts)


def _show_table(
    name: str, comparison: comparing.Comparison, movement: CostMovement, *, full: bool
) -> None:
    heading(wrap_text(f"{clean(name)}: {headline(comparison)}", "  "))
    columns, totals = quote_diff.totals_table(comparison)
    has_fallbacks = columns == quote_diff.TOTALS
    if not movement.is_unchanged:
        cost_change_table.show(movement, AS_PLANNED if has_fallbacks else "")
    if comparison.changes and full:
        _show_lines(comparison)
    if not comparison.is_unchanged and full:
        show_table(columns, totals, right=columns[1:])
    elif not comparison.is_unchanged:
        maxima = quote_diff.maxima(comparison, with_fallbacks=has_fallbacks)
        click.echo(wrap_text(f"{maxima} (-v)", "  "))
    for rung in comparison.rungs:
        show_line(str(rung))
    for item_text, subject in quote_diff.unpriced_items(comparison):
        click.secho(wrap_text(f"{item_text} {clean(subject)}", "  "), fg="red")


def _show_lines(comparison: comparing.Comparison) -> None:
    """Print the lines that changed; below them those without a known cost."""
    rows = list(quote_diff.rows(comparison))
    show_table(COLUMNS, [row for row in rows if row[-1] != UNKNOWN_CHANGE], right=RIGHT)
    for sign, workload, line, cost_before, cost_after, *_ in [
        row for row in rows if row[-1] == UNKNOWN_CHANGE
    ]:
        change_text = " → ".join(filter(None, (cost_before, cost_after)))
        show_line(f"{sign} {workload}: {line}: {change_text}")
