"""Builds the cap's late mirror in the cloud: an AWS budget of the month that mails."""

from typing import Any, Final

import pulumi
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

BREACH: Final = NOTICES[1]
"""The notice at which machines are taken down: all of the limit is spent, not only expected.

AWS learns what was spent up to three times a day, 8 to 12 hours apart, so it comes late by hours:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html"""


def build_budget(
    order: Order,
    caps: Caps,
    given: Given,
    stop: tuple[pulumi.Input[str], pulumi.Resource] | None = None,
) -> aws.budgets.Budget | None:
    """Register the budget; None when no monthly cap is set.

    Args:
        order: of the stack.
        caps: the stack's.
        given: its parent.
        stop: the topic that is told once the limit is spent, and the policy that lets the
            budget publish there.
    """
    if caps.per_month is None:
        return None
    children = Children(order, given, KINDS)
    more = {} if stop is None else {"opts": children.options(depends_on=[stop[1]])}
    made = children.make(
        aws.budgets.Budget,
        "budget",
        budget_type="COST",
        time_unit="MONTHLY",
        limit_amount=f"{caps.per_month:f}",
        limit_unit="USD",
        cost_filters=[{"name": "TagKeyValue", "values": [f"user:{TAG}${order.stack}"]}],
        notifications=notices(caps.notify, None if stop is None else stop[0]),
        **more,
    )
    children.finish()
    return made


def notices(
    mails: tuple[str, ...], topic: pulumi.Input[str] | None = None
) -> list[dict[str, Any]]:
    """The notices; AWS wants a receiver for each, so that nobody to tell makes none."""
    found: list[dict[str, Any]] = []
    for notice in NOTICES:
        receivers: dict[str, Any] = {"subscriber_email_addresses": list(mails)} if mails else {}
        if topic is not None and notice == BREACH:
            receivers["subscriber_sns_topic_arns"] = [topic]
        if receivers:
            found.append(
                {
                    "comparison_operator": "GREATER_THAN",
                    "notification_type": notice[0],
                    "threshold": notice[1],
                    "threshold_type": "PERCENTAGE",
                    **receivers,
                }
            )
    return found
