"""The reason why a workload is on a cloud, or on none, as text."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from gpuinfra.catalog import PriceBook, ceiling
from gpuinfra.catalog.choosing.known_names import MAX_SUGGESTED_GPUS, OtherCloudsMachine
from gpuinfra.catalog.gpus import by_memory, matching, most_similar, nearest_gpus_text
from gpuinfra.catalog.rates import HourlyRate, rung_rate
from gpuinfra.errors import PathPart, Problem
from gpuinfra.model import Group
from gpuinfra.planning.cloud_offers import (
    CloudOffer,
    ColocatedWorkloads,
    has_usable_fabric,
    unpriced_items,
)
from gpuinfra.similar_words import nearest
from gpuinfra.units import format_unit_price
from gpuinfra.units.message_merging import first_in_words

Path = tuple[PathPart, ...]

_OF_CLOUD: Final = re.compile(r" --cloud \w+(?=`)")
"""What limits a command in a fix to one cloud."""

MAX_NAMED_WORKLOADS: Final = 3
"""The maximum number of other workloads named for a shared cloud."""


def with_reason(
    name: str,
    offers: Sequence[CloudOffer],
    cloud: str,
    tie: ColocatedWorkloads,
    names: Sequence[str],
    prices: PriceBook,
) -> CloudOffer:
    """Return the offer of a cloud, with the reason in its group if there was a choice."""
    (best,) = [offer for offer in offers if offer.cloud == cloud]
    if len(offers) == 1 or best.group is None:
        return best
    fabrics = {
        _fabric_text(offer.group_if_offered)
        for offer in offers
        if offer.group_if_offered is not None
    }
    reasons = {offer.cloud: _reason(offer, prices, fabric=len(fabrics) > 1) for offer in offers}
    against = "; ".join(reason_text for other, reason_text in reasons.items() if other != cloud)
    reason = f"{reasons[cloud]}{_shared_cloud_text(name, names)}"
    reason += f", the region of bucket {tie.required_by}" if tie.required_cloud else ""
    return _with_reasons(best, best.group, chosen=f"{reason}; not {against}")


def with_alternatives(
    offer: CloudOffer, other_offers: Sequence[CloudOffer], prices: PriceBook
) -> CloudOffer:
    """Return the offer, with the offers of other clouds as text in its group."""
    if offer.group is None or len(other_offers) == 1:
        return offer
    reasons_elsewhere = tuple(
        (other.cloud, _reason(other, prices, fabric=False))
        for other in other_offers
        if other.cloud != offer.cloud
    )
    return _with_reasons(offer, offer.group, elsewhere=reasons_elsewhere)


def _with_reasons(offer: CloudOffer, group: Group, **reasons: Any) -> CloudOffer:
    """Return an offer whose group has some of the `CloudReasons` set."""
    merged = replace(group.cloud_reasons, **reasons)
    return replace(offer, group=replace(group, cloud_reasons=merged))


def _shared_cloud_text(name: str, names: Sequence[str]) -> str:
    """Return text that names the first few workloads that share the cloud."""
    other_names = [other for other in names[: MAX_NAMED_WORKLOADS + 1] if other != name][
        :MAX_NAMED_WORKLOADS
    ]
    omitted_count = len(names) - 1 - len(other_names)
    other_text = ", ".join(other_names) + (f" and {omitted_count} more" if omitted_count else "")
    return f", together with {other_text}" if other_names else ""


def _reason(offer: CloudOffer, prices: PriceBook, *, fabric: bool) -> str:
    """Return a cloud's offer as text, with its fabric where that distinguishes the offers."""
    group = offer.group_if_offered
    if group is None:
        reason = _problems_without_cloud(offer)[0].message if offer.problems else "nothing fits"
        return f"{offer.cloud}: {reason}"
    rung = group.rungs[0]
    at = _rate_text(rung_rate(offer.cloud, rung, prices))
    text = f", {_fabric_text(group)}" if fabric else ""
    missing = unpriced_items(offer, prices)
    lacks = f", no price of {', '.join(missing)}" if missing else ""
    return f"{offer.cloud}: {rung.capacity} {rung.machine} in {rung.region} {at}{text}{lacks}"


