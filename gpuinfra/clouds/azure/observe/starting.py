"""Action groups whose receivers start machines, or what may start them, with nothing declared.

What they start is no resource of the stack, so no price is known of it: as of the targets of rules
on AWS, it is not judged, with the reason, and violates the budget rules.
"""

from typing import Any, Final

from gpuinfra.clouds.observing.values import flag, listed
from gpuinfra.model import Resource, Unknown

_RECEIVERS: Final = {
    "automationRunbookReceivers": "a runbook of Azure Automation",
    "logicAppReceivers": "a logic app",
    "webhookReceivers": "a webhook",
    "itsmReceivers": "an action of an ITSM connection",
    "incidentReceivers": "an action of an incident service",
}
"""Receivers that run what is written elsewhere; a runbook, too, has a webhook. An event hub only
takes the event, and a function is judged by itself:
https://learn.microsoft.com/azure/azure-monitor/alerts/action-groups"""


def reason(resource: Resource) -> str:
    """Why an action group may start machines, in words; empty where it can't."""
    if flag(resource.inputs.get("enabled")) is False:
        return ""
    runs = [words for key, words in _RECEIVERS.items() if _may_be_any(resource.inputs.get(key))]
    if not runs:
        return ""
    return f"it runs {', '.join(runs)}, which may start machines that are not declared here"


def _may_be_any(receivers: Any) -> bool:
    return isinstance(receivers, Unknown) or bool(listed(receivers))
