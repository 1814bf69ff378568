"""The price items of calls, whose number is unknown: functions, topics, queues, keys."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.model import Resource, Rows, Unknown, Usage

Observer = Callable[[Resource, Index, Usage], Rows]
_NOTIFICATION_PROTOCOLS: Final = ("email", "email-json", "sms")

_BUDGETS_REGION: Final = "us-east-1"
"""Where AWS Budgets, which has no regions, is listed and called:
https://docs.aws.amazon.com/general/latest/gr/billing.html"""


def kms_key(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a key's months, one version of it, and the price of its requests."""
    region = locations.region_of(resource, index)
    key_month = service_item("aws", resource, "key", "kms-key", "key-month", Decimal(1), region)
    item = service_item("aws", resource, "key", "kms-requests", "10k-requests", None, region)
    return Rows(items=(key_month, item))


def _rates(billed_use: str, *rows: tuple[str, str], place: str = "") -> Observer:
    """Return an observer of prices without quantities, in the resource's region or in `place`."""

    def observe_rates(resource: Resource, index: Index, _: Usage) -> Rows:
        region = place or locations.region_of(resource, index)
        return Rows(
            items=tuple(
                service_item("aws", resource, billed_use, item, unit, None, region)
                for item, unit in rows
            )
        )

    return observe_rates


topic: Final = _rates("topic", ("sns-requests", "1m-requests"))
queue: Final = _rates("queue", ("sqs-requests", "1m-requests"))
function: Final = _rates(
    "function", ("lambda-requests", "1m-requests"), ("lambda-duration", "GB-second")
)
schedule: Final = _rates("schedule", ("scheduler-invocations", "1m-requests"))
budget_action: Final = _rates("budget action", ("budget-action", "day"), place=_BUDGETS_REGION)
"""What each kind of resource is billed by. The number of calls is not known. Nor is the number of
budget actions that an account has, of which the first two are free:
https://aws.amazon.com/aws-cost-management/aws-budgets/pricing/"""


def address_starts(resource: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by requests of a topic or stream to a URL."""
    if resource.inputs.get("protocol") in _NOTIFICATION_PROTOCOLS:
        return iter(())
    from gpuinfra.clouds.observing import outbound_requests  # noqa: PLC0415  (few have any)

    return outbound_requests.reasons_of(resource, resource_types.canonical(resource.type), index)
