"""Declares the budget in Google Cloud that mails at the monthly cap, with a delay."""

from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.children import ROOT
from gpuinfra.clouds.declaring.names import digest
from gpuinfra.clouds.gcp.declare import labels
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.errors import InputError, Problem
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.model import Caps

NOTICES: Final = (("CURRENT_SPEND", 0.8), ("CURRENT_SPEND", 1.0), ("FORECASTED_SPEND", 1.0))
"""When it mails: shares of the month's limit, spent or expected."""

MAX_CHANNELS: Final = 5
MAX_TITLE: Final = 60
"""Receivers of a budget, and characters of its title:
https://docs.cloud.google.com/billing/docs/reference/budget/rest/v1/billingAccounts.budgets"""

NANOS: Final = 10**9


def declare_budget(spec: BuildSpec, caps: Caps, graph: ResourceGraph) -> Resource | None:
    """Declare the budget; return None without a cap or, with a warning, without an account.

    It counts what carries the stack's label, before credits, which would hide spending.

    Raises:
        InputError: a budget takes fewer receivers.
    """
    if caps.per_month is None:
        return None
    if caps.billing_account is None:
        graph.warnings.append(
            f"{spec.stack}: the monthly cap gets no budget in Google Cloud, because no "
            "billing account is named; add to budget: billing_account: …"
        )
        return None
    if len(caps.notify) > MAX_CHANNELS:
        raise InputError([_too_many(spec.stack, len(caps.notify))])
    children = Children(spec, ROOT_KEY, ROOT, graph, "gcp.")
    channels = [_channel(children, mail)["id"] for mail in dict.fromkeys(caps.notify)]
    return children.make(
        "gcp:billing/budget:Budget",
        "budget",
        billingAccount=caps.billing_account,
        displayName=f"gpuinfra {spec.stack}"[:MAX_TITLE],
        amount={"specifiedAmount": amount(caps.per_month)},
        budgetFilter={
            "calendarPeriod": "MONTH",
            "creditTypesTreatment": "EXCLUDE_ALL_CREDITS",
            "labels": {labels.STACK: labels.as_label_value(spec.stack)},
        },
        thresholdRules=[
            {"thresholdPercent": share, "spendBasis": basis} for basis, share in NOTICES
        ],
        allUpdatesRule={"monitoringNotificationChannels": channels} if channels else None,
    )


def amount(dollars: Decimal) -> dict[str, Any]:
    """Return US dollars in Google's format: whole units as text, the rest in billionths."""
    units, fraction = divmod(dollars, 1)
    money: dict[str, Any] = {"currencyCode": "USD", "units": f"{units:.0f}"}
    return {**money, "nanos": int(fraction * NANOS)} if fraction else money


def _channel(children: Children, mail: str) -> Resource:
    return children.make(
        "gcp:monitoring/notificationChannel:NotificationChannel",
        f"mail_{digest([mail])[:6]}",
        type="email",
        displayName=mail,
        labels={"email_address": mail},
    )


def _too_many(stack: str, receivers: int) -> Problem:
    return Problem(
        message=f"{stack}: a Google Cloud budget has too many recipients",
        path=("budget", "notify"),
        value=f"{receivers} addresses",
        allowed=f"at most {MAX_CHANNELS}",
        fix="use a mailing list",
    )
