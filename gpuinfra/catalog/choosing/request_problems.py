"""Problems of a request for a machine: unknown values and contradicting constraints."""

from collections.abc import Iterable, Iterator
from decimal import Decimal

from gpuinfra.catalog.choosing.regional_offers import Market, modes_of
from gpuinfra.catalog.choosing.request import FIGURE_TITLES, PRECISIONS
from gpuinfra.catalog.commitment_terms import COMMITMENTS, KINDS, TERMS, term
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.errors import PathPart, Problem, unknown_word
from gpuinfra.similar_words import nearest

ARCHITECTURES = ("x86_64", "arm64")


def wrong_words(market: Market) -> Iterator[Problem]:
    """Yield problems of unknown words in a request, each with the valid words."""
    request = market.request
    if request.capacity in (*TERMS, *COMMITMENTS):
        yield Problem(
            message=f"{request.capacity} is a commitment, not a purchase option",
            path=("capacity",),
            value=request.capacity,
            allowed=", ".join(_purchase_options(PRICED_CLOUDS)),
            fix=f"use it as a commitment: --commitment {request.capacity}",
        )
    elif request.capacity not in _purchase_options(request.clouds):
        yield from _unknown_word_problem(
            "purchase option", request.capacity, _purchase_options(PRICED_CLOUDS), ("capacity",)
        )
    known_modes = _commitment_modes(
        mode for cloud in request.clouds for mode in market.known_modes(cloud)
    )
    if request.commitment is not None and request.commitment not in known_modes:
        all_modes = _commitment_modes((*known_modes, *_modes(PRICED_CLOUDS)))
        yield from _unknown_word_problem(
            "commitment", request.commitment, all_modes, ("commitment",)
        )
    yield from _unknown_word_problem(
        "precision", request.precision, PRECISIONS, ("gpu", "precision")
    )
    yield from _unknown_word_problem(
        "processor", request.architecture, ARCHITECTURES, ("gpu", "architecture")
    )
    yield from _unknown_word_problem("ranking", request.by, FIGURE_TITLES, ("by",))
    yield from _unavailable_fabric(market)


def contradictions(market: Market) -> Iterator[Problem]:
    """Yield problems of requirements that contradict each other, and of invalid numbers."""
    request = market.request
    capacity = request.capacity
    if (
        request.commitment is not None
        and capacity != "on-demand"
        and capacity in _purchase_options(PRICED_CLOUDS)
    ):
        yield Problem(
            message=f"{capacity} machines have no commitments",
            path=("commitment",),
            value=request.commitment,
            allowed="a commitment with on-demand capacity",
            fix="remove the commitment, or use on-demand",
        )
    if request.nvlink is False and (request.nvlink_domain or 1) > 1:
        yield Problem(
            message="an NVLink domain without NVLink",
            path=("gpu", "nvlink_domain"),
            value=str(request.nvlink_domain),
            fix="use one of the two",
        )
    if request.hours is None and request.by == "run":
        yield Problem(
            message="the duration of a run is unknown",
            path=("by",),
            value="run",
            fix="set it, for example --for 72h",
        )
    yield from _numbers(market)


def _numbers(market: Market) -> Iterator[Problem]:
    request = market.request
    numbers = {
        "hours": request.hours,
        "machines": request.machines,
        "max_per_hour": request.max_per_hour,
        "count": request.count,
        "nvlink_domain": request.nvlink_domain,
        "fabric_speed": request.fabric_speed,
        "vcpu_per_gpu": request.vcpu_per_gpu,
        "ram_per_gpu": request.ram_per_gpu,
    }
    for name, number in numbers.items():
        if number is not None and not (Decimal(number).is_finite() and number > 0):
            yield Problem(
                message=f"{name.replace('_', ' ')} can't be {number}",
                path=(name,),
                value=str(number),
                allowed="a number above 0",
            )


def _purchase_options(clouds: Iterable[str]) -> tuple[str, ...]:
    """Return the purchase options on these clouds that are no commitments."""
    return tuple(mode for mode in _modes(clouds) if not mode.startswith(KINDS))


def _commitment_modes(known_modes: Iterable[str]) -> tuple[str, ...]:
    """Return the commitments among some modes: their lengths, then the modes themselves."""
    modes = tuple(dict.fromkeys(mode for mode in known_modes if term(mode)))
    lengths = tuple(
        length
        for length in TERMS
        if any(known_mode.endswith(f"-{length}") for known_mode in modes)
    )
    return (*lengths, *modes)


def _modes(clouds: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mode for cloud in clouds for mode in modes_of(cloud)))


def _unknown_word_problem(
    noun: str, word: str | None, known_words: Iterable[str], path: tuple[PathPart, ...]
) -> Iterator[Problem]:
    accepted = tuple(known_words)
    if word is not None and word not in accepted:
        yield unknown_word(f"unknown {noun}", word, accepted, path)


def _unavailable_fabric(market: Market) -> Iterator[Problem]:
    fabric_name = market.request.fabric_kind
    if fabric_name is None:
        return
    known_fabrics = {machine.fabric for machine in market.machines if machine.fabric}
    if fabric_name in known_fabrics:
        return
    offering_clouds = [
        cloud
        for cloud in PRICED_CLOUDS
        if any(
            machine.fabric == fabric_name
            for machine in priced_cloud_of(cloud).machines.all_machines()
        )
    ]
    yield Problem(
        message="no machine has this fabric" if offering_clouds else "unknown fabric",
        path=("gpu", "fabric"),
        value=fabric_name,
        allowed=", ".join(sorted(known_fabrics)),
        suggestion="" if offering_clouds else nearest(fabric_name, sorted(known_fabrics)),
        fix=f"available on {', '.join(offering_clouds)}" if offering_clouds else "",
    )
