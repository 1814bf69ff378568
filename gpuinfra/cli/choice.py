"""A choice as a user reads it, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

import click

from gpuinfra.api.choosing import by_machine
from gpuinfra.catalog import Book, Candidate, Choice, Loser, NothingFits, Request
from gpuinfra.catalog.age import outdated
from gpuinfra.catalog.book import CURRENCY
from gpuinfra.catalog.choosing.advice import AdviceItem, advice
from gpuinfra.catalog.choosing.demands import tflops
from gpuinfra.catalog.choosing.relaxing import PER_GPU, NearMiss
from gpuinfra.catalog.choosing.request import BY, PRECISIONS
from gpuinfra.catalog.sizing.fitting import gpu_memory_gb, need, thumb
from gpuinfra.catalog.terms import term
from gpuinfra.cli.hints import again
from gpuinfra.cli.layout import wrapped
from gpuinfra.cli.render import clean, money, show_json, show_table
from gpuinfra.clouds import CLOUDS
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.units import format_share

SHOWN: Final = 12
FEW: Final = 6
"""Regions that are named one by one."""

ONE_PRICE: Final = "one price"
NOT_BUILT: Final = "°"
YOURS: Final = "†"


def as_json(wanted: Request, found: Choice, near: Sequence[NearMiss]) -> None:
    """Everything that choosing found, as JSON."""
    show_json(
        {
            "by": wanted.by,
            "unit": BY[wanted.by],
            "winner": found.winner,
            "ranked": found.ranked,
            "losers": found.losers,
            "near_misses": near,
            "advice": _advice(found.winner),
            "need": _need(wanted, found.winner),
        }
    )


def nothing(wanted: Request, why: NothingFits, format_: str) -> None:
    """The machines that come closest, where none fits."""
    if format_ == "json":
        show_json(
            {
                "by": wanted.by,
                "unit": BY[wanted.by],
                "winner": None,
                "ranked": (),
                "losers": why.losers,
                "near_misses": (),
                "advice": (),
                "need": None,
            }
        )
        return
    _losers(wanted, why.nearest, "closest")


def table(
    wanted: Request,
    found: Choice,
    near: Sequence[NearMiss],
    book: Book,
    day: date,
    *,
    full: bool = False,
) -> None:
    """What is assumed, the ranking, what to know of the winner, and what to relax.

    With `full` every machine that fits, the memory of a model, and why the others lost.
    """
    for line in _assumed(wanted, found.winner):
        _say(line)
    places = by_machine(found.ranked)
    best = {key: next(iter(each)) for key, each in places.items()}
    shown = found.ranked if full else tuple(best.values())[:SHOWN]
    _ranking(wanted, shown, {} if full else places)
    told = () if full else _of_places(shown, places)
    for line in (*told, *_footnotes(wanted, found), *_ages(tuple(best.values()), day)):
        _say(line)
    _against_on_demand(found.winner, book)
    for one in _advice(found.winner):
        if full or not one.fine:
            mark = {True: "✓", False: "!", None: "?"}[one.fine]
            _say(f"{mark} {found.winner.machine.type}, {one}")
    if full:
        _model(wanted, found.winner)
    for miss in near:
        _say(f"relax {_relaxed(miss)}")
    if full:
        _losers(wanted, found.losers, "lost")
    else:
        _say(_left_out(len(places), len(found.losers)))


def _say(line: str) -> None:
    click.echo(wrapped(clean(line), "  "))


def _of_places(
    shown: Sequence[Candidate], places: Mapping[tuple[str, str], Sequence[Candidate]]
) -> Iterator[str]:
    """What the column of places leaves out: other regions, and those that a cloud does not say."""
    others = sum(map(len, places.values())) - len(places)
    if others:
        yield f"each in its cheapest region; --all lists {others} more places"
    if any(_uniform(places[one.machine.cloud, one.machine.type]) for one in shown):
        yield f"{ONE_PRICE}: in all regions of the cloud, which does not say which of them have it"


def _left_out(types: int, lost: int) -> str:
    """How much the short answer leaves out, and the command that shows it."""
    fit = max(0, types - SHOWN)
    parts = (f"{fit} more fit" if fit else "", f"{lost} others lose" if lost else "")
    told = ", ".join(part for part in parts if part)
    return f"{told}: {again('--all')}" if told else f"all of it: {again('--all')}"


def _assumed(wanted: Request, winner: Candidate) -> Iterator[str]:
    """What the request leaves open, and what is taken for it."""
    bought = f"{wanted.capacity}{f' for {wanted.commitment}' if wanted.commitment else ''}"
    count = len(wanted.regions)
    where = ", ".join(wanted.regions) if count <= FEW else f"{count} regions (--region)"
    yield f"assumed: bought {bought}, ranked by {BY[wanted.by]}, in {where}"
    needed = _need(wanted, winner)
    if wanted.model is None or needed is None:
        return
    from gpuinfra.specs.parameters import format_parameters  # noqa: PLC0415  (loads pydantic)

    size = wanted.model.name or format_parameters(wanted.model.parameters)
    most = f"{needed['per_gpu_gb']:.0f} of {needed['gpu_memory_gb']:.0f} GB"
    gpus = needed["gpus"]
    each = "the GPU" if gpus == 1 else f"each of the {gpus} GPUs of the first"
    yield f"{size} to {_TASKS[wanted.model.task]}: {most} on {each}"
    if needed["assumed"]:
        yield f"assumed: {'; '.join(needed['assumed'])}"


_TASKS: Final = {
    "train": "train every parameter (other tasks: lora, serve)",
    "fine-tune": "train every parameter (other tasks: lora, serve)",
    "lora": "train adapters (LoRA)",
    "serve": "serve",
}


def _ages(best: Sequence[Candidate], day: date) -> Iterator[str]:
    """How many of the prices are outdated on a day; a price of the user's own never is."""
    dated = [one for one in best if one.per_hour is not None and one.origin != "user"]
    old = [one for one in dated if outdated(one.as_of, day)]
    if old:
        which = ", the winner's among them" if best[0] in old else ""
        yield (
            f"{len(old)} of {len(dated)} prices are older than {OUTDATED_AFTER_DAYS} days"
            f"{which}: gpuinfra catalog age"
        )


