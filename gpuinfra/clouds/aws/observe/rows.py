"""What one resource contributes: groups, items, and what nobody can judge."""

from dataclasses import dataclass
from decimal import Decimal

from gpuinfra.model import Group, Item, NotJudged, Resource, Unknown


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one resource; rows of several resources add up."""

    groups: tuple[Group, ...] = ()
    items: tuple[Item, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()


def unjudged(resource: Resource, reason: str) -> Rows:
    """Return the rows of a resource that can't be judged, with the reason."""
    return Rows(not_judged=(NotJudged(subject=resource.urn, type=resource.type, reason=reason),))


def service_item(
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
        cloud="aws",
        item=item,
        unit=unit,
        quantity=quantity,
        region=region,
        resource=resource.urn,
    )
