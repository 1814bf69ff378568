"""What each cloud offers a workload, and which of them it takes: by constraints, then by price."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import dearest, on_demand, service, spot
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import PathPart, Problem
from gpuinfra.model import Group, Item, Rung, Unknown
from gpuinfra.units import format_money

Path = tuple[PathPart, ...]

NONE: Final = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A workload planned on one cloud: its machines and items, or why that can't be."""

    cloud: str
    group: Group | None
    items: tuple[Item, ...]
    problems: tuple[Problem, ...]

    @property
    def holds(self) -> bool:
        """Whether the workload can stand there."""
        return self.group is not None and not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Workloads that stand on one cloud together, because they share buckets.

    `only` is the cloud that a bucket's own region demands; `buckets` are those shared.
    """

    workloads: tuple[str, ...]
    buckets: tuple[str, ...] = ()
    only: str | None = None


@dataclass(frozen=True, slots=True)
class _Rate:
    """What one machine costs an hour: today's price or, where nobody knows, its ceiling."""

    amount: Decimal
    most: bool


def settle(
    offers: Mapping[str, Sequence[Offer]], ties: Sequence[Tie], problems: list[Problem]
) -> dict[str, Offer]:
    """The offer that each workload takes; what can't stand anywhere adds to `problems`.

    Of the clouds that hold all workloads of a tie, the cheapest: those whose parts all have a
    price first, then by the price of all machines on their first rung, then by the order of
    CLOUDS.
    """
    taken: dict[str, Offer] = {}
    for tie in ties:
        can = [name for name in tie.workloads if any(one.holds for one in offers[name])]
        for name in tie.workloads:
            if name not in can:
                problems += _told(offers[name])
        clouds = [
            cloud
            for cloud in CLOUDS
            if tie.only in {None, cloud}
            and all(_offer(offers[name], cloud) is not None for name in can)
        ]
        if not clouds and can:
            problems.append(_apart(tie, can, offers))
            continue
        if can:
            best = min(clouds, key=lambda cloud: _rank([offers[name] for name in can], cloud))
            for name in can:
                taken[name] = _reasoned(offers[name], best, [one for one in can if one != name])
    return taken


def _offer(offers: Sequence[Offer], cloud: str) -> Offer | None:
    return next((one for one in offers if one.cloud == cloud and one.holds), None)


def _rank(offers: Sequence[Sequence[Offer]], cloud: str) -> tuple[int, Decimal, int]:
    missing, total = 0, NONE
    for each in offers:
        offer = _offer(each, cloud)
        if offer is None or offer.group is None:
            continue
        rate = _rate(offer.group.cloud, offer.group.rungs[0])
        missing += len(_unpriced(offer)) + (rate is None)
        most = offer.group.maximum
        total += (rate.amount if rate else NONE) * (1 if isinstance(most, Unknown) else most)
    return (missing, total, CLOUDS.index(cloud))


def _rate(cloud: str, rung: Rung) -> _Rate | None:
    if rung.capacity == "spot":
        today = spot(cloud, rung.machine, rung.region, rung.zones)
        if today is not None:
            return _Rate(dearest(today), most=False)
        if rung.max_price is not None:
            return _Rate(rung.max_price, most=True)
    listed = on_demand(cloud, rung.machine, rung.region)
    return None if listed is None else _Rate(listed.per_unit, most=rung.capacity == "spot")


def _unpriced(offer: Offer) -> tuple[str, ...]:
    """The parts besides machines without a list price where the first rung stands."""
    if offer.group is None:
        return ()
    region = offer.group.rungs[0].region
    return tuple(
        one.item
        for one in offer.items
        if one.quantity is not None
        and service(offer.cloud, one.item, one.region or region) is None
    )


def _reasoned(offers: Sequence[Offer], cloud: str, others: Sequence[str]) -> Offer:
    """The offer of a cloud, its group with the reason; none where there was no choice."""
    (best,) = [one for one in offers if one.cloud == cloud]
    if len(offers) == 1 or best.group is None:
        return best
    against = "; ".join(_said(one) for one in offers if one is not best)
    together = f", together with {', '.join(others)}" if others else ""
    reason = f"{_said(best)}{together}; not {against}"
    return replace(best, group=replace(best.group, reason=reason))


def _said(offer: Offer) -> str:
    if offer.group is None or offer.problems:
        why = offer.problems[0] if offer.problems else None
        return f"{offer.cloud}: {why.message if why else 'nothing fits'}"
    rung = offer.group.rungs[0]
    rate = _rate(offer.cloud, rung)
    at = "without a known price"
    if rate is not None:
        at = f"at {'most ' if rate.most else ''}{format_money(rate.amount)} an hour"
    missing = _unpriced(offer)
    lacks = f", no price of {', '.join(missing)}" if missing else ""
    return f"{offer.cloud}: {rung.capacity} {rung.machine} in {rung.region} {at}{lacks}"


def _told(offers: Sequence[Offer]) -> Iterator[Problem]:
    """What is wrong on every cloud, named after its cloud where it is not the same on all."""
    heard = Counter((one.path, one.message) for offer in offers for one in offer.problems)
    told: set[tuple[Path, str]] = set()
    for offer in offers:
        for problem in offer.problems:
            key = (problem.path, problem.message)
            if heard[key] >= len(offers):
                if key not in told:
                    yield problem
                told.add(key)
            else:
                yield replace(problem, message=f"{offer.cloud}: {problem.message}")


def _apart(tie: Tie, names: Sequence[str], offers: Mapping[str, Sequence[Offer]]) -> Problem:
    """No one cloud holds all workloads of a tie."""
    where = "; ".join(
        f"{name} on {' or '.join(one.cloud for one in offers[name] if one.holds)}"
        for name in names
    )
    shared = ", ".join(tie.buckets)
    only = f", and {shared} on {tie.only}" if tie.only else ""
    return Problem(
        message=f"no one cloud holds all that shares {shared}: {where}{only}",
        path=("buckets", tie.buckets[0]),
        value=shared,
        allowed="a bucket, and all that mount it, on one cloud",
        fix="give each cloud a bucket of its own, or all of these one cloud",
    )
