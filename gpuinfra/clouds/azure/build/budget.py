"""Builds the cap's late mirror in the cloud: an Azure budget of the month that mails."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.azure.build.children import Children
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.pinned import pinned
from gpuinfra.clouds.order import Given, Order
from gpuinfra.model import Caps

KINDS: Final[Kinds] = {"budget": azure.consumption.Budget}

TAG: Final = "gpuinfra:stack"
"""The tag that the budget counts by, in the whole subscription: a stack has many resource groups.
https://learn.microsoft.com/azure/cost-management-billing/costs/tutorial-acm-create-budgets"""

NOTICES: Final = (("Actual", 80.0), ("Actual", 100.0), ("Forecasted", 100.0))
"""When it mails: percent of the month's limit, spent or expected."""


def build_budget(order: Order, caps: Caps, given: Given) -> azure.consumption.Budget | None:
    """Register the budget; None when no monthly cap is set."""
    if caps.per_month is None:
        return None
    children = Children(order, given, KINDS)
    start = pinned(children, "budget_start", [order.stack], first_of_month(_today()))
    made = children.make(
        azure.consumption.Budget,
        "budget",
        scope=pulumi.Output.concat("/subscriptions/", children.subscription),
        amount=float(caps.per_month),
        category="Cost",
        time_grain="Monthly",
        time_period={"start_date": start},
        filter={"tags": {"name": TAG, "operator": "In", "values": [order.stack]}},
        notifications=notices(caps.notify),
    )
    children.finish()
    return made


def first_of_month(day: date) -> str:
    """When a budget of that day's month starts, as Azure takes it.

    It has to be the first of a month, and a budget that stands does not take another one.
    https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update
    """
    return f"{day:%Y-%m}-01T00:00:00Z"


def notices(mails: Sequence[str]) -> Mapping[str, Any]:
    """The notices by name; none without anybody to tell, since Azure wants an address for each."""
    return {
        f"{kind.lower()}-{threshold:.0f}": {
            "enabled": True,
            "operator": "GreaterThan",
            "threshold": threshold,
            "threshold_type": kind,
            "contact_emails": list(mails),
        }
        for kind, threshold in NOTICES
        if mails
    }


def _today() -> date:
    return datetime.now(UTC).date()
