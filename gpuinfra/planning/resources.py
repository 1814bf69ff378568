"""A plan from the resources of any Pulumi program, ours or not."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds import CLOUDS, cloud_of, part, room
from gpuinfra.model import UNKNOWN, Caps, NotJudged, Plan, Resource, Unknown, Usage

_NO_USAGE: Final = Usage()


def from_resources(
    resources: Sequence[Resource],
    *,
    name: str,
    caps: Caps,
    usage: Usage = _NO_USAGE,
    owner: str | None = None,
) -> Plan:
    """Plan what resources show, in every cloud that can observe; nothing is read from tags.

    `usage` is what no resource shows, by the resources' own names. A resource that no cloud
    judges stays in `not_judged`, once.
    """
    modules = [part(cloud, "observe") for cloud in observers()]
    observed = [module.observe(resources, usage) for module in modules]
    return Plan(
        name=name,
        owner=owner,
        caps=caps,
        groups=tuple(group for one in observed for group in one.groups),
        items=tuple(item for one in observed for item in one.items),
        buckets=tuple(bucket for one in observed for bucket in one.buckets),
        not_judged=tuple(_judged_by_none([one.not_judged for one in observed])),
        cloud_budget=_smallest([one.cloud_budget for one in observed]),
    )


def _judged_by_none(missing: Sequence[Sequence[NotJudged]]) -> Iterator[NotJudged]:
    found = [{one.subject: one for one in each} for each in missing]
    everywhere = set.intersection(*map(set, found)) if found else set()
    for subject in found[0] if found else ():
        if subject in everywhere:
            yield own_word([one[subject] for one in found])


def own_word(rows: Sequence[NotJudged]) -> NotJudged:
    """What the rooms of all clouds say of one resource: its own cloud's room is heard."""
    by_cloud = dict(zip(observers(), rows, strict=True))
    return by_cloud.get(cloud_of(rows[0].type) or "", rows[0])


@cache
def observers() -> tuple[str, ...]:
    """The clouds whose rooms observe."""
    return tuple(cloud for cloud in CLOUDS if "observe" in room(cloud).can)


def _smallest(budgets: Sequence[Any]) -> Decimal | Unknown | None:
    if UNKNOWN in budgets:
        return UNKNOWN
    return min((one for one in budgets if one is not None), default=None)
