"""Provider resources to model rows: anyone's `aws:*` resources, judged by what they declare.

Nothing is read from tags or component types: a hand-written stack is judged as ours is. Relations
hold by value (ids, arns, names) once they are known, and by property dependency before that.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.buckets import bucket_of
from gpuinfra.clouds.aws.observe.groups import group_rows, schedule_rows
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.kinds import TYPES
from gpuinfra.clouds.aws.observe.lustre import whole_of
from gpuinfra.clouds.aws.observe.reservations import reservation_rows
from gpuinfra.clouds.aws.observe.services import SERVICES
from gpuinfra.clouds.aws.prices import free
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.rows import (
    Observation,
    Rows,
    distinctly_named,
    observed,
    silent,
)
from gpuinfra.clouds.observing.values import amount
from gpuinfra.model import UNKNOWN, Resource, Unknown, Usage

__all__ = [
    "KEPT",
    "TYPES",
    "Index",
    "Observation",
    "Rows",
    "Targets",
    "groups_and_items",
    "observe",
]

_MACHINES = frozenset({kinds.GROUP, kinds.INSTANCE, kinds.FLEET, kinds.NODE_GROUP})
_NO_USAGE = Usage()

KEPT = frozenset({kinds.RESERVATION})
"""Types whose cost falls when the machines that use them come: what is used is paid once."""


def observe(resources: Sequence[Resource], usage: Usage = _NO_USAGE) -> Observation:
    """Return the rows of all resources, in their order; linear in their number."""
    index = Index(resources)
    rows = [groups_and_items(resource, index, usage) for resource in index]
    named = distinctly_named(rows)
    buckets = (bucket_of(one, index, usage) for one in index.of(kinds.BUCKET))
    seen = observed(named, buckets, _cloud_budget(index))
    return replace(seen, file_systems=tuple(whole_of(one, index) for one in seen.file_systems))


def groups_and_items(resource: Resource, known: Index, usage: Usage = _NO_USAGE) -> Rows:
    """Return what one resource contributes, given an index of the resources known so far.

    Contributions add up: summing them over a stack gives what `observe` gives, names aside.
    """
    kind = kinds.canonical(resource.type)
    if kind in _MACHINES:
        return group_rows(resource, known, usage)
    if kind == kinds.SCHEDULE:
        return schedule_rows(resource, known, usage)
    if kind == kinds.RESERVATION:
        return reservation_rows(resource, known, usage)
    if kind in SERVICES:
        return SERVICES[kind](resource, known, usage)
    free_of_charge = free(kind) is not None
    return silent(resource, kind, known=kind in kinds.FACTS or free_of_charge)


def _cloud_budget(index: Index) -> Decimal | Unknown | None:
    """The smallest monthly cost budget, in USD; other kinds of budget limit nothing here."""
    limits: list[Decimal] = []
    for budget in index.of(kinds.BUDGET):
        inputs = budget.inputs
        if (inputs.get("budgetType"), inputs.get("timeUnit")) != ("COST", "MONTHLY"):
            continue
        limit = amount(inputs.get("limitAmount"))
        if isinstance(limit, Unknown) or inputs.get("limitUnit", "USD") != "USD":
            return UNKNOWN
        limits += [] if limit is None else [limit]
    return min(limits, default=None)
