"""A budget counts the stack alone, and each of its notices tells something."""

from collections.abc import Iterator
from typing import Any, Final

from tests.witnesses.aws.stack import Stack

PAID: Final = (
    "VirtualMachineScaleSet",
    "NatGateway",
    "PublicIPAddress",
    "LoadBalancer",
    "StorageAccount",
)
"""Types that cost money and take tags, by which a budget counts:
https://learn.microsoft.com/azure/cost-management-billing/costs/understand-cost-mgt-data"""


def complaints(stack: Stack) -> Iterator[str]:
    """Budgets of more than the stack, and notices that are off or say the same twice.

    https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update
    """
    for budget, inputs in stack.of("Budget"):
        if not inputs.get("filter"):
            yield f"{budget.key}: it counts the whole subscription"
        counted = (inputs.get("filter") or {}).get("tags") or {}
        yield from _left_out(counted, stack)
        if "notifications" not in inputs:
            yield f"{budget.key}: it does not say who is told"
        told = [
            (notification.get("threshold"), notification.get("thresholdType", "Actual"))
            for notification in (inputs.get("notifications") or {}).values()
        ]
        if len(set(told)) < len(told):
            yield f"{budget.key}: two notices say the same"
        for name, notification in (inputs.get("notifications") or {}).items():
            if notification.get("enabled") is not True:
                yield f"{budget.key}: the notice {name} is off"


def _left_out(counted: dict[str, Any], stack: Stack) -> Iterator[str]:
    """What costs money and has not the tag by which a budget counts."""
    for token in PAID:
        for resource, inputs in stack.of(token):
            if (inputs.get("tags") or {}).get(counted.get("name")) not in counted.get(
                "values", ()
            ):
                yield f"{resource.key}: the budget does not count it"
