"""A line of a quote as `cost` shows it, in its table and below it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from gpuinfra import cost as costs
from gpuinfra.cli.views.render import clean, money

_CENT: Final = Decimal("0.01")
_MARKS: Final = {"user": "yours ", "bound": "bound of "}


def row(line: costs.Line, sources: Mapping[str, int]) -> tuple[str, ...]:
    """A priced line by the columns of `cost --detail`."""
    quantity = "" if line.quantity is None else f"{line.quantity.quantize(_CENT).normalize():f}"
    return (
        clean(line.group or line.name),
        f"{line.kind} {line.item}{' (bound)' if line.origin == 'bound' else ''}",
        f"{quantity} {line.unit}".strip() or "–",
        "free" if line.status == "free" else money(line.rate),
        money(line.per_hour),
        money(line.per_month),
        line.as_of,
        origin(line, sources),
    )


def rate(line: costs.Line, sources: Mapping[str, int]) -> str:
    """An item of unknown quantity, with its rate where that is known."""
    owner = line.group or line.name
    of = f"{line.item} of {clean(owner)}"
    if line.rate is None:
        place = f" in {clean(line.region)}" if line.region not in {"", owner} else ""
        return f"+ rate not known: {of}{place}"
    return f"+ ${line.rate} per {line.unit}: {of}, {line.as_of} {origin(line, sources)}"


def origin(line: costs.Line, sources: Mapping[str, int]) -> str:
    """The number of a price's source, and whether it is the user's own or a bound."""
    if not line.source:
        return ""
    return f"{_MARKS.get(line.origin, '')}[{sources[line.source]}]"
