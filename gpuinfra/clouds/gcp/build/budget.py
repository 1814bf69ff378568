"""Builds the cap's late mirror in the cloud: a budget of the month that mails."""

from decimal import Decimal
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.declaring.names import digest
from gpuinfra.clouds.gcp.build import labels
from gpuinfra.clouds.gcp.build.children import Children
from gpuinfra.clouds.order import Given, Order
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Caps

NOTICES: Final = (("CURRENT_SPEND", 0.8), ("CURRENT_SPEND", 1.0), ("FORECASTED_SPEND", 1.0))
"""When it mails: shares of the month's limit, spent or expected."""

CHANNELS: Final = 5
TITLE: Final = 60
"""Receivers of a budget, and characters of its title:
https://docs.cloud.google.com/billing/docs/reference/budget/rest/v1/billingAccounts.budgets"""

NANOS: Final = 10**9


def build_budget(order: Order, caps: Caps, given: Given) -> gcp.billing.Budget | None:
    """Register the budget; None without a monthly cap, or with a warning without an account.

    It counts what carries the stack's label, before credits, which would hide spending.

    Raises:
        InputError: a budget takes fewer receivers.
    """
    if caps.per_month is None:
        return None
    if caps.billing_account is None:
        pulumi.log.warn(
            f"{order.stack}: the month's cap gets no budget in Google Cloud, since no billing "
            "account is named; write budget: {billing_account: 01ABCD-234567-89EF01}",
            given.parent,
        )
        return None
    if len(caps.notify) > CHANNELS:
        raise InputError([_too_many(order.stack, len(caps.notify))])
    mails = {f"mail_{digest([mail])[:6]}": mail for mail in caps.notify}
    kinds: Kinds = {
        "budget": gcp.billing.Budget,
        **dict.fromkeys(mails, gcp.monitoring.NotificationChannel),
    }
    children = Children(order, given, kinds)
    channels = [
        children.make(
            gcp.monitoring.NotificationChannel,
            child,
            type="email",
            display_name=mail,
            labels={"email_address": mail},
        )
        for child, mail in mails.items()
    ]
    receivers: dict[str, Any] = (
        {"all_updates_rule": {"monitoring_notification_channels": [one.id for one in channels]}}
        if channels
        else {}
    )
    made = children.make(
        gcp.billing.Budget,
        "budget",
        billing_account=caps.billing_account,
        display_name=f"gpuinfra {order.stack}"[:TITLE],
        amount={"specified_amount": amount(caps.per_month)},
        budget_filter={
            "calendar_period": "MONTH",
            "credit_types_treatment": "EXCLUDE_ALL_CREDITS",
            "labels": {labels.STACK: labels.fitting(order.stack)},
        },
        threshold_rules=[
            {"threshold_percent": share, "spend_basis": basis} for basis, share in NOTICES
        ],
        **receivers,
    )
    children.finish()
    return made


def amount(dollars: Decimal) -> dict[str, Any]:
    """US dollars as Google writes money: whole units as text, the rest in billionths."""
    units, rest = divmod(dollars, 1)
    money: dict[str, Any] = {"currency_code": "USD", "units": f"{units:.0f}"}
    return {**money, "nanos": int(rest * NANOS)} if rest else money


def _too_many(stack: str, receivers: int) -> Problem:
    return Problem(
        message=f"{stack}: a budget of Google Cloud tells few receivers",
        path=("budget", "notify"),
        value=f"{receivers} addresses",
        allowed=f"at most {CHANNELS}",
        fix="name a mailing list",
    )
