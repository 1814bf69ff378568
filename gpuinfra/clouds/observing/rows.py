"""The rows of one resource: groups, items, and the parts that cannot be judged."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from operator import eq
from typing import Final

from gpuinfra.clouds import cloud_of, machineless_types
from gpuinfra.clouds.observing import commands, type_tokens
from gpuinfra.model import Item, Known, Listener, NotJudged, Resource, Rows, Unknown

_NO_TABLE: Final = "gpuinfra does not know this type: it may start machines"
_NO_OBJECT: Final = "no table has this kind of Kubernetes object, so it may start machines"
_NO_CHART: Final = (
    "no table has what the chart {} makes with these values, which may be load balancers, disks "
    "or machines: use kubernetes:helm.sh/v4:Chart, whose objects are resources of their own"
)
_PODS: Final = (
    "its cluster is not in this stack, or not all of its nodes are counted, so machines may be "
    "started for it"
)
_KUBERNETES: Final = "kubernetes"
_UNKNOWN_TYPE: Final = "no table has this type of the package {}, so it may start machines"


def rows_without_machines(
    resource: Resource,
    kind: str,
    *,
    is_known: bool,
    hourly_costs: Callable[[], Rows | None] = lambda: None,
) -> Rows:
    """Return the rows of a resource without any: empty where that is right, else the reason.

    Args:
        resource: of any package.
        kind: its canonical type.
        is_known: its cloud's tables say that it costs nothing, or only says something of others.
        hourly_costs: returns what a type with machines of its own costs, where its cloud knows it.
    """
    if is_known or not resource.custom or type_tokens.is_engines(kind):
        return Rows()
    reason = machineless_types.reason_not_judged(kind)
    if reason:
        return hourly_costs() or unjudged_rows(resource, reason)
    billed = machineless_types.fixed_price_reason(kind, resource.inputs)
    if billed:
        return unjudged_rows(resource, billed, by_type=True)
    harmless = machineless_types.reason(kind) or commands.reason(resource, kind)
    if harmless:
        (row,) = unjudged_rows(resource, harmless, by_type=True).not_judged
        small = machineless_types.charge(kind, resource.inputs)
        return Rows(not_judged=(replace(row, may_start_machines=False, hourly_maximum=small),))
    if cloud_of(kind) is None:
        return unjudged_rows(resource, _without_cloud(resource, kind), by_type=True)
    return unjudged_rows(resource, _NO_TABLE, by_type=True)


def _without_cloud(resource: Resource, kind: str) -> str:
    """Return the reason why a resource outside the clouds' packages can't be judged."""
    package = kind.partition(":")[0]
    if package != _KUBERNETES:
        return _UNKNOWN_TYPE.format(package)
    if machineless_types.no_machine_reason(kind, resource.inputs):
        return _PODS
    chart = machineless_types.chart_name(kind, resource.inputs)
    return _NO_CHART.format(chart) if chart else _NO_OBJECT


def listener_row(
    cloud: str, resource: Resource, *, public: Known, encrypted: Known, modern: Known | None
) -> Listener:
    """Return the endpoint of a resource, as judged by the rules on listeners."""
    return Listener(
        name=resource.name,
        subject=resource.urn,
        cloud=cloud,
        public=public,
        encrypted=encrypted,
        modern=modern,
    )


def unjudged_rows(
    resource: Resource, reason: str, *, by_type: bool = False, fix: str = ""
) -> Rows:
    """Return the rows of a resource that can't be judged, with the reason.

    `by_type` says that a row on its type settles what it costs, whatever its inputs are; `fix` is
    what makes it judged, where that is known.
    """
    row = NotJudged(
        subject=resource.urn, type=resource.type, reason=reason, by_type=by_type, fix=fix
    )
    return Rows(not_judged=(row,))


def unpriced_rows(resource: Resource, billed_use: str) -> Rows:
    """Return the rows of a resource, or a part of one, that no table prices."""
    row = NotJudged(
        subject=resource.urn,
        type=resource.type,
        reason=f"no price is known for {billed_use}",
        lacks_price=True,
    )
    return Rows(not_judged=(row,))


def surcharge_reasons(
    resource: Resource, reasons: Iterable[str], kind: str = ""
) -> tuple[NotJudged, ...]:
    """Return why machines cost more than their table price; empty without reasons.

    `kind` is the type that the machines count as, where that is not the resource's own.
    """
    reasons_text = "; ".join(dict.fromkeys(reasons))
    if not reasons_text:
        return ()
    return (NotJudged(subject=resource.urn, type=kind or resource.type, reason=reasons_text),)


def service_item(
    cloud: str,
    resource: Resource,
    kind: str,
    item: str,
    unit: str,
    quantity: Decimal | Unknown | None,
    region: str,
) -> Item:
    """Return a price row of a standalone resource."""
    return Item(
        name=resource.name,
        subject=resource.urn,
        kind=kind,
        cloud=cloud,
        item=item,
        unit=unit,
        quantity=quantity,
        region=region,
        resource=resource.urn,
    )


def machine_item(
    cloud: str,
    name: str,
    subject: str,
    group: str,
    item: str,
    unit: str,
    quantity: Decimal | Unknown | None,
    *,
    kind: str = "disk",
) -> Item:
    """Return the price row of what each machine of a group has: a disk, or another `kind`."""
    return Item(
        name=name,
        subject=subject,
        kind=kind,
        cloud=cloud,
        item=item,
        unit=unit,
        quantity=quantity,
        group=group,
        per_machine=True,
        resource=subject,
    )


def distinctly_named(rows: Iterable[Rows]) -> list[Rows]:
    """Number groups of the same name, so that each item finds its own group."""
    rows = list(rows)
    names = UniqueNames(group.name for row in rows for group in row.groups)
    return [_with_unique_names(row, names) if row.groups else row for row in rows]


def _with_unique_names(rows: Rows, names: "UniqueNames") -> Rows:
    first = rows.groups[0].name
    unique_names = {
        name: names.unique_name(name)
        for name in dict.fromkeys(group.name for group in rows.groups)
    }
    if all(map(eq, unique_names.keys(), unique_names.values())) and all(
        item.group for item in rows.items
    ):
        return rows
    return replace(
        rows,
        groups=tuple(replace(group, name=unique_names[group.name]) for group in rows.groups),
        items=tuple(
            replace(item, group=unique_names.get(item.group or first, unique_names[first]))
            for item in rows.items
        ),
    )


class UniqueNames:
    """Unique names: a repeated name gets a number appended."""

    def __init__(self, names: Iterable[str]) -> None:
        """Start with all names as written, which are given only to their own groups."""
        self._written = frozenset(names)
        self._numbers: dict[str, int] = {}

    def unique_name(self, name: str) -> str:
        """Return the name, with the next free number where it was given before."""
        number = self._numbers.get(name, 0) + 1
        while number > 1 and f"{name} ({number})" in self._written:
            number += 1
        self._numbers[name] = number
        return name if number == 1 else f"{name} ({number})"