def _fabric_text(group: Group) -> str:
    """Return whether machines have a fabric, and whether their default image can use it."""
    if group.fabric is None:
        return "without a fabric"
    return "with a fabric" if has_usable_fabric(group) else "with a fabric but not its software"


def _rate_text(rate: HourlyRate) -> str:
    """Return a rate as text, with the date of a spot price, and a mark for an own price."""
    if not rate.priced:
        return "price unknown"
    if rate.may_wait and rate.spot:
        last = f"last price {format_unit_price(ceiling(rate.spot))} ({rate.spot.as_of})"
        return f"at its maximum of {format_unit_price(rate.amount)} an hour, below the {last}"
    most = "most " if rate.expected is None else ""
    day = f" ({rate.spot.as_of})" if rate.spot and rate.spot.as_of else ""
    origin_text = ", your own price" if rate.row and rate.row.origin == "user" else ""
    return f"at {most}{format_unit_price(rate.amount)} an hour{day}{origin_text}"


def _problems_without_cloud(offer: CloudOffer) -> tuple[Problem, ...]:
    """Return an offer's problems without its cloud's name in their messages."""
    cloud_text = f" of {offer.cloud}"
    return tuple(
        replace(problem, message=problem.message.replace(cloud_text, "", 1))
        for problem in offer.problems
    )


def problems_by_cloud(offers: Sequence[CloudOffer]) -> Iterator[Problem]:
    """Yield the problems on every cloud that has the machine, with its name where they differ.

    A cloud without a problem can't be judged, as none of its regions is known: then only what is
    wrong on every cloud is told.
    """
    if len(offers) == 1:
        yield from offers[0].problems
        return
    compared_offers = [
        replace(offer, problems=_problems_without_cloud(offer))
        for offer in _offers_with_machine(offers)
    ]
    if len(compared_offers) == 1:
        yield from map(partial(_on_cloud, compared_offers[0].cloud), compared_offers[0].problems)
    else:
        yield from _merged_problems(compared_offers)


def _on_cloud(cloud: str, problem: Problem) -> Problem:
    """Return a problem with the name of its cloud."""
    return replace(problem, message=f"{cloud}: {problem.message}")


def _merged_problems(offers: Sequence[CloudOffer]) -> Iterator[Problem]:
    """Yield what is wrong on all clouds once, and the rest for each cloud."""
    by_count = dict(_by_count(offers))
    yield from by_count.values()
    clouds_by_problem = Counter(
        key
        for offer in offers
        for key in {(problem.path, problem.message) for problem in offer.problems}
    )
    done: set[tuple[Path, str]] = set()
    all_have_problems = all(offer.problems for offer in offers)
    for offer in offers:
        for problem in offer.problems:
            key = (problem.path, problem.message)
            if problem.path in by_count and _is_of_count(problem):
                continue
            if clouds_by_problem[key] < len(offers):
                if all_have_problems:
                    yield _on_cloud(offer.cloud, problem)
            elif key not in done:
                done.add(key)
                yield _merge_problem(offers, problem)


def _offers_with_machine(offers: Sequence[CloudOffer]) -> Sequence[CloudOffer]:
    """Return the offers of clouds that have the requested machine; all if none has it."""
    with_machine = [
        offer
        for offer in offers
        if not any(isinstance(problem, OtherCloudsMachine) for problem in offer.problems)
    ]
    return with_machine or offers


