"""Declares the AWS budget that mails at the monthly cap, with a delay."""

from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.graph import Options, Resource, ResourceGraph
from gpuinfra.model import Caps

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

BUDGET_COST_TYPES: Final = {"includeCredit": False, "includeRefund": False}
"""Spent is what is used: with credits and refunds taken off, which is what AWS does unless it is
told, an account that has credits spends nothing and its budget never mails.
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CostTypes.html"""


def declare_budget(
    spec: BuildSpec, caps: Caps, graph: ResourceGraph, stop: tuple[Any, str] | None = None
) -> Resource | None:
    """Declare the budget; return None when no monthly cap is set.

    Args:
        spec: of the stack.
        caps: the stack's.
        graph: of the stack.
        stop: the topic notified when the limit is spent, and the key of the policy that lets
            the budget publish there.
    """
    if caps.per_month is None:
        return None
    topic, policy = (None, ()) if stop is None else (stop[0], stop[1:])
    return Children(spec, ROOT_KEY, graph=graph).make(
        "aws:budgets/budget:Budget",
        "budget",
        Options(depends_on=policy),
        budgetType="COST",
        timeUnit="MONTHLY",
        limitAmount=f"{caps.per_month:f}",
        limitUnit="USD",
        costTypes=BUDGET_COST_TYPES,
        costFilters=[{"name": "TagKeyValue", "values": [f"user:{TAG}${spec.stack}"]}],
        notifications=notices(caps.notify, topic),
    )


def notices(mails: tuple[str, ...], topic: Any = None) -> list[dict[str, Any]]:
    """Return the notices; none without a recipient, since AWS requires one for each."""
    entries: list[dict[str, Any]] = []
    for notice in NOTICES:
        receivers: dict[str, Any] = {"subscriberEmailAddresses": list(mails)} if mails else {}
        if topic is not None and notice == BREACH:
            receivers["subscriberSnsTopicArns"] = [topic]
        if receivers:
            entries.append(
                {
                    "comparisonOperator": "GREATER_THAN",
                    "notificationType": notice[0],
                    "threshold": notice[1],
                    "thresholdType": "PERCENTAGE",
                    **receivers,
                }
            )
    return entries
