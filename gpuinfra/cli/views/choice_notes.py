"""The notes around the ranking of `gpuinfra choose`: what is assumed, bounded or left out."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.api.choosing import has_one_price
from gpuinfra.catalog import Candidate, Choice, Request
from gpuinfra.catalog.choosing.machine_constraints import tflops
from gpuinfra.catalog.choosing.request import FIGURE_TITLES, PRECISIONS
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.fact_age import is_outdated, none_of_day
from gpuinfra.catalog.price_book import CURRENCY, PriceBook
from gpuinfra.catalog.rates import ON_DEMAND, SPOT
from gpuinfra.catalog.sizing.machine_fit import gpu_memory_gb, memory_need, rule_of_thumb
from gpuinfra.cli.views import model_work_price
from gpuinfra.cli.views.choice_ranking import NOT_BUILT, ONE_PRICE, YOURS
from gpuinfra.cli.views.render import show_line, show_table
from gpuinfra.clouds import CLOUDS
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.report.summary import day_range, range_text
from gpuinfra.units import format_count, format_size, round_half_up, round_to_total
from gpuinfra.units.message_merging import first_in_words

if TYPE_CHECKING:
    from gpuinfra.catalog.sizing.model_request import ModelRequest

MAX_NAMED_REGIONS: Final = 6
"""Regions that are named one by one."""

NEEDS_FABRIC_IMAGE: Final = (
    "the default image lacks the fabric driver or the NCCL plugin; "
    "set machine_image to an image with both"
)

_SHOWN_GB: Final = Decimal("0.1")
"""Memory is shown in tenths of a GB."""

_COMMITMENTS: Final = {"1y": "with a 1-year commitment", "3y": "with a 3-year commitment"}

_TASKS: Final = {
    "train": "train every parameter (other tasks: lora, serve)",
    "fine-tune": "train every parameter (other tasks: lora, serve)",
    "lora": "train adapters (LoRA)",
    "serve": "serve",
}


def region_notes(
    candidates: Sequence[Candidate],
    candidates_by_machine: Mapping[tuple[str, str], Sequence[Candidate]],
    *,
    dated: bool,
) -> Iterator[str]:
    """Yield notes on omitted regions, on unknown offering regions, and on dates if shown."""
    omitted = sum(map(len, candidates_by_machine.values())) - len(candidates_by_machine)
    if omitted:
        yield f"each in its cheapest region; --all lists {format_count(omitted, 'more place')}"
    if any(
        has_one_price(candidates_by_machine[candidate.machine.cloud, candidate.machine.type])
        for candidate in candidates
    ):
        yield f"{ONE_PRICE}: in all regions of the cloud, which does not say which of them have it"
    if dated and any("/" in candidate.as_of for candidate in candidates):
        yield "price of DAY/DAY: read between these two days; its age counts from the first"


def assumption_lines(request: Request, winner: Candidate, *, full: bool) -> Iterator[str]:
    """Yield the assumptions made for what the request leaves open; with `full`, a model's too."""
    option = f"purchase option {request.capacity}"
    if request.commitment:
        option = _COMMITMENTS.get(request.commitment, f"with the commitment {request.commitment}")
    count = len(request.regions)
    regions = (
        ", ".join(request.regions) if count <= MAX_NAMED_REGIONS else f"{count} regions (--region)"
    )
    memory = _exact_memory(request)
    task = "" if request.model is None else f"{_model_work(request.model)}, "
    yield f"assumed: {task}{option}{memory}, ranked by {FIGURE_TITLES[request.by]}, in {regions}"
    winner_need = memory_need_of_winner(request, winner)
    if winner_need is None:
        return
    most = f"{winner_need['per_gpu_gb']:.0f} of {winner_need['gpu_memory_gb']:.0f} GB"
    gpus = winner_need["gpus"]
    each = "the GPU" if gpus == 1 else f"each of the {gpus} GPUs of the first"
    yield f"memory: {most} on {each}"
    if winner_need["assumed"] and full:
        yield f"assumed: {'; '.join(winner_need['assumed'])}"
    yield from model_work_price.work_price_notes(request)