def _by_count(offers: Sequence[CloudOffer]) -> Iterator[tuple[Path, Problem]]:
    """Yield one problem per path for a GPU count that no cloud has, with the counts of each."""
    for first in filter(_is_of_count, offers[0].problems):
        same = {
            offer.cloud: problem
            for offer in offers
            for problem in offer.problems
            if problem.path == first.path and _is_of_count(problem)
        }
        fixes = (problem.fix.partition(";")[0] for problem in same.values())
        on_several = next((fix for fix in fixes if "nodes: " in fix), "")
        if len(same) == len(offers):
            yield (
                first.path,
                replace(
                    first,
                    message="no cloud has a machine type with so many of these GPUs",
                    allowed="; ".join(
                        f"{cloud} {workloads.allowed}" for cloud, workloads in same.items()
                    ),
                    fix=on_several or "use a count that a cloud has",
                ),
            )


def _is_of_count(problem: Problem) -> bool:
    """Return whether a problem is only about the number of GPUs."""
    return problem.path[-2:] == ("gpu", "count") and bool(problem.allowed)


def _merge_problem(offers: Sequence[CloudOffer], problem: Problem) -> Problem:
    """Return a problem that all clouds have as one, with what each cloud would accept."""
    same = [
        candidate
        for offer in offers
        for candidate in offer.problems
        if (candidate.path, candidate.message) == (problem.path, problem.message)
    ]
    hints = [same_problem.suggestion for same_problem in same if same_problem.suggestion]
    allowed_words = dict.fromkeys(
        word for same_problem in same for word in same_problem.allowed.split(", ") if word
    )
    fixes = {_OF_CLOUD.sub("", same_problem.fix) for same_problem in same}
    allowed, fix = ", ".join(allowed_words), fixes.pop() if len(fixes) == 1 else ""
    if similar := _similar_gpus(same):
        allowed, nearest_gpus = _merged_gpus(problem.value, similar)
        fix = fix or nearest_gpus
    elif problem.path[-2:] == ("gpu", "model"):
        allowed = ", ".join(by_memory(allowed_words))
    return replace(
        problem,
        suggestion=nearest(problem.value, hints) or next(iter(hints), ""),
        allowed=allowed,
        fix=fix,
    )


def no_common_cloud(
    tie: ColocatedWorkloads, offers: Mapping[str, Mapping[str, CloudOffer]]
) -> Problem:
    """Return the problem that no single cloud can run all workloads that share buckets."""
    offer_texts = [f"{name} on {' or '.join(clouds)}" for name, clouds in offers.items()]
    offers_text = first_in_words(offer_texts, MAX_NAMED_WORKLOADS + 1, separator="; ")
    shared = ", ".join(tie.buckets)
    only = f"; bucket {tie.required_by} on {tie.required_cloud}" if tie.required_cloud else ""
    return Problem(
        message=f"no single cloud can run every workload that shares {shared}: "
        f"{offers_text}{only}",
        path=("buckets", tie.required_by, "region")
        if tie.required_by
        else ("buckets", tie.buckets[0]),
        value=shared,
        allowed="the bucket, and all that mount it, on one cloud",
        fix=(
            f"remove the region of {tie.required_by}, or run all of these on {tie.required_cloud}"
            if tie.required_cloud
            else "use one bucket per cloud, or run all of these on one cloud"
        ),
    )


def _similar_gpus(problems: Iterable[Problem]) -> Collection[str]:
    """Return the GPUs that clouds have in place of one that they lack; none for other problems."""
    return dict.fromkeys(
        key
        for problem in problems
        if isinstance(problem, OtherCloudsMachine)
        for key in problem.similar_gpus
    )


def _merged_gpus(gpu_word: str, offered: Collection[str]) -> tuple[str, str]:
    """Return the GPUs most similar to a requested one, as a list, and the fix."""
    models = matching(gpu_word.partition(":")[0])
    similar = most_similar(models, offered)
    more = " and more" if len(similar) > MAX_SUGGESTED_GPUS else ""
    return f"{', '.join(similar[:MAX_SUGGESTED_GPUS])}{more}", nearest_gpus_text(models, similar)
