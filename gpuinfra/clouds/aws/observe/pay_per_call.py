"""What is billed per call, of which the number is not known: functions, topics, queues, keys."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import billing_units, kinds, places
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.model import Resource, Rows, Unknown, Usage

Observer = Callable[[Resource, Index, Usage], Rows]
_TO_PEOPLE: Final = frozenset({"email", "email-json", "sms"})


def key(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a key's months, one version of it, and the rate of its requests."""
    region = places.region_of(resource, index)
    (month, unit), requests = billing_units.KEY
    kept = service_item("aws", resource, "key", month, unit, Decimal(1), region)
    item = service_item("aws", resource, "key", *requests, None, region)
    return Rows(items=(kept, item))


def _rates(what: str, rows: Sequence[tuple[str, str]], place: str = "") -> Observer:
    """Return the rates alone, where the resource is or in a place."""

    def rated(resource: Resource, index: Index, _: Usage) -> Rows:
        region = place or places.region_of(resource, index)
        return Rows(
            items=tuple(
                service_item("aws", resource, what, item, unit, None, region)
                for item, unit in rows
            )
        )

    return rated


topic: Final = _rates("topic", billing_units.TOPIC)
queue: Final = _rates("queue", billing_units.QUEUE)
function: Final = _rates("function", billing_units.FUNCTION)
schedule: Final = _rates("schedule", billing_units.SCHEDULE)
budget_action: Final = _rates("budget action", billing_units.ACTION, billing_units.BUDGETS_REGION)


def of_address(resource: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield what the requests start that a topic or a stream sends to an address."""
    if resource.inputs.get("protocol") in _TO_PEOPLE:
        return iter(())
    from gpuinfra.clouds.observing import outward  # noqa: PLC0415  (few have any)

    return outward.reasons_of(resource, kinds.canonical(resource.type), index)
