"""Two quotes side by side, as a table, as Markdown for a pull request, or as JSON."""

import click

from gpuinfra.cli.views.render import clean, heading, show_json, show_table
from gpuinfra.cost import compare as comparing
from gpuinfra.report import difference, markup
from gpuinfra.report.difference import COLUMNS, RIGHT, TOTALS
from gpuinfra.report.difference import headline as headline  # noqa: PLC0414


def show(name: str, comparison: comparing.Comparison, format_: str) -> None:
    """Print a comparison in one of its forms: table, markdown or json."""
    if format_ == "json":
        show_json(
            {"stack": name, "headline": headline(comparison), "comparison": shown(comparison)}
        )
    elif format_ == "markdown":
        click.echo(as_markdown(name, comparison))
    else:
        _show_table(name, comparison)


def shown(comparison: comparing.Comparison) -> dict[str, object]:
    """A comparison as JSON has it: each change with its sign and what it adds."""
    return {
        "same": comparison.same,
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
                "standing": total.standing,
            }
            for total in comparison.totals
        ],
        "rungs": comparison.rungs,
        "unpriced_before": comparison.unpriced_before,
        "unpriced_after": comparison.unpriced_after,
    }


def as_markdown(name: str, comparison: comparing.Comparison) -> str:
    """A comment for a pull request; begins with a marker that stays the same."""
    title = f"### {markup.code(name)}: {headline(comparison)}"
    foot = (
        "Prices in USD without tax or support plans. `gpuinfra cost` has their dates and sources."
    )
    parts = (markup.marker("cost", name), title, *difference.as_markdown(comparison), foot)
    return "\n\n".join(parts)


def _show_table(name: str, comparison: comparing.Comparison) -> None:
    heading(f"{clean(name)}: {headline(comparison)}")
    if comparison.changes:
        show_table(COLUMNS, difference.rows(comparison), right=RIGHT)
    if not comparison.same:
        show_table(TOTALS, difference.totals(comparison), right=TOTALS[1:])
    for rung in comparison.rungs:
        click.echo(clean(str(rung)))
    for words, one in difference.unpriced(comparison):
        click.secho(f"{words} {clean(one)}", fg="red")
