"""The result of `gpuinfra choose` as text and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

import click

from gpuinfra.api.choosing import by_machine, has_one_price
from gpuinfra.catalog import Candidate, Choice, NothingFits, PriceBook, RejectedMachine, Request
from gpuinfra.catalog.choosing.guide_advice import AdviceItem, advice
from gpuinfra.catalog.choosing.machine_constraints import tflops
from gpuinfra.catalog.choosing.near_misses import PER_GPU, NearMiss
from gpuinfra.catalog.choosing.request import FIGURE_TITLES, PRECISIONS
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.fact_age import is_outdated, none_of_day
from gpuinfra.catalog.price_book import CURRENCY
from gpuinfra.catalog.sizing.machine_fit import gpu_memory_gb, memory_need, rule_of_thumb
from gpuinfra.cli.hints import command_with
from gpuinfra.cli.views import model_work_price
from gpuinfra.cli.views.layout import is_shown, wrap_text
from gpuinfra.cli.views.render import clean, show_json, show_table
from gpuinfra.clouds import CLOUDS
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.report.run_words import bound_mark, bounded_by
from gpuinfra.units import format_count, format_money, format_percent, format_unit_price

MAX_SHOWN_MACHINES: Final = 12
MAX_NAMED_REGIONS: Final = 6
"""Regions that are named one by one."""

DATES: Final = "price of"
SPARE: Final = (DATES, "per GPU", "GPUs")
"""Columns that are left out where there is no room, the first one first."""

ONE_PRICE: Final = "one price"
NOT_BUILT: Final = "°"
YOURS: Final = "†"


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
            "need": _memory_need_json(request, choice.winner),
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
    _show_rejected(request, why.nearest, "closest")


def table(
    request: Request,
    choice: Choice,
    near_misses: Sequence[NearMiss],
    book: PriceBook,
    day: date,
    *,
    full: bool = False,
) -> None:
    """Print the assumptions, the ranking, notes on the winner, and demands to relax.

    With `full` every machine that fits, the memory of a model, and why the others lost.
    """
    for line in _assumption_lines(request, choice.winner):
        _say(line)
    places = by_machine(choice.ranked)
    best = {key: next(iter(each)) for key, each in places.items()}
    shown = choice.ranked if full else tuple(best.values())[:MAX_SHOWN_MACHINES]
    dated = _ranking(request, shown, {} if full else places)
    told = (*(() if full else _region_notes(shown, places, dated=dated)), *_bounds(shown))
    for line in (*told, *_footnotes(request, choice, shown), *_ages(tuple(best.values()), day)):
        _say(line)
    _against_on_demand(choice.winner, book)
    for item in _advice(choice.winner):
        if full or not item.is_met:
            mark = {True: "✓", False: "!", None: "?"}[item.is_met]
            _say(f"{mark} {choice.winner.machine.type}, {item}")
    if full:
        _model(request, choice.winner)
    for miss in near_misses:
        _say(_relaxed_saving_text(miss))
    if full:
        _show_rejected(request, choice.losers, "lost")
    else:
        _say(_left_out(len(places), len(choice.losers)))


def _say(line: str) -> None:
    click.echo(wrap_text(clean(line), "  "))


def _region_notes(
    candidates: Sequence[Candidate],
    places: Mapping[tuple[str, str], Sequence[Candidate]],
    *,
    dated: bool,
) -> Iterator[str]:
    """Yield notes on omitted regions, on unknown offering regions, and on dates if shown."""
    others = sum(map(len, places.values())) - len(places)
    if others:
        yield f"each in its cheapest region; --all lists {format_count(others, 'more place')}"
    if any(
        has_one_price(places[candidate.machine.cloud, candidate.machine.type])
        for candidate in candidates
    ):
        yield f"{ONE_PRICE}: in all regions of the cloud, which does not say which of them have it"
    if dated and any("/" in candidate.as_of for candidate in candidates):
        yield "price of DAY/DAY: read between these two days; its age counts from the first"


def _left_out(types: int, lost: int) -> str:
    """Return how much the short answer omits, with the command that shows all."""
    fit = max(0, types - MAX_SHOWN_MACHINES)
    unfit = format_count(lost, "other doesn't fit", "others don't fit") if lost else ""
    parts = (format_count(fit, "more fits", "more fit") if fit else "", unfit)
    told = ", ".join(part for part in parts if part)
    return f"{told}: {command_with('--all')}" if told else f"all of it: {command_with('--all')}"


def _assumption_lines(request: Request, winner: Candidate) -> Iterator[str]:
    """Yield the assumptions made for what the request leaves open."""
    bought = f"{request.capacity}{f' for {request.commitment}' if request.commitment else ''}"
    count = len(request.regions)
    where = (
        ", ".join(request.regions) if count <= MAX_NAMED_REGIONS else f"{count} regions (--region)"
    )
    yield f"assumed: bought {bought}, ranked by {FIGURE_TITLES[request.by]}, in {where}"
    needed = _memory_need_json(request, winner)
    if request.model is None or needed is None:
        return
    from gpuinfra.specs.parameter_counts import format_parameters  # noqa: PLC0415  (loads pydantic)

    size = request.model.name or format_parameters(request.model.parameters)
    most = f"{needed['per_gpu_gb']:.0f} of {needed['gpu_memory_gb']:.0f} GB"
    gpus = needed["gpus"]
    each = "the GPU" if gpus == 1 else f"each of the {gpus} GPUs of the first"
    yield f"{size} to {_TASKS[request.model.task]}: {most} on {each}"
    if needed["assumed"]:
        yield f"assumed: {'; '.join(needed['assumed'])}"
    yield from model_work_price.work_price_notes(request)


_TASKS: Final = {
    "train": "train every parameter (other tasks: lora, serve)",
    "fine-tune": "train every parameter (other tasks: lora, serve)",
    "lora": "train adapters (LoRA)",
    "serve": "serve",
}


def _ages(best: Sequence[Candidate], day: date) -> Iterator[str]:
    """Yield a note on how many prices are outdated; the user's own prices never are."""
    dated = [
        candidate
        for candidate in best
        if candidate.per_hour is not None and candidate.origin != "user"
    ]
    unknown = none_of_day((candidate.as_of for candidate in dated), day)
    if unknown:
        yield unknown
    old = [candidate for candidate in dated if is_outdated(candidate.as_of, day)]
    if old:
        which = ", the winner's among them" if best[0] in old else ""
        yield (
            f"{len(old)} of {len(dated)} prices are older than {OUTDATED_AFTER_DAYS} days"
            f"{which}: gpuinfra catalog age"
        )


