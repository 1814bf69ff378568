"""Action groups and policies that may start machines that are not declared.

What they start is no resource of the stack, so no price is known of it: as of the targets of rules
on AWS, it is not judged, with the reason, and violates the budget rules.
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.rights.identity import principals
from gpuinfra.clouds.azure.observe.rights.role_powers import (
    gives_everything,
    is_visible,
    role_is,
    starts_machines,
)
from gpuinfra.clouds.observing import outbound_requests
from gpuinfra.clouds.observing.values import any_of, as_list, at, flag
from gpuinfra.model import Resource, Unknown

_RECEIVERS: Final = {
    "automationRunbookReceivers": "a runbook of Azure Automation",
    "logicAppReceivers": "a logic app",
    "itsmReceivers": "an action of an ITSM connection",
    "incidentReceivers": "an action of an incident service",
}
"""Receivers that run code defined elsewhere. An event hub only takes the event:
https://learn.microsoft.com/azure/azure-monitor/alerts/action-groups"""
_WEBHOOKS: Final = "webhookReceivers"
_FUNCTIONS: Final = "azureFunctionReceivers"

_HARMLESS_TARGETS: Final = (
    *("", "StorageQueue", "EventHub", "ServiceBusQueue", "ServiceBusTopic", "NamespaceTopic"),
    *("HybridConnection", "MonitorAlert"),
)
"""Destinations that take an event and run nothing; an alert is judged by its action groups:
https://learn.microsoft.com/azure/event-grid/event-handlers
(2026-11-27, not re-read: unverified)"""

_CALLS: Final = (
    "it delivers events to a handler that may start machines that are not declared here"
)

_DEPLOYS: Final = (
    "its policy may deploy resources with an identity that may start machines, which are not "
    "declared here"
)
"""A policy with the effect deployIfNotExists deploys a template by the identity of its assignment:
https://learn.microsoft.com/azure/governance/policy/concepts/effect-deploy-if-not-exists"""


def reason(resource: Resource, index: Index) -> str:
    """Return why a type of `resource_types.MAY_START` may start machines; empty if it can't."""
    if resource_types.canonical(resource.type) == resource_types.POLICY_ASSIGNMENT:
        return _DEPLOYS if may_start(resource, index) else ""
    if resource_types.canonical(resource.type) in resource_types.EVENT_SUBSCRIPTIONS:
        return _delivers(resource)
    if flag(resource.inputs.get("enabled")) is False:
        return ""
    texts = [text for key, text in _RECEIVERS.items() if _may_be_any(resource.inputs.get(key))]
    texts += dict.fromkeys(_webhooks(resource.inputs.get(_WEBHOOKS)))
    texts += dict.fromkeys(_functions(resource, index))
    if not texts:
        return ""
    return f"it runs {', '.join(texts)}, which may start machines that are not declared here"


def _delivers(resource: Resource) -> str:
    """Return why where events are delivered may start machines; empty for what only keeps them."""
    inputs = resource.inputs
    by_identity = at(inputs.get("deliveryWithResourceIdentity"), "destination")
    for destination in (inputs.get("destination"), by_identity):
        kind = "" if destination is None else at(destination, "endpointType")
        if kind == "WebHook":
            url = at(destination, "endpointUrl")
            uses_identity = at(destination, "azureActiveDirectoryApplicationIdOrUri") is not None
            is_safe = isinstance(url, str) and not outbound_requests.webhook_start_reason(
                url, identity=uses_identity
            )
        else:
            is_safe = kind in _HARMLESS_TARGETS
        if not is_safe:
            return _CALLS
    return ""


def _may_be_any(receivers: Any) -> bool:
    return isinstance(receivers, Unknown) or bool(as_list(receivers))


def _webhooks(receivers: Any) -> Iterator[str]:
    """Yield the webhooks that may start machines; a runbook has one, too."""
    if isinstance(receivers, Unknown):
        yield "a webhook"
        return
    for receiver in as_list(receivers):
        url = at(receiver, "serviceUri")
        uses_identity = flag(at(receiver, "useAadAuth")) not in {None, False}
        if not isinstance(url, str) or outbound_requests.webhook_start_reason(
            url, identity=uses_identity
        ):
            yield "a webhook"


def _functions(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the functions that may start machines: outside the stack, or by their identity."""
    receivers = resource.inputs.get(_FUNCTIONS)
    if isinstance(receivers, Unknown):
        yield "a function"
        return
    for receiver in as_list(receivers):
        app_id = at(receiver, "functionAppResourceId")
        apps = index.targets(resource, _FUNCTIONS, resource_types.WEB_APP, app_id or [])
        if not (app_id and apps.exact and apps.certain):
            yield "a function of an app that is not in this stack, or not known yet"
        elif any(may_start(app, index) for app in apps.certain):
            yield "a function whose identity may start them"


def may_start(resource: Resource, index: Index, *, unseen: bool = True) -> bool:
    """Return whether the identity of a resource has, or may have, a role to start machines.

    One of elsewhere may have it where `unseen` says so; see `unseen_runtime_identities` of others.
    """
    for principal in principals(resource, index):
        if isinstance(principal, Unknown):
            if unseen:
                return True
            continue
        grants, complete = index.grants(principal)
        if not complete or any(_may_start_machines(grant, index) for grant in grants):
            return True
    return False


def _may_start_machines(grant: Resource, index: Index) -> bool:
    if not is_visible(grant, index):
        return True
    tests = (role_is(grant, index, test) for test in (gives_everything, starts_machines))
    return any_of(tests) is not False
