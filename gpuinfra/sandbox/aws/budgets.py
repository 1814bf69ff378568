"""AWS Budgets; moto can't update one, so a change is a delete and a create."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import from_aws, to_aws
from gpuinfra.sandbox.plugin.contract import Call

_PERIOD = "%Y-%m-%d_%H:%M"  # the provider's form of timePeriodStart and timePeriodEnd
_NOTIFICATION = ("notificationType", "comparisonOperator", "threshold", "thresholdType")
_SUBSCRIBERS = {"subscriberEmailAddresses": "EMAIL", "subscriberSnsTopicArns": "SNS"}
_COPIED_INPUTS = frozenset({"budgetType", "timeUnit", "autoAdjustData", "costTypes"})


class SandboxBudget(ResourceHandler):
    """``aws:budgets/budget:Budget``, id ``<account>:<name>``.

    moto keeps no tags, subscribers, planned limits or filter expressions: these are answered as
    last known. Notifications are compared by type, threshold and operator.
    """

    def create(self, call: Call) -> str:
        account = str(call.inputs.get("accountId") or ec2.account(call))
        name = physical_name(call)
        self._create(call, account, name)
        return f"{account}:{name}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        account, _, name = resource_id.partition(":")
        client = call.client("budgets")
        budget = client.describe_budget(AccountId=account, BudgetName=name)["Budget"]
        notifications = client.describe_notifications_for_budget(
            AccountId=account, BudgetName=name
        )["Notifications"]
        limit = budget.get("BudgetLimit") or {}
        period = budget["TimePeriod"]
        return {
            "accountId": account,
            "name": name,
            "budgetType": budget["BudgetType"],
            "timeUnit": budget["TimeUnit"],
            "limitAmount": limit.get("Amount"),
            "limitUnit": limit.get("Unit"),
            "timePeriodStart": _period(period.get("Start")),
            "timePeriodEnd": _period(period.get("End")),
            "costFilters": _filters(
                budget.get("CostFilters") or {}, call.inputs.get("costFilters") or []
            ),
            "costTypes": _cost_types(call, budget, call.inputs.get("costTypes")),
            "notifications": _notifications(
                call, notifications, call.inputs.get("notifications") or []
            ),
            "arn": f"arn:aws:budgets::{account}:budget/{name}",
            "tagsAll": tags.declared_tags(call.inputs),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        account, _, name = resource_id.partition(":")
        call.client("budgets").delete_budget(AccountId=account, BudgetName=name)
        self._create(call, account, name)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        account, _, name = resource_id.partition(":")
        call.client("budgets").delete_budget(AccountId=account, BudgetName=name)

    def _create(self, call: Call, account: str, name: str) -> None:
        client, inputs = call.client("budgets"), call.inputs
        plain = {key: value for key, value in inputs.items() if key in _COPIED_INPUTS}
        budget = to_aws(client, "Budget", plain) | {"BudgetName": name}
        if inputs.get("limitAmount"):
            budget["BudgetLimit"] = {
                "Amount": str(inputs["limitAmount"]),
                "Unit": inputs.get("limitUnit") or "USD",
            }
        filters = inputs.get("costFilters") or []
        budget["CostFilters"] = {entry["name"]: entry["values"] for entry in filters}
        budget["TimePeriod"] = {
            key: datetime.strptime(inputs[name_], _PERIOD).replace(tzinfo=UTC)
            for key, name_ in (("Start", "timePeriodStart"), ("End", "timePeriodEnd"))
            if inputs.get(name_)
        }
        client.create_budget(
            AccountId=account,
            Budget={key: value for key, value in budget.items() if value not in ({}, None)},
            NotificationsWithSubscribers=[
                _notification(client, notification)
                for notification in inputs.get("notifications") or []
            ],
        )


def _notification(client: Any, given_one: Properties) -> dict[str, Any]:
    fields = {key: value for key, value in given_one.items() if key in _NOTIFICATION}
    return {
        "Notification": to_aws(client, "Notification", fields),
        "Subscribers": [
            {"SubscriptionType": kind, "Address": address}
            for key, kind in _SUBSCRIBERS.items()
            for address in given_one.get(key) or []
        ],
    }


def _notifications(
    call: Call, existing: list[dict[str, Any]], known: list[Properties]
) -> list[Properties] | None:
    """Return the known notifications that still exist, with their subscribers, then others."""
    read = [
        from_aws(call.client("budgets"), "Notification", notification) for notification in existing
    ]
    unmatched = [{key: notification.get(key) for key in _NOTIFICATION} for notification in read]
    declared_order = []
    for notification in known:
        match = next((other for other in unmatched if _key(other) == _key(notification)), None)
        if match is not None:
            unmatched.remove(match)
            declared_order.append(notification)
    return [*declared_order, *unmatched] or None


def _key(notification: Properties) -> tuple[Any, ...]:
    *words, threshold = (
        notification["notificationType"],
        notification["comparisonOperator"],
        notification.get("thresholdType"),
        Decimal(str(notification["threshold"])),
    )
    return (*words, threshold)


def _filters(existing: dict[str, list[str]], known: list[Properties]) -> list[Properties] | None:
    place = {entry["name"]: index for index, entry in enumerate(known)}
    names = sorted(existing, key=lambda name: (place.get(name, len(place)), name))
    return [{"name": name, "values": existing[name]} for name in names] or None


def _cost_types(call: Call, budget: dict[str, Any], known: Properties | None) -> Properties | None:
    if "CostTypes" not in budget:
        return None
    read: Properties = from_aws(call.client("budgets"), "CostTypes", budget["CostTypes"])
    return read if known is None else {key: read[key] for key in known if key in read}


def _period(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).strftime(_PERIOD) if moment else None
