"""A line of a quote as `cost` shows it, in its table and below it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuinfra import cost as costs
from gpuinfra.cli.views.render import clean, money
from gpuinfra.cost.breakdown import FallbackCost
from gpuinfra.model import Group
from gpuinfra.report.summary import binary, hours, quantity

_MARKS: Final = {"user": "yours ", "bound": "bound of "}


def row(line: costs.Line, sources: Mapping[str, int], quote: costs.Quote) -> tuple[str, ...]:
    """A priced line by the columns of `cost --detail`."""
    bound = " (bound)" if line.origin == "bound" else ""
    return (
        clean(line.group or line.name),
        f"{line.kind} {line.item}{bound}{hours(line.per_hour, line.per_month)}",
        quantity(line, quote) or "–",
        "free" if line.status == "free" else money(line.rate),
        money(line.per_hour),
        money(line.per_month),
        line.as_of,
        origin(line, sources),
    )


def update_machines(groups: Iterable[Group]) -> Iterator[str]:
    """Of how many machines of a pool run only during an update."""
    for group in groups:
        more, most = group.lifecycle.surge, group.maximum
        if isinstance(more, int) and isinstance(most, int) and most and more:
            yield (
                f"{clean(group.name)}: {most + more} machines are its maximum of {most} and"
                f" {more} more during an update"
            )


def fallback(part: FallbackCost, quote: costs.Quote) -> tuple[str, ...]:
    """What the dearest rung that may be stepped onto adds to the one that is built."""
    rung = part.rung or "the most expensive rungs"
    built = next(
        (
            each.rung.label
            for each in quote.rungs
            if each.group == part.group and each.index == quote.standing[part.group]
        ),
        "",
    )
    if built.rpartition("@")[2] == rung.rpartition("@")[2]:
        built, rung = built.rpartition("@")[0], rung.rpartition("@")[0]
    words = f"{rung} instead of {built or 'the first'}{hours(part.per_hour, part.per_month)}"
    return (part.group, words, "", "", money(part.per_hour), money(part.per_month), "", "")


def rate(line: costs.Line, sources: Mapping[str, int]) -> str:
    """An item of unknown quantity, with its rate where that is known."""
    owner = line.group or line.name
    of = f"{line.item} of {clean(owner)}"
    if line.rate is None:
        place = f" in {clean(line.region)}" if line.region not in {"", owner} else ""
        return f"+ rate not known: {of}{place}"
    return f"+ ${line.rate} per {binary(line.unit)}: {of}, {line.as_of} {origin(line, sources)}"


def origin(line: costs.Line, sources: Mapping[str, int]) -> str:
    """The number of a price's source, and whether it is the user's own or a bound."""
    if not line.source:
        return ""
    return f"{_MARKS.get(line.origin, '')}[{sources[line.source]}]"
