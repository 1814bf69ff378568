"""The result of `gpuinfra choose` as text and JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from gpuinfra.api.choosing import by_machine
from gpuinfra.catalog import Candidate, Choice, NothingFits, PriceBook, RejectedMachine, Request
from gpuinfra.catalog.choosing.guide_advice import AdviceItem, advice
from gpuinfra.catalog.choosing.near_misses import NearMiss
from gpuinfra.catalog.choosing.request import FIGURE_TITLES
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.continuous_use_cost import tiered_cost
from gpuinfra.catalog.price_book import CURRENCY
from gpuinfra.catalog.rates import ON_DEMAND, row_rate
from gpuinfra.cli.hints import command_with
from gpuinfra.cli.views.choice_notes import (
    ages,
    assumption_lines,
    bounds,
    footnotes,
    memory_need_of_winner,
    price_dates_text,
    region_notes,
    show_model,
    spot_at_maximum,
)
from gpuinfra.cli.views.choice_ranking import relaxed_saving_text, show_ranking
from gpuinfra.cli.views.render import show_json, show_line, show_table
from gpuinfra.units import format_count, format_money, format_unit_price
from gpuinfra.units.message_merging import first_in_words

MAX_SHOWN_MACHINES: Final = 12


def as_json(request: Request, choice: Choice, near_misses: Sequence[NearMiss]) -> None:
    """Print the whole result as JSON."""
    show_json(
        {
            "by": request.by,
            "unit": FIGURE_TITLES[request.by],
            "winner": choice.winner,
            "ranked": choice.ranked,
            "losers": choice.losers,
            "near_misses": near_misses,
            "advice": _advice(choice.winner),
            "need": memory_need_of_winner(request, choice.winner),
        }
    )


def print_closest(request: Request, why: NothingFits, format_: str) -> None:
    """Print the closest machines where none fits."""
    if format_ == "json":
        show_json(
            {
                "by": request.by,
                "unit": FIGURE_TITLES[request.by],
                "winner": None,
                "ranked": (),
                "losers": why.losers,
                "near_misses": (),
                "advice": (),
                "need": None,
            }
        )
        return
    _show_rejected(request, tuple(_by_reason(why.nearest)), "closest")


def table(
    request: Request,
    choice: Choice,
    near_misses: Sequence[NearMiss],
    book: PriceBook,
    day: date,
    *,
    full: bool = False,
) -> None:
    """Print what is assumed, the ranking, notes on the winner, and demands to relax.

    With `full` every machine that fits, the memory of a model, and why the others lost.
    """
    candidates_by_machine = by_machine(choice.ranked)
    best = {key: next(iter(candidates)) for key, candidates in candidates_by_machine.items()}
    shown_options = choice.ranked if full else tuple(best.values())[:MAX_SHOWN_MACHINES]
    assumed, *sized = assumption_lines(request, choice.winner, full=full)
    show_line(assumed)
    dated = show_ranking(request, shown_options, {} if full else candidates_by_machine)
    for line in sized:
        show_line(line)
    notes = (
        *(() if full else region_notes(shown_options, candidates_by_machine, dated=dated)),
        *(() if dated else price_dates_text(shown_options)),
        *bounds(shown_options),
        *spot_at_maximum(shown_options, book),
    )
    for line in (*notes, *footnotes(request, choice, shown_options), *ages(shown_options, day)):
        show_line(line)
    _against_on_demand(request, choice.winner, book)
    for item in _advice(choice.winner):
        if full or not item.is_met:
            mark = {True: "✓", False: "!", None: "?"}[item.is_met]
            show_line(f"{mark} {choice.winner.machine.type}, {item}")
    if full:
        show_model(request, choice.winner)
    for miss in near_misses:
        show_line(relaxed_saving_text(miss))
    if full:
        _show_rejected(request, choice.losers, "lost")
    else:
        show_line(_left_out(len(candidates_by_machine), len(choice.losers)))


def _left_out(types: int, rejected_count: int) -> str:
    """Return how much the short answer omits, with the command that shows all."""
    fit = max(0, types - MAX_SHOWN_MACHINES)
    unfit = (
        format_count(rejected_count, "other doesn't fit", "others don't fit")
        if rejected_count
        else ""
    )
    parts = (format_count(fit, "more fits", "more fit") if fit else "", unfit)
    omissions = ", ".join(part for part in parts if part)
    return (
        f"{omissions}: {command_with('--all')}"
        if omissions
        else f"all of it: {command_with('--all')}"
    )


def _against_on_demand(request: Request, winner: Candidate, book: PriceBook) -> None:
    """Print what a run costs without a commitment, and if its price is not below on demand."""
    machine = winner.machine
    list_price = book.on_demand(machine.cloud, machine.type, winner.region)
    if term(winner.mode) is None or list_price is None or winner.per_hour is None:
        return
    if winner.per_run is not None and request.hours is not None:
        rate = row_rate(list_price, ON_DEMAND)
        run = tiered_cost(request.hours, rate.amount, rate.tiers) * winner.machines
        show_line(f"without a commitment: {format_money(run)} for the run, on demand")
    if winner.currency == CURRENCY and list_price.per_unit <= winner.per_hour:
        show_line(
            f"! {winner.mode} of {machine.type} is a price of {winner.as_of}; on demand it costs"
            f" {format_unit_price(list_price.per_unit)} an hour ({list_price.as_of})"
        )


def _show_rejected(request: Request, rejected: Sequence[RejectedMachine], title: str) -> None:
    has_several_clouds = len(request.clouds) > 1
    show_table(
        (title, *(("cloud",) if has_several_clouds else ()), "constraint", "because"),
        [
            (
                rejection.machine,
                *((rejection.cloud,) if has_several_clouds else ()),
                rejection.constraint.replace("_", " "),
                rejection.reason,
            )
            for rejection in rejected
        ],
    )


def _by_reason(losers: Sequence[RejectedMachine]) -> Iterator[RejectedMachine]:
    """Yield one machine for each reason, and how many more have the same."""
    similar: dict[tuple[str, str], list[RejectedMachine]] = {}
    for loser in losers:
        similar.setdefault((loser.cloud, loser.reason.replace(loser.machine, "")), []).append(
            loser
        )
    for same in similar.values():
        types = [loser.machine for loser in same]
        yield replace(same[0], machine=first_in_words(types, 1))


def _advice(winner: Candidate) -> tuple[AdviceItem, ...]:
    return advice(winner.machine, winner.machines)
