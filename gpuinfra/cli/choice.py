"""A choice as a user reads it, and as JSON."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

import click

from gpuinfra.catalog import Book, Candidate, Choice, Loser, NothingFits, Request
from gpuinfra.catalog.age import outdated
from gpuinfra.catalog.book import CURRENCY
from gpuinfra.catalog.choosing.advice import Advice, advice
from gpuinfra.catalog.choosing.demands import tflops
from gpuinfra.catalog.choosing.relaxing import PER_GPU, NearMiss
from gpuinfra.catalog.choosing.request import BY, PRECISIONS
from gpuinfra.catalog.sizing.fitting import gpu_memory_gb, need, thumb
from gpuinfra.catalog.terms import term
from gpuinfra.cli.render import clean, money, show_json, show_table
from gpuinfra.clouds import CLOUDS
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.units import format_share

SHOWN: Final = 12
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
    every: bool,
    losers: bool,
) -> None:
    """The ranking, what the guides say of the winner, what to relax, and the losers."""
    _ranking(wanted, found.ranked if every else found.ranked[:SHOWN])
    rest = len(found.ranked) - SHOWN
    if rest > 0 and not every:
        click.echo(f"… and {rest} more that fit: --every lists them")
    for line in (*_footnotes(wanted, found), *_ages(found, day)):
        click.echo(clean(line))
    _against_on_demand(found.winner, book)
    for one in _advice(found.winner):
        mark = {True: "✓", False: "!", None: "?"}[one.fine]
        click.echo(f"{mark} {found.winner.machine.type}, {one}")
    _model(wanted, found.winner)
    for miss in near:
        click.echo(clean(f"relax {_relaxed(miss)}"))
    _lost(wanted, found.losers, every=losers)


def _ages(found: Choice, day: date) -> Iterator[str]:
    """How many of the prices are outdated on a day; a price of the user's own never is."""
    dated = [one for one in found.ranked if one.per_hour is not None and one.origin != "user"]
    old = [one for one in dated if outdated(one.as_of, day)]
    if old:
        which = ", the winner's among them" if found.winner in old else ""
        yield (
            f"{len(old)} of {len(dated)} prices are older than {OUTDATED_AFTER_DAYS} days"
            f"{which}: gpuinfra catalog age tells of all"
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


def _ranking(wanted: Request, ranked: Sequence[Candidate]) -> None:
    several = any(one.machines > 1 for one in ranked)
    figure = wanted.by != "hour"
    columns = {
        "  machine": [
            f"{' ' if place else '→'} {_name(one, several=several)}"
            for place, one in enumerate(ranked)
        ],
        "GPUs": [f"{one.machine.gpu_count:f} × {one.machine.gpu}" for one in ranked],
        "where": [f"{_cloud(one)} {one.region}" for one in ranked],
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


def _lost(wanted: Request, losers: Sequence[Loser], *, every: bool) -> None:
    shown = tuple(losers)
    if not every:
        shown = tuple(one for one in losers if one.constraint != "instance")[:SHOWN]
    if shown:
        _losers(wanted, shown, "lost")
    if len(shown) < len(losers):
        rest = f"{len(losers) - len(shown)} {'more' if shown else 'others lose'}"
        click.echo(f"{'… and ' if shown else ''}{rest}: --losers lists them")


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


def _advice(winner: Candidate) -> tuple[Advice, ...]:
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
    click.echo(clean(f"{rule.name} ({rule.source}): {rule.gigabytes:.0f} GB = {rule.formula}"))
    if needed["assumed"]:
        click.echo(clean(f"assumed: {'; '.join(needed['assumed'])}"))
