"""Builds the cap's late mirror in the cloud: an AWS budget of the month that mails."""

from typing import Any, Final

import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.order import Given, Order
from gpuinfra.model import Caps

KINDS: Final[Kinds] = {"budget": aws.budgets.Budget}

TAG: Final = "gpuinfra:stack"
"""The tag that the budget counts by. It counts nothing until an administrator of the account
activates it as a cost allocation tag, which AWS takes no order for before its first bill:
https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html"""

NOTICES: Final = (("ACTUAL", 80.0), ("ACTUAL", 100.0), ("FORECASTED", 100.0))
"""When it mails: percent of the month's limit, spent or expected."""


def build_budget(order: Order, caps: Caps, given: Given) -> aws.budgets.Budget | None:
    """Register the budget; None when no monthly cap is set."""
    if caps.per_month is None:
        return None
    children = Children(order, given, KINDS)
    made = children.make(
        aws.budgets.Budget,
        "budget",
        budget_type="COST",
        time_unit="MONTHLY",
        limit_amount=f"{caps.per_month:f}",
        limit_unit="USD",
        cost_filters=[{"name": "TagKeyValue", "values": [f"user:{TAG}${order.stack}"]}],
        notifications=notices(caps.notify),
    )
    children.finish()
    return made


def notices(mails: tuple[str, ...]) -> list[dict[str, Any]]:
    """The notices; without anybody to tell there are none, since AWS wants a receiver for each."""
    return [
        {
            "comparison_operator": "GREATER_THAN",
            "notification_type": kind,
            "threshold": threshold,
            "threshold_type": "PERCENTAGE",
            "subscriber_email_addresses": list(mails),
        }
        for kind, threshold in NOTICES
        if mails
    ]