def _against_on_demand(winner: Candidate, book: Book) -> None:
    """Say it where a commitment's price is no less than the list price without one."""
    machine = winner.machine
    listed = book.on_demand(machine.cloud, machine.type, winner.region)
    if term(winner.mode) is None or listed is None or winner.per_hour is None:
        return
    if winner.currency == CURRENCY and listed.per_unit <= winner.per_hour:
        click.echo(
            f"! {winner.mode} of {machine.type} is a price of {winner.as_of}; on demand it costs"
            f" {money(listed.per_unit)} an hour ({listed.as_of})"
        )


def _uniform(alike: Sequence[Candidate]) -> bool:
    """Whether a machine has one price in several regions, none of which is said to offer it."""
    return (
        len(alike) > 1
        and not alike[0].machine.regions
        and len({one.per_hour for one in alike}) == 1
    )


def _ranking(
    wanted: Request,
    ranked: Sequence[Candidate],
    places: Mapping[tuple[str, str], Sequence[Candidate]],
) -> None:
    several = any(one.machines > 1 for one in ranked)
    figure = wanted.by != "hour"
    columns = {
        "  machine": [
            f"{' ' if place else '→'} {_name(one, several=several)}"
            for place, one in enumerate(ranked)
        ],
        "GPUs": [f"{one.machine.gpu_count:f} × {one.machine.gpu}" for one in ranked],
        "where": [
            f"{_cloud(one)} {ONE_PRICE if _uniform(alike) else one.region}"
            for one in ranked
            for alike in (places.get((one.machine.cloud, one.machine.type), ()),)
        ],
        "$/h": [_amount(one.together, one.currency) for one in ranked],
        **({} if figure else {"$/GPU-h": [_per_gpu(one) for one in ranked]}),
        **({_HEADS[wanted.by]: [_figure(one, wanted) for one in ranked]} if figure else {}),
        "price of": [one.as_of or ("yours" if one.origin == "user" else "–") for one in ranked],
    }
    numbers = ("$/h", "$/GPU-h", *_HEADS.values())
    show_table(tuple(columns), zip(*columns.values(), strict=True), right=numbers)


_HEADS: Final = {
    "run": "$/run",
    "tflops": "$/TFLOPS",
    "memory": "$/GB",
    "bandwidth": "$/GB/s",
}


def _footnotes(wanted: Request, found: Choice) -> Iterator[str]:
    clouds = dict.fromkeys(one.machine.cloud for one in found.ranked)
    bare = [cloud for cloud in clouds if cloud not in CLOUDS and cloud != "own"]
    if bare and len(wanted.clouds) > 1:
        yield f"{NOT_BUILT} {', '.join(bare)}: priced, not built"
    elif bare:
        yield f"{bare[0]} is priced, not built"
    if any(one.origin == "user" for one in found.ranked):
        yield f"{YOURS} a price of yours; {found.winner.source}"
    priced = [one for one in found.ranked if one.per_hour is not None]
    foreign = dict.fromkeys(one.currency for one in priced if one.currency != CURRENCY)
    for code in foreign:
        yield f"prices in {code} rank apart: --prices FILE may give a rate (exchange_rates)"
    unpriced = len(found.ranked) - len(priced)
    if unpriced:
        yield f"{unpriced} without a known price rank{'s' if unpriced == 1 else ''} last"
    if wanted.by == "run" and term(found.winner.mode):
        yield f"a commitment ({found.winner.mode}) is paid for its whole term"
    yield from _behind(wanted, found)
    if found.winner.said:
        yield found.winner.said


