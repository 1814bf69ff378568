"""The table of ranked machines that `gpuinfra choose` shows."""

from collections.abc import Mapping, Sequence
from typing import Final

from gpuinfra.api.choosing import has_one_price
from gpuinfra.catalog import Candidate, Request
from gpuinfra.catalog.choosing.known_names import starts
from gpuinfra.catalog.choosing.near_misses import PER_GPU, NearMiss
from gpuinfra.catalog.choosing.request import FIGURE_TITLES
from gpuinfra.cli.views import model_work_price
from gpuinfra.cli.views.layout import is_shown
from gpuinfra.cli.views.render import show_table
from gpuinfra.clouds import CLOUDS
from gpuinfra.model import Purpose
from gpuinfra.report.run_words import bound_mark, bounded_by
from gpuinfra.units import format_money, format_percent, format_unit_price

DATES: Final = "price of"
_PURPOSES: Final[tuple[Purpose, ...]] = ("training", "inference")
SPARE: Final = (DATES, "per GPU", "GPUs")
"""Columns that are left out where there is no room, the first one first."""
ONE_PRICE: Final = "one price"
NOT_BUILT: Final = "°"
YOURS: Final = "†"
_HEADS: Final = {
    "run": "per run",
    "tflops": "per TFLOPS",
    "memory": "per GB",
    "bandwidth": "per GB/s",
}

_UNITS: Final = {
    **dict.fromkeys(PER_GPU.values(), " per GPU"),
    **{FIGURE_TITLES[by]: f" {head}" for by, head in _HEADS.items() if by != "run"},
}
"""What a saving is of, by the unit of its figures, where it is not of a whole machine."""


def show_ranking(
    request: Request,
    candidates: Sequence[Candidate],
    candidates_by_machine: Mapping[tuple[str, str], Sequence[Candidate]],
) -> bool:
    """Print the table; return whether the price dates fit into it."""
    has_several_machines = any(candidate.machines > 1 for candidate in candidates)
    shows_figure = request.by != "hour"
    work = model_work_price.column(request, candidates)
    columns = {
        "  machine": [
            f"{_mark(rank, candidate)} {_name(candidate, has_several_clouds=has_several_machines)}"
            for rank, candidate in enumerate(candidates)
        ],
        "GPUs": [
            f"{candidate.machine.gpu_count:f} × {candidate.machine.gpu}"
            for candidate in candidates
        ],
        "where": [
            f"{_cloud(candidate)} {ONE_PRICE if has_one_price(same_machine) else candidate.region}"
            for candidate in candidates
            for same_machine in (
                candidates_by_machine.get((candidate.machine.cloud, candidate.machine.type), ()),
            )
        ],
        "per hour": [hourly(candidate) for candidate in candidates],
        **work,
        **({} if shows_figure or work else {"per GPU": list(map(_per_gpu, candidates))}),
        **(
            {_HEADS[request.by]: [_figure(candidate, request) for candidate in candidates]}
            if shows_figure
            else {}
        ),
        DATES: [_price_date_text(candidate) for candidate in candidates],
    }
    numbers = ("per hour", "per GPU", *_HEADS.values())
    rows = list(zip(*columns.values(), strict=True))
    show_table(tuple(columns), rows, right=numbers, spare=SPARE)
    return is_shown(DATES, tuple(columns), rows, SPARE)


def hourly(candidate: Candidate) -> str:
    """Return the hourly cost of all machines, marked if it is an upper bound."""
    amount = format_money(candidate.all_machines_per_hour, candidate.currency)
    return f"{bound_mark(candidate.bounded_by)}{amount}"


def _price_date_text(candidate: Candidate) -> str:
    """Return the date of the price, and the price that bounds it if it is unknown."""
    day = candidate.as_of or ("yours" if candidate.origin == "user" else "–")
    if candidate.bounded_by == "max_price":
        return "your maximum"
    return f"{day} {bounded_by(candidate.bounded_by)}".strip()


def _mark(rank: int, candidate: Candidate) -> str:
    """Return an arrow for the first machine with a known price; else a space."""
    return " " if rank or candidate.all_machines_per_hour is None else "→"


def _name(candidate: Candidate, *, has_several_clouds: bool) -> str:
    return (
        f"{candidate.machines} × {candidate.machine.type}"
        if has_several_clouds
        else candidate.machine.type
    )


def _cloud(candidate: Candidate) -> str:
    mark = "" if candidate.buildable or candidate.machine.cloud == "own" else NOT_BUILT
    return f"{candidate.machine.cloud}{mark}{YOURS if candidate.origin == 'user' else ''}"


def _per_gpu(candidate: Candidate) -> str:
    price_per_gpu = (
        None if candidate.per_hour is None else candidate.per_hour / candidate.machine.gpu_count
    )
    return f"{bound_mark(candidate.bounded_by)}{format_money(price_per_gpu, candidate.currency)}"


def _figure(candidate: Candidate, request: Request) -> str:
    limit_mark = bound_mark(candidate.bounded_by)
    if candidate.figure is None or request.by == "run":
        return f"{limit_mark}{format_money(candidate.figure, candidate.currency)}"
    return f"{limit_mark}{format_unit_price(candidate.figure, candidate.currency)}"


def relaxed_saving_text(miss: NearMiss) -> str:
    """Return the saving from relaxing one demand: the machine that misses only it, its price."""
    candidate = miss.candidate
    least = "at least " if candidate.bounded_by else ""
    share = "" if miss.saved_share is None else f" saves {least}{format_percent(miss.saved_share)}"
    if share:
        share += _UNITS.get(miss.unit, "")
    constraint_text = miss.constraint.replace("_", " ").replace("gpu", "GPU")
    without_text = f"without {constraint_text} {miss.required}".strip()
    alternative = (
        f"{constraint_text}: {miss.actual} instead of {miss.required}"
        if miss.required and miss.actual
        else without_text
    )
    count = f"{candidate.machines} × " if candidate.machines > 1 else ""
    machine = f"{count}{candidate.machine.type} in {candidate.region} ({candidate.machine.cloud})"
    if miss.constraint == "price":
        return (
            f"below the limit today{share and f',{share}'}: {machine} at {hourly(candidate)} an"
            f" hour, but it may cost {miss.actual}: its spot request says no maximum price"
        )
    image = "" if _has_public_image(candidate) else ", but needs your own image (machine_image)"
    return f"{alternative}{share}: {machine} at {hourly(candidate)} an hour{image}"


def _has_public_image(candidate: Candidate) -> bool:
    """Return whether a public image is known to start the machine, for training or inference."""
    machine = candidate.machine
    if machine.cloud not in CLOUDS:
        return True  # gpuinfra starts none there
    return any(starts(machine, purpose) for purpose in _PURPOSES)
