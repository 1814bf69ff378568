"""Two quotes side by side, as a table, as Markdown for a pull request, or as JSON."""

import click

from gpuinfra.cli.render import clean, heading, show_json, show_table
from gpuinfra.cost import compare as comparing
from gpuinfra.report import difference, markup
from gpuinfra.report.difference import COLUMNS, RIGHT, TOTALS
from gpuinfra.report.difference import headline as headline  # noqa: PLC0414


def show(name: str, found: comparing.Comparison, format_: str) -> None:
    """Print a comparison in one of its forms: table, markdown or json."""
    if format_ == "json":
        show_json({"stack": name, "headline": headline(found), "comparison": shown(found)})
    elif format_ == "markdown":
        click.echo(as_markdown(name, found))
    else:
        _show_table(name, found)


def shown(found: comparing.Comparison) -> dict[str, object]:
    """A comparison as JSON has it: each change with its sign and what it adds."""
    return {
        "same": found.same,
        "changes": [
            {
                "sign": one.sign,
                "per_hour": one.per_hour,
                "per_month": one.per_month,
                "before": one.before,
                "after": one.after,
            }
            for one in found.changes
        ],
        "totals": [
            {
                "span": one.span,
                "before": one.before,
                "after": one.after,
                "ceiling": one.ceiling,
                "standing": one.standing,
            }
            for one in found.totals
        ],
        "rungs": found.rungs,
        "unpriced_before": found.unpriced_before,
        "unpriced_after": found.unpriced_after,
    }


def as_markdown(name: str, found: comparing.Comparison) -> str:
    """A comment for a pull request; begins with a marker that stays the same."""
    title = f"### {markup.code(name)}: {headline(found)}"
    foot = (
        "Prices in USD without tax or support plans. `gpuinfra cost` has their dates and sources."
    )
    parts = (markup.marker("cost", name), title, *difference.as_markdown(found), foot)
    return "\n\n".join(parts)


def _show_table(name: str, found: comparing.Comparison) -> None:
    heading(f"{clean(name)}: {headline(found)}")
    if found.changes:
        show_table(COLUMNS, difference.rows(found), right=RIGHT)
    if not found.same:
        show_table(TOTALS, difference.totals(found), right=TOTALS[1:])
    for rung in found.rungs:
        click.echo(clean(str(rung)))
    for words, one in difference.unpriced(found):
        click.secho(f"{words} {clean(one)}", fg="red")
