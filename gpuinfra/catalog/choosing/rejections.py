"""The machines that do not fit a request, why, and the error that none fits."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.choosing.constraints import ORDER, failures, gpu_counts
from gpuinfra.catalog.choosing.known_names import buildable_gpus
from gpuinfra.catalog.choosing.machine_constraints import ConstraintMiss
from gpuinfra.catalog.choosing.no_match_text import (
    is_buildable,
    machines_together,
    relaxed_request_text,
    request_in_words,
    workload_key,
)
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.gpus import matching, most_similar, nearest_gpus_text
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine
from gpuinfra.records import record
from gpuinfra.units import plain
from gpuinfra.units.message_merging import first_in_words

MAX_NEAREST: Final = 5


@record
class RejectedMachine:
    """A machine that does not fit: the first constraint that excludes it, and the reason."""

    machine: str
    cloud: str
    constraint: str
    reason: str


class NothingFits(InputError):  # noqa: N818 - reads as what happened
    """The error that no machine fits; `nearest` are those that miss by the least, `losers` all.

    `alternative` is what to ask for instead, so that the nearest one is no longer excluded; where
    only its price excludes it, `price` is the maximum per hour that lets it in. Where it has too
    few GPUs, `together` is how many each has, and how many machines have those requested.
    """

    def __init__(
        self,
        problem: Problem,
        losers: tuple[RejectedMachine, ...],
        nearest: tuple[RejectedMachine, ...],
        alternative: str,
        price: Decimal | None = None,
        together: tuple[str, int] | None = None,
    ) -> None:
        self.losers = losers
        self.nearest = nearest
        self.alternative = alternative
        self.price = price
        self.together = together
        super().__init__([problem])

    @property
    def is_elsewhere(self) -> bool:
        """Whether the machine that misses by the least is one of other regions."""
        return [rejected.constraint for rejected in self.nearest[:1]] == ["region"]


@record(kw_only=False)
class _Rejection:
    """A machine that lost, with its distance from fitting; smaller is nearer."""

    distance: tuple[int, int, Decimal]
    machine: Machine
    constraint: str
    miss: ConstraintMiss

    @property
    def rejection(self) -> RejectedMachine:
        return RejectedMachine(
            machine=self.machine.type,
            cloud=self.machine.cloud,
            constraint=self.constraint,
            reason=self.miss.reason,
        )


def losers(market: Market) -> tuple[RejectedMachine, ...]:
    """Return the machines that do not fit, those that come closest first."""
    return tuple(entry.rejection for entry in _rejections(market))


def _rejections(market: Market) -> list[_Rejection]:
    """Return the machines that fail a constraint, those that come closest to fitting first."""
    rejections: list[_Rejection] = []
    for machine in market.machines:
        failed = failures(machine, market)
        if failed:
            constraint, miss = failed[0]
            sort_key = (-ORDER.index(constraint), len(failed), miss.shortfall)
            rejections.append(_Rejection(sort_key, machine, constraint, miss))
    return sorted(
        rejections,
        key=lambda rejection: (
            rejection.distance,
            rejection.machine.type,
            rejection.machine.cloud,
        ),
    )


def _suggestion(close: Sequence[_Rejection]) -> _Rejection:
    """Return the nearest machine, if possible a buildable one, for which to relax the request."""
    same_constraint = [entry for entry in close if entry.constraint == close[0].constraint]
    return next(
        (entry for entry in same_constraint if is_buildable(entry.machine)), same_constraint[0]
    )


def _buildable(nearest: _Rejection, rejections: Sequence[_Rejection]) -> _Rejection:
    """Return the nearest machine, or a buildable one that fails one constraint, not the GPU."""
    if is_buildable(nearest.machine):
        return nearest
    with_gpu = (entry for entry in rejections if entry.constraint != "gpu")
    single = (entry for entry in with_gpu if entry.distance[1] == 1)
    return next((entry for entry in single if is_buildable(entry.machine)), nearest)


def _alternative(market: Market, entry: _Rejection) -> str:
    """Return what to request instead; similar GPUs where gpuinfra builds with none of those."""
    keys = matching(market.request.gpu or "")
    similar_keys = () if is_buildable(entry.machine) else buildable_gpus(market).difference(keys)
    if keys and similar_keys:
        return f"use another GPU: {nearest_gpus_text(keys, most_similar(keys, similar_keys))}"
    return relaxed_request_text(market, entry.machine, entry.constraint, entry.miss)


def _rejection_reasons(close: Sequence[_Rejection]) -> Iterator[str]:
    """Yield why machines don't fit, each reason once, with the first machine and how many more."""
    machines_by_reason: dict[str, list[str]] = {}
    for entry in close:
        machines_by_reason.setdefault(entry.miss.reason, []).append(entry.machine.type)
    for reason, types in machines_by_reason.items():
        yield f"{first_in_words(types, 1)}: {reason}"


def _fix_states_reason(entry: _Rejection, fix: str) -> bool:
    """Return whether the fix already states the reason: the same regions offer it."""
    return entry.constraint == "region" and bool(entry.miss.actual) and entry.miss.actual in fix


def no_fit_error(market: Market) -> NothingFits:
    """Return the refusal, at the key that excludes the nearest machine, with the fix."""
    request, rejections = market.request, _rejections(market)
    of_instance = [entry for entry in rejections if entry.machine.type == request.instance]
    nearest = rejections[:MAX_NEAREST]
    close = of_instance or [entry for entry in nearest if entry.constraint != "gpu"] or nearest
    is_count = bool(close) and close[0].constraint == "count"
    entry = _suggestion(close) if close else None
    if entry is not None and not of_instance:
        entry = _buildable(entry, rejections)
    fix = _alternative(market, entry) if entry else ""
    other_entries = [entry for entry in close if not _fix_states_reason(entry, fix)]
    reasons_text = "; ".join(_rejection_reasons(other_entries))
    label = "the closest" if other_entries[:1] == list(close[:1]) else "also close"
    problem = Problem(
        message=f"no machine type fits: {request_in_words(market)}",
        path=workload_key(request, close[0].constraint) if close else ("gpu",),
        value=request.machine_text,
        allowed=", ".join(map(plain, gpu_counts(market))) if is_count else "",
        fix="; ".join(filter(None, (fix, reasons_text and f"{label}: {reasons_text}"))),
    )
    rejected, near_ones = (
        tuple(candidate_entry.rejection for candidate_entry in entries)
        for entries in (rejections, close)
    )
    price = entry.miss.least_maximum if entry else None
    return NothingFits(problem, rejected, near_ones, fix, price, _together(market, entry))


def _together(market: Market, entry: _Rejection | None) -> tuple[str, int] | None:
    """Return the GPUs of a machine with too few, and how many have them all; None if none do."""
    if entry is None or entry.constraint != "count":
        return None
    machines = machines_together(market, entry.machine)
    return None if machines is None else (plain(entry.machine.gpu_count), machines)