def _behind(wanted: Request, found: Choice) -> Iterator[str]:
    """Why some rank behind others that cost more: no figure is known, or no network joins them."""
    bare = [one for one in found.ranked if one.per_hour is not None and one.figure is None]
    if bare:
        yield (
            f"{len(bare)} without a known figure rank{'s' if len(bare) == 1 else ''} behind"
            f"{_other_precisions(wanted, bare)}"
        )
    apart = sum(one.connected is not True for one in found.ranked)
    if apart and found.winner.connected:
        yield (
            f"{apart} would train on several machines that no fabric and no network as fast as"
            f" the guides advise is known to join: {'it ranks' if apart == 1 else 'they rank'}"
            " behind"
        )


def _other_precisions(wanted: Request, bare: Sequence[Candidate]) -> str:
    """The precisions that would give some a figure, where dense rates rank them."""
    if wanted.by != "tflops":
        return ""
    own = wanted.precision or PRECISIONS[0]
    others = [
        one for one in PRECISIONS if any(tflops(each.machine, one) is not None for each in bare)
    ]
    way = f"; --precision {' or '.join(others)} would rank them" if others else ""
    return f", as no dense {own} rate of their GPUs is known{way}"


def _name(one: Candidate, *, several: bool) -> str:
    return f"{one.machines} × {one.machine.type}" if several else one.machine.type


def _cloud(one: Candidate) -> str:
    mark = "" if one.built or one.machine.cloud == "own" else NOT_BUILT
    return f"{one.machine.cloud}{mark}{YOURS if one.origin == 'user' else ''}"


def _per_gpu(one: Candidate) -> str:
    each = None if one.per_hour is None else one.per_hour / one.machine.gpu_count
    return _amount(each, one.currency)


def _figure(one: Candidate, wanted: Request) -> str:
    if one.figure is None or wanted.by == "run":
        return _amount(one.figure, one.currency)
    words = f"{one.figure:.3g}" if one.figure >= Decimal("0.0001") else "<0.0001"
    return words if one.currency == CURRENCY else f"{words} {one.currency}"


def _amount(amount: Decimal | None, currency: str) -> str:
    words = money(amount)
    return words if amount is None or currency == CURRENCY else f"{words} {currency}"


def _relaxed(miss: NearMiss) -> str:
    one = miss.candidate
    share = "" if miss.saves is None else f" saves {format_share(round(miss.saves, 2))}"
    share += " per GPU" if miss.unit in PER_GPU.values() else ""
    what = f"{miss.asked} → {miss.has}" if miss.asked and miss.has else f"{miss.asked}"
    count = f"{one.machines} × " if one.machines > 1 else ""
    return (
        f"{miss.constraint.replace('_', ' ')} {what}{share}: {count}{one.machine.type}"
        f" in {one.region} ({one.machine.cloud}) at"
        f" {_amount(one.together, one.currency)} an hour"
    )


def _losers(wanted: Request, losers: Sequence[Loser], title: str) -> None:
    clouds = len(wanted.clouds) > 1
    show_table(
        (title, *(("cloud",) if clouds else ()), "constraint", "because"),
        [
            (
                one.machine,
                *((one.cloud,) if clouds else ()),
                one.constraint.replace("_", " "),
                one.reason,
            )
            for one in losers
        ],
    )


def _advice(winner: Candidate) -> tuple[AdviceItem, ...]:
    return advice(winner.machine, winner.machines)


def _need(wanted: Request, winner: Candidate) -> Any:
    """The memory that the model needs on each GPU of the winner, term by term."""
    if wanted.model is None:
        return None
    gpus = max(1, int(winner.machine.gpu_count)) * winner.machines
    needed = need(wanted.model, gpus, winner.machines)
    return {
        "gpus": needed.gpus,
        "machines": needed.machines,
        "terms": needed.terms,
        "per_gpu_gb": needed.per_gpu_gb,
        "gpu_memory_gb": gpu_memory_gb(winner.machine),
        "assumed": needed.assumed,
        "thumb": thumb(wanted.model),
    }


def _model(wanted: Request, winner: Candidate) -> None:
    needed = _need(wanted, winner)
    if needed is None:
        return
    show_table(
        ("memory of one GPU", "formula", "GB"),
        [
            *((one.name, one.formula, f"{one.gigabytes:.1f}") for one in needed["terms"]),
            (
                "together",
                f"on each of {needed['gpus']} GPUs, which have {needed['gpu_memory_gb']:.1f} GB",
                f"{needed['per_gpu_gb']:.1f}",
            ),
        ],
        right=("GB",),
    )
    rule = needed["thumb"]
    _say(f"{rule.name} ({rule.source}): {rule.gigabytes:.0f} GB = {rule.formula}")