def _bounds(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield the meaning of the mark before a price, if one is shown."""
    if any(candidate.bounded_by for candidate in candidates):
        yield "≤: the spot price is unknown; at most the price on demand"


def _against_on_demand(winner: Candidate, book: PriceBook) -> None:
    """Print a note if a commitment's price is not below the on-demand price."""
    machine = winner.machine
    listed = book.on_demand(machine.cloud, machine.type, winner.region)
    if term(winner.mode) is None or listed is None or winner.per_hour is None:
        return
    if winner.currency == CURRENCY and listed.per_unit <= winner.per_hour:
        click.echo(
            f"! {winner.mode} of {machine.type} is a price of {winner.as_of}; on demand it costs"
            f" {format_unit_price(listed.per_unit)} an hour ({listed.as_of})"
        )


def _ranking(
    request: Request,
    candidates: Sequence[Candidate],
    places: Mapping[tuple[str, str], Sequence[Candidate]],
) -> bool:
    """Print the table; return whether the price dates fit into it."""
    several = any(candidate.machines > 1 for candidate in candidates)
    figure = request.by != "hour"
    work = model_work_price.column(request, candidates)
    columns = {
        "  machine": [
            f"{_mark(place, candidate)} {_name(candidate, several=several)}"
            for place, candidate in enumerate(candidates)
        ],
        "GPUs": [
            f"{candidate.machine.gpu_count:f} × {candidate.machine.gpu}"
            for candidate in candidates
        ],
        "where": [
            f"{_cloud(candidate)} {ONE_PRICE if has_one_price(alike) else candidate.region}"
            for candidate in candidates
            for alike in (places.get((candidate.machine.cloud, candidate.machine.type), ()),)
        ],
        "per hour": [_hourly(candidate) for candidate in candidates],
        **work,
        **({} if figure or work else {"per GPU": list(map(_per_gpu, candidates))}),
        **(
            {_HEADS[request.by]: [_figure(candidate, request) for candidate in candidates]}
            if figure
            else {}
        ),
        DATES: [_price_date_text(candidate) for candidate in candidates],
    }
    numbers = ("per hour", "per GPU", *_HEADS.values())
    rows = list(zip(*columns.values(), strict=True))
    show_table(tuple(columns), rows, right=numbers, spare=SPARE)
    return is_shown(DATES, tuple(columns), rows, SPARE)


def _hourly(candidate: Candidate) -> str:
    """Return the hourly cost of all machines, marked if it is an upper bound."""
    amount = format_money(candidate.all_machines_per_hour, candidate.currency)
    return f"{bound_mark(candidate.bounded_by)}{amount}"


def _price_date_text(candidate: Candidate) -> str:
    """Return the date of the price, and the price that bounds it if it is unknown."""
    day = candidate.as_of or ("yours" if candidate.origin == "user" else "–")
    return f"{day} {bounded_by(candidate.bounded_by)}".strip()


def _mark(place: int, candidate: Candidate) -> str:
    """Return an arrow for the first machine with a known price; else a space."""
    return " " if place or candidate.all_machines_per_hour is None else "→"


_HEADS: Final = {
    "run": "per run",
    "tflops": "per TFLOPS",
    "memory": "per GB",
    "bandwidth": "per GB/s",
}


def _footnotes(request: Request, choice: Choice, candidates: Sequence[Candidate]) -> Iterator[str]:
    clouds = dict.fromkeys(candidate.machine.cloud for candidate in candidates)
    bare = [cloud for cloud in clouds if cloud not in CLOUDS and cloud != "own"]
    if bare and len(request.clouds) > 1:
        yield f"{NOT_BUILT} {', '.join(bare)}: priced only: gpuinfra can't build there"
    elif bare:
        yield f"{bare[0]} is priced only: gpuinfra can't build there"
    if any(candidate.origin == "user" for candidate in choice.ranked):
        yield f"{YOURS} a price of yours; {choice.winner.source}"
    priced = [candidate for candidate in choice.ranked if candidate.per_hour is not None]
    foreign = dict.fromkeys(
        candidate.currency for candidate in priced if candidate.currency != CURRENCY
    )
    for code in foreign:
        yield f"prices in {code} rank apart: --prices FILE may give a rate (exchange_rates)"
    unpriced = len(choice.ranked) - len(priced)
    if unpriced:
        yield format_count(unpriced, *_ranks("price", "last"))
    if request.by == "run" and term(choice.winner.mode):
        yield f"a commitment ({choice.winner.mode}) is paid for its whole term"
    yield from _lower_rank_notes(request, choice)
    if choice.winner.note:
        yield choice.winner.note


def _lower_rank_notes(request: Request, choice: Choice) -> Iterator[str]:
    """Yield why some rank behind others that cost more: no known figure, or no fast network."""
    bare = [
        candidate
        for candidate in choice.ranked
        if candidate.per_hour is not None and candidate.figure is None
    ]
    if bare:
        behind = format_count(len(bare), *_ranks("figure", "behind"))
        yield f"{behind}{_other_precisions(request, bare)}"
    apart = sum(candidate.connected is not True for candidate in choice.ranked)
    if apart and choice.winner.connected:
        lack = format_count(apart, "option lacks", "options lack")
        yield f"{lack} RDMA or a fast network; listed last"


def _ranks(unknown: str, where: str) -> tuple[str, str]:
    """Return the singular and plural sentences on the rank of unknown prices or figures."""
    subject = f"without a known {unknown}"
    return f"{subject} ranks {where}", f"{subject} rank {where}"


def _other_precisions(request: Request, bare: Sequence[Candidate]) -> str:
    """Return a note on other precisions with known dense rates for these machines."""
    if request.by != "tflops":
        return ""
    own = request.precision or PRECISIONS[0]
    others = [
        precision
        for precision in PRECISIONS
        if any(tflops(each.machine, precision) is not None for each in bare)
    ]
    way = f"; --precision {' or '.join(others)} would rank them" if others else ""
    return f", as no dense {own} rate of their GPUs is known{way}"


def _name(candidate: Candidate, *, several: bool) -> str:
    return (
        f"{candidate.machines} × {candidate.machine.type}" if several else candidate.machine.type
    )


def _cloud(candidate: Candidate) -> str:
    mark = "" if candidate.buildable or candidate.machine.cloud == "own" else NOT_BUILT
    return f"{candidate.machine.cloud}{mark}{YOURS if candidate.origin == 'user' else ''}"


def _per_gpu(candidate: Candidate) -> str:
    each = None if candidate.per_hour is None else candidate.per_hour / candidate.machine.gpu_count
    return f"{bound_mark(candidate.bounded_by)}{format_money(each, candidate.currency)}"


def _figure(candidate: Candidate, request: Request) -> str:
    bound = bound_mark(candidate.bounded_by)
    if candidate.figure is None or request.by == "run":
        return f"{bound}{format_money(candidate.figure, candidate.currency)}"
    return f"{bound}{format_unit_price(candidate.figure, candidate.currency)}"


def _relaxed_saving_text(miss: NearMiss) -> str:
    """Return the saving from relaxing one demand: the machine that misses only it, its price."""
    candidate = miss.candidate
    least = "at least " if candidate.bounded_by else ""
    share = "" if miss.saved_share is None else f" saves {least}{format_percent(miss.saved_share)}"
    share += " per GPU" if share and miss.unit in PER_GPU.values() else ""
    named = miss.constraint.replace("_", " ").replace("gpu", "GPU")
    without = f"without {named} {miss.required}".strip()
    change_text = (
        f"{named} {miss.actual} instead of {miss.required}"
        if miss.required and miss.actual
        else without
    )
    count = f"{candidate.machines} × " if candidate.machines > 1 else ""
    return (
        f"{change_text}{share}: {count}{candidate.machine.type}"
        f" in {candidate.region} ({candidate.machine.cloud}) at"
        f" {_hourly(candidate)} an hour"
    )


def _show_rejected(request: Request, losers: Sequence[RejectedMachine], title: str) -> None:
    clouds = len(request.clouds) > 1
    show_table(
        (title, *(("cloud",) if clouds else ()), "constraint", "because"),
        [
            (
                loser.machine,
                *((loser.cloud,) if clouds else ()),
                loser.constraint.replace("_", " "),
                loser.reason,
            )
            for loser in losers
        ],
    )


def _advice(winner: Candidate) -> tuple[AdviceItem, ...]:
    return advice(winner.machine, winner.machines)


def _memory_need_json(request: Request, winner: Candidate) -> Any:
    """Return the memory that the model needs on each GPU of the winner, term by term."""
    if request.model is None:
        return None
    gpus = max(1, int(winner.machine.gpu_count)) * winner.machines
    needed = memory_need(request.model, gpus, winner.machines)
    return {
        "gpus": needed.gpus,
        "machines": needed.machines,
        "terms": needed.terms,
        "per_gpu_gb": needed.per_gpu_gb,
        "gpu_memory_gb": gpu_memory_gb(winner.machine),
        "assumed": needed.assumptions,
        "thumb": rule_of_thumb(request.model),
    }


def _each_gpu_memory_text(gpus: int, gigabytes: Decimal) -> str:
    if gpus == 1:
        return f"on the GPU, which has {gigabytes:.1f} GB"
    return f"on each of {gpus} GPUs, which have {gigabytes:.1f} GB"


def _model(request: Request, winner: Candidate) -> None:
    needed = _memory_need_json(request, winner)
    if needed is None:
        return
    show_table(
        ("memory of one GPU", "formula", "GB"),
        [
            *((term.name, term.formula, f"{term.gigabytes:.1f}") for term in needed["terms"]),
            (
                "together",
                _each_gpu_memory_text(needed["gpus"], needed["gpu_memory_gb"]),
                f"{needed['per_gpu_gb']:.1f}",
            ),
        ],
        right=("GB",),
    )
    rule = needed["thumb"]
    _say(f"{rule.name} ({rule.source}): {rule.gigabytes:.0f} GB = {rule.formula}")
