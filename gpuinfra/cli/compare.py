"""Two quotes side by side, as a table, as Markdown for a pull request, or as JSON."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import click

from gpuinfra import cost
from gpuinfra.cli import markdown
from gpuinfra.cli.render import clean, heading, money, show_json, show_table
from gpuinfra.units import format_money

COLUMNS = ("", "of", "line", "before", "after", "$/h", "$/month")
RIGHT = ("$/h", "$/month")
MINUS = "\N{MINUS SIGN}"
TOTALS = ("", "ceiling before", "after", "change", "as it stands before", "after", "change")


def show(name: str, found: cost.Comparison, format_: str) -> None:
    """Print a comparison in one of its forms: table, markdown or json."""
    if format_ == "json":
        show_json({"stack": name, "headline": headline(found), "comparison": shown(found)})
    elif format_ == "markdown":
        click.echo(as_markdown(name, found))
    else:
        _show_table(name, found)


def headline(found: cost.Comparison) -> str:
    """What a reader has to know first: by how much the most that it may cost changed."""
    if found.same:
        return "no change in cost"
    parts = [
        f"{_signed(one.ceiling)} USD per {one.span}"
        for one in found.totals
        if one.before is not None or one.after is not None
    ]
    if not any(one.ceiling for one in found.totals):
        return "the most it may cost stays the same"
    return f"the most it may cost changes by {', '.join(parts)}"


def shown(found: cost.Comparison) -> dict[str, object]:
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
        "unpriced_before": found.unpriced_before,
        "unpriced_after": found.unpriced_after,
    }


def as_markdown(name: str, found: cost.Comparison) -> str:
    """A comment for a pull request; begins with a marker that stays the same."""
    parts = [markdown.marker(name), f"### {markdown.code(name)}: {headline(found)}"]
    if not found.same:
        parts.append(markdown.table(TOTALS, _totals(found), TOTALS[1:]))
    if found.changes:
        rows = ([row[0], *map(markdown.cell, row[1:5]), *row[5:]] for row in _rows(found))
        parts.append(markdown.table(COLUMNS, rows, RIGHT))
    parts += [f"**{words}** {markdown.code(one)}" for words, one in _unpriced(found)]
    parts.append("Prices in USD without tax. `gpuinfra cost` has their dates and sources.")
    return "\n\n".join(parts)


def _show_table(name: str, found: cost.Comparison) -> None:
    heading(f"{clean(name)}: {headline(found)}")
    if found.same:
        return
    if found.changes:
        show_table(COLUMNS, _rows(found), right=RIGHT)
    show_table(TOTALS, _totals(found), right=TOTALS[1:])
    for words, one in _unpriced(found):
        click.secho(f"{words} {clean(one)}", fg="red")


def _rows(found: cost.Comparison) -> Iterator[Sequence[str]]:
    for one in found.changes:
        line = one.line
        yield (
            one.sign,
            line.group or line.name,
            f"{line.kind} {line.item}{f' in {line.region}' if line.region else ''}",
            _figure(one.before),
            _figure(one.after),
            _signed(one.per_hour),
            _signed(one.per_month),
        )


def _totals(found: cost.Comparison) -> Iterator[Sequence[str]]:
    for one in found.totals:
        if one.before is None and one.after is None:
            continue
        yield (
            f"per {one.span}",
            *(money(total.ceiling if total else None) for total in (one.before, one.after)),
            _signed(one.ceiling),
            *(money(total.standing if total else None) for total in (one.before, one.after)),
            _signed(one.standing),
        )


def _unpriced(found: cost.Comparison) -> Iterator[tuple[str, str]]:
    """What the totals leave out, so that nobody takes a missing price for a saving."""
    for one in found.unpriced_after:
        new = one not in found.unpriced_before
        yield ("no price known any more:" if new else "no price known:"), one
    for one in found.unpriced_before:
        if one not in found.unpriced_after:
            yield "had no price before:", one


def _figure(line: cost.Line | None) -> str:
    """Quantity times unit price, or why there is none."""
    if line is None:
        return ""
    if line.status == "rate":
        return "rate not known" if line.rate is None else f"{line.rate} per {line.unit}"
    if line.quantity is None or line.rate is None:
        return {"unpriced": "no price known"}.get(line.status, line.status)
    quantity = line.quantity.quantize(Decimal("0.01")).normalize()
    return f"{quantity:f} × {format_money(line.rate)}"


def _signed(amount: Decimal) -> str:
    """An amount with its sign."""
    if not amount:
        return "0"
    return f"{'+' if amount > 0 else MINUS}{format_money(abs(amount))}"
