"""Outdated list prices, and the caps that would be exceeded if they doubled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import earliest
from gpuinfra.catalog.fact_age import none_of_day
from gpuinfra.cost.networks import Place
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import ZERO, CostSum, Line, Quote, Span, Total, add
from gpuinfra.cost.rungs import PricedLadder, ceiling
from gpuinfra.model import Caps
from gpuinfra.units import format_count, format_excess

UNDATED: Final = "undated"

RISE: Final = 2
"""How many times an outdated price may have risen, where that decides whether a cap holds."""

NEGLIGIBLE_SHARE: Final = Decimal("0.001")
"""The share of a cost below which its outdated part is only noted.

A tenth of a percent more, if they doubled: spot prices and estimates of usage are less certain.
"""


def is_outdated(line: Line, terms: PricingTerms) -> bool:
    """Return whether a line's price is too old, undated or in the future; the user's never is."""
    return not line.has_no_age and terms.is_outdated(line.as_of)


def _ceilings(
    ladders: Sequence[PricedLadder], rest_total: CostSum, networks: Mapping[Place, CostSum]
) -> dict[Span, Decimal]:
    """Return the cost that counts against each cap: per hour, per month, and highest per run."""
    run_maxima = [
        max(step.total.per_run for step in ladder.remaining_steps)
        for ladder in ladders
        if ladder.group.needs.hours is not None
    ]
    return {
        "per_hour": ceiling(ladders, rest_total, networks, "per_hour"),
        "per_month": ceiling(ladders, rest_total, networks, "per_month"),
        "per_run": max(run_maxima, default=ZERO),
    }


def if_doubled(
    ladders: Sequence[PricedLadder],
    other_lines: Iterable[Line],
    networks: Mapping[Place, Iterable[Line]],
    terms: PricingTerms,
) -> dict[Span, Decimal]:
    """Return the maximum cost per span if the outdated prices had doubled."""
    risen = [
        replace(
            ladder,
            steps=tuple(
                replace(step, total=_with_doubled_prices(step.lines, terms))
                for step in ladder.steps
            ),
        )
        for ladder in ladders
    ]
    sums = {place: _with_doubled_prices(lines, terms) for place, lines in networks.items()}
    return _ceilings(risen, _with_doubled_prices(other_lines, terms), sums)


def caps_at_risk(
    caps: Caps, totals_before: Mapping[Span, Decimal], totals_after: Mapping[Span, Decimal]
) -> tuple[str, ...]:
    """Return the caps that hold now, and would be exceeded if outdated prices doubled."""
    limits: dict[Span, Decimal | None] = {key: getattr(caps, key) for key in totals_after}
    excesses = {
        key: format_excess(totals_after[key], cap)
        for key, cap in limits.items()
        if cap is not None and totals_before[key] <= cap < totals_after[key]
    }
    return tuple(
        f"up to {amount} {key.replace('_', ' ')} if they had doubled, above the cap of {most}"
        for key, (amount, most) in excesses.items()
    )


def are_negligible(quote: Quote) -> bool:
    """Return whether no cap would be exceeded, and hardly a total changed, if they doubled.

    False where no price is outdated, and where the change is unknown.
    """
    totals: dict[Span, Total | None] = {key: getattr(quote, key) for key in quote.doubled}
    return bool(quote.doubled and not quote.at_risk) and all(
        quote.doubled[key] <= total.ceiling * (1 + NEGLIGIBLE_SHARE)
        for key, total in totals.items()
        if total is not None
    )


def _with_doubled_prices(lines: Iterable[Line], terms: PricingTerms) -> CostSum:
    """Return the sum of the lines with the outdated prices doubled."""
    return add(
        replace(
            line,
            per_hour=line.per_hour * RISE,
            per_month=None if line.per_month is None else line.per_month * RISE,
            per_run=None if line.per_run is None else line.per_run * RISE,
        )
        if line.per_hour is not None and is_outdated(line, terms)
        else line
        for line in lines
    )


def oldest(lines: Sequence[Line]) -> str:
    """Return the earliest date of the list prices of lines; empty where none has an age."""
    dated = [line.as_of for line in lines if not line.has_no_age]
    if any(earliest(value) is None for value in dated):
        return UNDATED
    return min(dated, key=lambda value: earliest(value) or date.min, default="")


def outdated_notes(outdated: Sequence[Line], terms: PricingTerms) -> Iterator[str]:
    """Yield a note on the number of outdated list prices, and why they count all the same."""
    if not outdated:
        return
    items = len({(line.item, line.region) for line in outdated})
    age_note = none_of_day((line.as_of for line in outdated), terms.as_of) or (
        f"{format_count(items, 'list price is', 'list prices are')} older than"
        f" {terms.outdated_after_days} days, the oldest of {oldest(outdated)}"
    )
    accepted = "accepted (prices: accept_outdated)" if terms.accept_outdated else ""
    yield f"{age_note}; {accepted or 'no cap of the stack would be exceeded if they had doubled'}"