def _model_work(model: "ModelRequest") -> str:
    """Return what is done with a model: its name or size, and the task."""
    from gpuinfra.specs.parameter_counts import format_parameters  # noqa: PLC0415  (loads pydantic)

    return f"{model.name or format_parameters(model.parameters)} to {_TASKS[model.task]}"


def _exact_memory(request: Request) -> str:
    """Return what a single size means, as part of a sentence; empty for a range."""
    memory = request.memory
    if memory is None or memory.maximum != memory.minimum:
        return ""
    size = format_size(memory.minimum)
    return f", GPUs of exactly {size} (at least: {size}..)"


def spot_at_maximum(candidates: Sequence[Candidate], book: PriceBook) -> Iterator[str]:
    """Yield a note on machines whose spot price is that on demand in the dearest zone."""
    machines = {
        f"{candidate.machine.type} in {candidate.region}": None
        for candidate in candidates
        if candidate.mode == SPOT
        and not candidate.bounded_by
        and _is_on_demand_price(candidate, book)
    }
    if machines:
        yield (
            f"{first_in_words(list(machines), MAX_NAMED_REGIONS)}: counted at the price on demand,"
            " which spot reaches in its most expensive zone; other zones may cost less"
        )


def _is_on_demand_price(candidate: Candidate, book: PriceBook) -> bool:
    list_price = book.on_demand(candidate.machine.cloud, candidate.machine.type, candidate.region)
    return (
        list_price is not None
        and candidate.currency == CURRENCY == list_price.currency
        and candidate.per_hour is not None
        and candidate.per_hour >= list_price.per_unit
    )


