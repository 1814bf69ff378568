"""The user's own inputs that affected a result; every report starts with them."""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.cost import Line, Quote
from gpuinfra.report.report import Report, cut, first_names
from gpuinfra.report.summary import count_or_empty
from gpuinfra.units import format_unit_price

_MAX_NAMES: Final = 4
"""The maximum number of names of a kind."""


def influence_phrases(report: Report) -> tuple[str, ...]:
    """Return a phrase for each: waivers, own prices and doubts, accepted ages, bounds."""
    return tuple(_influences(report))


def sentence(report: Report) -> str:
    """Return all influences in one line; empty if there are none."""
    phrases = influence_phrases(report)
    return f"influenced by: {'; '.join(phrases)}" if phrases else ""


def _influences(report: Report) -> Iterator[str]:
    if report.waived_findings:
        rules = _names_text(entry.finding.rule for entry in report.waived_findings)
        yield f"{count_or_empty(len(report.waived_findings), 'finding')} waived ({rules})"
    if report.quote is not None:
        yield from _money_inputs(report.quote)
    yield from (cut(doubt) for doubt in report.doubts[:_MAX_NAMES])


def _money_inputs(quote: Quote) -> Iterator[str]:
    own_lines = [line for line in quote.lines if line.origin == "user"]
    if own_lines:
        prices = _names_text(map(_price, own_lines))
        yield f"{count_or_empty(len(own_lines), 'line')} at your own prices ({prices})"
    if quote.outdated and quote.accept_outdated:
        lines = count_or_empty(len(quote.outdated), "line")
        yield f"{lines} at outdated list prices, the oldest of {quote.oldest} (accept_outdated)"
    if quote.bounded:
        items = _names_text(line.item for line in quote.bounded)
        yield f"{count_or_empty(len(quote.bounded), 'line')} counted at a bound ({items})"
    uncounted_lines = [line for line in quote.lines if line.status == "not-counted"]
    if uncounted_lines:
        types = _names_text(line.item for line in uncounted_lines)
        count = count_or_empty(len(uncounted_lines), "line")
        yield f"{count} without a price not counted ({types})"


def _price(line: Line) -> str:
    rate = "" if line.rate is None else f" {format_unit_price(line.rate)}/{line.unit}"
    return f"{line.item}{rate}"


def _names_text(names: Iterable[str]) -> str:
    return first_names(names, _MAX_NAMES)
