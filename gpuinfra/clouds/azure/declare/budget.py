"""Declares the Azure budget that mails at the monthly cap, with a delay."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.declare.children import SUBSCRIPTION, Children
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.inputs import NOW
from gpuinfra.clouds.declaring.pinned_values import pin_value
from gpuinfra.graph import ResourceGraph, compute, concat
from gpuinfra.model import Caps

TAG: Final = "gpuinfra:stack"
"""The tag that the budget counts by, in the whole subscription: a stack has many resource groups.
https://learn.microsoft.com/azure/cost-management-billing/costs/tutorial-acm-create-budgets"""

NOTICES: Final = (("Actual", 80.0), ("Actual", 100.0), ("Forecasted", 100.0))
"""When it mails: percent of the month's limit, spent or expected."""


def declare_budget(spec: BuildSpec, caps: Caps, graph: ResourceGraph) -> None:
    """Declare the budget, if there is a monthly cap."""
    if caps.per_month is None:
        return
    children = Children(spec, ROOT_KEY, graph=graph)
    start = pin_value(children, "budget_start", [spec.stack], compute(first_of_month, NOW))
    children.make(
        "azure-native:consumption:Budget",
        "budget",
        scope=concat("/subscriptions/", SUBSCRIPTION),
        amount=float(caps.per_month),
        category="Cost",
        timeGrain="Monthly",
        timePeriod={"startDate": start},
        filter={"tags": {"name": TAG, "operator": "In", "values": [spec.stack]}},
        notifications=notices(caps.notify),
    )


def first_of_month(start_time: str) -> str:
    """Return the start of a budget in that time's month (ISO 8601), in Azure's format.

    It has to be the first of a month, and an existing budget can't take another one.
    https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update
    """
    return f"{start_time[:7]}-01T00:00:00Z"


def notices(mails: Sequence[str]) -> Mapping[str, Any]:
    """Return the notices by name; none without a recipient, since Azure requires one for each."""
    return {
        f"{kind.lower()}-{threshold:.0f}": {
            "enabled": True,
            "operator": "GreaterThan",
            "threshold": threshold,
            "thresholdType": kind,
            "contactEmails": list(mails),
        }
        for kind, threshold in NOTICES
        if mails
    }
