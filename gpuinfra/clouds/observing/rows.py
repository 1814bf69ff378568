"""What one resource contributes: groups, items, and what nobody can judge."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from gpuinfra.model import Bucket, Group, Item, NotJudged, Resource, Unknown


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one resource; rows of several resources add up."""

    groups: tuple[Group, ...] = ()
    items: tuple[Item, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """What a whole stack of resources holds."""

    groups: tuple[Group, ...]
    items: tuple[Item, ...]
    buckets: tuple[Bucket, ...]
    not_judged: tuple[NotJudged, ...]
    cloud_budget: Decimal | Unknown | None


def unjudged(resource: Resource, reason: str) -> Rows:
    """Return the rows of a resource that can't be judged, with the reason."""
    return Rows(not_judged=(NotJudged(subject=resource.urn, type=resource.type, reason=reason),))


def service_item(
    cloud: str,
    resource: Resource,
    kind: str,
    item: str,
    unit: str,
    quantity: Decimal | Unknown | None,
    region: str,
) -> Item:
    """Return a row of a resource that stands by itself."""
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


def distinctly_named(rows: Iterable[Rows]) -> list[Rows]:
    """Give groups of one name a number, so that each item finds its own group."""
    taken: dict[str, int] = {}
    renamed: list[Rows] = []
    for one in rows:
        if not one.groups:
            renamed.append(one)
            continue
        name = one.groups[0].name
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            name = f"{name} ({taken[name]})"
        renamed.append(
            Rows(
                tuple(replace(group, name=name) for group in one.groups),
                tuple(replace(item, group=name) for item in one.items),
                one.not_judged,
            )
        )
    return renamed