def price_dates_text(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield the first and the last day of prices, for a table that has no room for them."""
    days = day_range(candidate.as_of for candidate in candidates)
    if days:
        yield f"prices of {range_text(days)}"


def ages(best: Sequence[Candidate], day: date) -> Iterator[str]:
    """Yield a note on how many prices are outdated; the user's own prices never are."""
    dated = [
        candidate
        for candidate in best
        if candidate.per_hour is not None
        and candidate.origin != "user"
        and candidate.bounded_by in {"", ON_DEMAND}
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


def bounds(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield the meaning of the mark before a price, if one is shown."""
    bounding = {candidate.bounded_by for candidate in candidates}
    if ON_DEMAND in bounding:
        yield "≤: the spot price is unknown; at most the price on demand"
    if bounding - {"", ON_DEMAND}:
        yield "≤: the spot price is unknown; at most the maximum price that the request says"


def footnotes(request: Request, choice: Choice, candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield notes on clouds, prices and ranks of the shown candidates, and on the winner."""
    clouds = dict.fromkeys(candidate.machine.cloud for candidate in candidates)
    bare = [cloud for cloud in clouds if cloud not in CLOUDS and cloud != "own"]
    if bare and len(request.clouds) > 1:
        yield f"{NOT_BUILT} {', '.join(bare)}: priced only: gpuinfra can't build there"
    elif bare:
        yield f"{bare[0]} is priced only: gpuinfra can't build there"
    if any(candidate.origin == "user" for candidate in candidates):
        yield f"{YOURS} a price of yours; {choice.winner.source}"
    priced = [candidate for candidate in candidates if candidate.per_hour is not None]
    other_currencies = dict.fromkeys(
        candidate.currency for candidate in priced if candidate.currency != CURRENCY
    )
    for code in other_currencies:
        yield f"prices in {code} rank apart: --prices FILE may give a rate (exchange_rates)"
    unpriced = len(candidates) - len(priced)
    if unpriced:
        yield format_count(unpriced, *_ranks("price", "last"))
    if request.by == "run" and term(choice.winner.mode):
        yield f"a commitment ({choice.winner.mode}) is paid for its whole term"
    yield from model_work_price.lowest_rate_notes(request, choice)
    yield from _lower_rank_notes(request, choice.winner, candidates)
    if choice.winner.note:
        yield choice.winner.note


def _lower_rank_notes(
    request: Request, winner: Candidate, candidates: Sequence[Candidate]
) -> Iterator[str]:
    """Yield why some rank behind others that cost more: no known figure, or no fast network."""
    without_figure = [
        candidate
        for candidate in candidates
        if candidate.per_hour is not None and candidate.figure is None
    ]
    if without_figure:
        last_text = format_count(len(without_figure), *_ranks("figure", "behind"))
        yield f"{last_text}{_other_precisions(request, without_figure)}"
    bare_images = [each.machine.type for each in candidates if not each.fabric_software]
    if bare_images:
        last = "; listed after the others" if winner.fabric_software else ""
        yield f"{', '.join(bare_images)}: {NEEDS_FABRIC_IMAGE}{last}"
    unconnected_count = sum(candidate.connected is not True for candidate in candidates)
    if unconnected_count and winner.connected:
        lack_text = format_count(unconnected_count, "option lacks", "options lack")
        yield f"{lack_text} RDMA or a fast network; listed last"
    unlinked_count = sum(
        candidate.connected is True and not candidate.linked for candidate in candidates
    )
    if unlinked_count and winner.linked:
        lack_text = format_count(
            unlinked_count, "option of several machines has", "options of several machines have"
        )
        yield f"{lack_text} no NVLink between GPUs; listed after those that do"


def _ranks(unknown: str, where: str) -> tuple[str, str]:
    """Return the singular and plural sentences on the rank of unknown prices or figures."""
    subject = f"without a known {unknown}"
    return f"{subject} ranks {where}", f"{subject} rank {where}"


def _other_precisions(request: Request, without_figure: Sequence[Candidate]) -> str:
    """Return a note on other precisions with known dense rates for these machines."""
    if request.by != "tflops":
        return ""
    chosen_precision = request.precision or PRECISIONS[0]
    other_precisions = [
        precision
        for precision in PRECISIONS
        if any(tflops(each.machine, precision) is not None for each in without_figure)
    ]
    hint = (
        f"; --precision {' or '.join(other_precisions)} would rank them"
        if other_precisions
        else ""
    )
    return f", as no dense {chosen_precision} rate of their GPUs is known{hint}"


def memory_need_of_winner(request: Request, winner: Candidate) -> Any:
    """Return the memory that the model needs on each GPU of the winner, term by term."""
    if request.model is None:
        return None
    gpus = max(1, int(winner.machine.gpu_count)) * winner.machines
    winner_need = memory_need(request.model, gpus, winner.machines)
    return {
        "gpus": winner_need.gpus,
        "machines": winner_need.machines,
        "terms": winner_need.terms,
        "per_gpu_gb": winner_need.per_gpu_gb,
        "gpu_memory_gb": gpu_memory_gb(winner.machine),
        "assumed": winner_need.assumptions,
        "thumb": rule_of_thumb(request.model),
    }


def _each_gpu_memory_text(gpus: int, gigabytes: Decimal) -> str:
    if gpus == 1:
        return f"on the GPU, which has {gigabytes:.1f} GB"
    return f"on each of {gpus} GPUs, which have {gigabytes:.1f} GB"


def show_model(request: Request, winner: Candidate) -> None:
    """Print the memory that the model needs on a GPU of the winner, if there is a model."""
    winner_need = memory_need_of_winner(request, winner)
    if winner_need is None:
        return
    terms, total = winner_need["terms"], winner_need["per_gpu_gb"]
    sizes = round_to_total([term.gigabytes for term in terms], total, _SHOWN_GB)
    show_table(
        ("memory of one GPU", "formula", "GB"),
        [
            *(
                (term.name, term.formula, f"{gigabytes}")
                for term, gigabytes in zip(terms, sizes, strict=True)
            ),
            (
                "together",
                _each_gpu_memory_text(winner_need["gpus"], winner_need["gpu_memory_gb"]),
                f"{round_half_up(total, _SHOWN_GB)}",
            ),
        ],
        right=("GB",),
    )
    rule = winner_need["thumb"]
    show_line(f"{rule.name} ({rule.source}): {rule.gigabytes:.0f} GB = {rule.formula}")
