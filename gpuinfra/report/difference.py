"""What became of a quote, in words, and as Markdown for a pull request."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra import cost
from gpuinfra.cost import compare as comparing
from gpuinfra.report import markup
from gpuinfra.units import format_money

COLUMNS: Final = ("", "of", "line", "before", "after", "$/h", "$/month")
RIGHT: Final = ("$/h", "$/month")
MINUS: Final = "\N{MINUS SIGN}"
TOTALS: Final = (
    *("", "ceiling before", "after", "change"),
    *("as it was before", "after", "change"),
)


def headline(found: comparing.Comparison) -> str:
    """What a reader has to know first: by how much the maximum cost changed.

    A total that leaves out a part without a price is a minimum, and by how much it changed is not
    known.
    """
    now = len(found.unpriced_after)
    if found.same:
        return f"no change in cost; {_parts(now)} no price" if now else "no change in cost"
    there = [one for one in found.totals if one.before is not None or one.after is not None]
    if now or found.unpriced_before:
        sums = (f"{' → '.join(_sums(one))} USD per {one.span}" for one in there)
        what = f"maximum cost: {', '.join(sums)}; {_missing(found)}"
    elif any(one.ceiling for one in there):
        moves = (f"{signed(one.ceiling)} USD per {one.span}" for one in there)
        what = f"maximum cost changes by {', '.join(moves)}"
    else:
        what = "maximum cost unchanged"
    return f"{what}{_struck(found)}"


def as_markdown(found: comparing.Comparison) -> Iterator[str]:
    """Its tables, and what the totals leave out; each part is a block of its own."""
    if not found.same:
        yield markup.table(TOTALS, totals(found), TOTALS[1:])
    if found.changes:
        cells = ([row[0], *map(markup.cell, row[1:5]), *row[5:]] for row in rows(found))
        yield markup.table(COLUMNS, cells, RIGHT)
    for rung in found.rungs:
        yield markup.code(str(rung))
    for words, one in unpriced(found):
        yield f"**{words}** {markup.code(one)}"


def rows(found: comparing.Comparison) -> Iterator[Sequence[str]]:
    """Each change by `COLUMNS`."""
    for one in found.changes:
        line = one.line
        yield (
            one.sign,
            line.group or line.name,
            f"{line.kind} {line.item}{f' in {line.region}' if line.region else ''}",
            _figure(one.before),
            _figure(one.after),
            signed(one.per_hour),
            signed(one.per_month),
        )


def totals(found: comparing.Comparison) -> Iterator[Sequence[str]]:
    """Each total by `TOTALS`."""
    for one in found.totals:
        if one.before is None and one.after is None:
            continue
        yield (
            f"per {one.span}",
            *_sums(one),
            signed(one.ceiling),
            *_sums(one, standing=True),
            signed(one.standing),
        )


def unpriced(found: comparing.Comparison) -> Iterator[tuple[str, str]]:
    """What the totals leave out, so that a missing price is not taken for a saving."""
    for one in found.unpriced_after:
        new = one not in found.unpriced_before
        yield ("price no longer known:" if new else "price unknown:"), one
    for one in found.unpriced_before:
        if one not in found.unpriced_after:
            yield "had no price before:", one


def _figure(line: cost.Line | None) -> str:
    """Quantity times unit price, or why there is none."""
    if line is None:
        return ""
    if line.status == "rate":
        return "rate unknown" if line.rate is None else f"{line.rate} per {line.unit}"
    if line.quantity is None or line.rate is None:
        return {"unpriced": "price unknown"}.get(line.status, line.status)
    quantity = line.quantity.quantize(Decimal("0.01")).normalize()
    return f"{quantity:f} × {format_money(line.rate)}"


def _parts(count: int) -> str:
    return f"{count} part{' has' if count == 1 else 's have'}"


def _missing(found: comparing.Comparison) -> str:
    """How many parts the totals leave out, and how many those before left out."""
    then, now = len(found.unpriced_before), len(found.unpriced_after)
    if not now:
        return f"{then} part{'' if then == 1 else 's'} had no price before"
    return f"{_parts(now)} no price ({then} before)"


def _struck(found: comparing.Comparison) -> str:
    """How many rungs may stand no more, or may again: why a ceiling goes against the lines."""
    gone = sum(one.struck is not None for one in found.rungs)
    back = len(found.rungs) - gone
    said = [f"{gone} rung{'' if gone == 1 else 's'} excluded"] if gone else []
    said += [f"{back} rung{'' if back == 1 else 's'} available again"] if back else []
    return f" ({', '.join(said)})" if said else ""


def _sums(one: comparing.Shift, *, standing: bool = False) -> tuple[str, str]:
    """A total before and after, each as the least that it may be where a price is missing."""
    sides = ((one.before, one.whole_before), (one.after, one.whole_after))
    before, after = (_sum(total, whole, standing=standing) for total, whole in sides)
    return before, after


def _sum(total: cost.Total | None, whole: bool, *, standing: bool) -> str:
    if total is None:
        return "–"
    shown = format_money(total.standing if standing else total.ceiling)
    return shown if whole else f"at least {shown}"


def signed(amount: Decimal | None) -> str:
    """An amount with its sign; a question mark where it is not known."""
    if amount is None:
        return "?"
    if not amount:
        return "0"
    return f"{'+' if amount > 0 else MINUS}{format_money(abs(amount))}"
