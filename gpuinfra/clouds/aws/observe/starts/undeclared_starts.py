"""Schedules, rules, functions and roles that start or scale machines undeclared.

What they start is no resource of the stack, so no price is known of it: it is not judged, with the
reason, and violates the budget rules as all that has no price does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.costs import call_prices, cloudwatch
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.rights import grants
from gpuinfra.clouds.aws.observe.starts.called_actions import (
    MAY_START,
    foreign_call_starts,
    is_harmless,
)
from gpuinfra.clouds.aws.observe.starts.calls_within_stack import (
    BATCH_TARGET_KEY,
    runs_own_tasks,
    runs_within,
)
from gpuinfra.clouds.aws.observe.starts.role_starts import function_starts, role_starts
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import FixableFault
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.values import as_list, at, equals, read_json, text, whole_number
from gpuinfra.model import Resource, Rows, Unknown, Usage
from gpuinfra.urns import type_of

RowObserver = Callable[[Resource, Index, Usage], Rows]
StartReason = str | FixableFault | Unknown
"""Why the machines that a resource starts are not judged; UNKNOWN is undecided."""

_SDK: Final = ":scheduler:::aws-sdk:"
"""A schedule that calls an API itself, as SERVICE:ACTION:
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html"""

_RESIZES: Final = "autoscaling:updateAutoScalingGroup"
_ANEW: Final = ("LaunchTemplate", "MixedInstancesPolicy", "LaunchConfigurationName")
_RUNNERS: Final = {
    ":automation-definition/": "an automation of Systems Manager",
    ":document/": "a document of Systems Manager",
    ":job-queue/": "a job of AWS Batch",
    ":states:": "a state machine",
    ":codebuild:": "a build of CodeBuild",
    ":pipeline/": "a pipeline of SageMaker",
}
"""Targets that run code defined elsewhere, by a part of their ARN:
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-targets.html"""
_EVENT_SINKS: Final = frozenset({"events", "firehose", "kinesis", "lambda", "logs", "sns", "sqs"})
"""Services that only receive the event, or whose targets are judged separately."""
_INCIDENTS: Final = "ssm-incidents"
_ACTIONS: Final = ("alarmActions", "okActions", "insufficientDataActions")
_DOCUMENT: Final = ":automation-definition/"
_CALLS_OUT: Final = ":api-destination/"
_WEBHOOK: Final = "aws:cloudwatch/eventApiDestination:EventApiDestination"
STATES: Final = "aws:sfn/stateMachine:StateMachine"
TAKERS: Final[frozenset[str]] = frozenset(TABLES.table("types")["takers"])
"""Types that such a target comes from before its ARN is known, and those of roles and keys; a
state machine is judged by its definition."""
_UNDECIDED_REASON: Final = "whether it starts machines that are not declared here is not known yet"
_WARM_CAPACITY_INPUTS: Final = ("capacityProviderConfig", "snapStart")
_PARAMETERS: Final = ("ecsTarget", "ecsParameters", BATCH_TARGET_KEY, "runCommandTargets")


def with_start_reasons(
    observe: RowObserver, reasons: Callable[[Resource, Index], Iterator[StartReason]]
) -> RowObserver:
    """Return an observer that adds why the machines that a resource starts are not judged."""

    def rows(resource: Resource, index: Index, usage: Usage) -> Rows:
        return with_reasons(observe(resource, index, usage), resource, reasons(resource, index))

    return rows


def with_reasons(observed: Rows, resource: Resource, reasons: Iterable[StartReason]) -> Rows:
    """Return rows with the reasons why started machines are not judged; UNKNOWN is undecided."""
    distinct_reasons = tuple(dict.fromkeys(reasons))
    faults = [
        reason if isinstance(reason, FixableFault) else FixableFault(reason, "")
        for reason in distinct_reasons
        if not isinstance(reason, Unknown)
    ]
    if faults:
        reasons_text = "; ".join(fault.message for fault in faults)
        fixes = "; ".join(dict.fromkeys(fault.fix for fault in faults if fault.fix))
        added_rows = unjudged_rows(resource, reasons_text, fix=fixes).not_judged
        return replace(observed, not_judged=(*observed.not_judged, *added_rows))
    if distinct_reasons:
        return replace(observed, undecided=unjudged_rows(resource, _UNDECIDED_REASON).not_judged)
    return observed


def caller_rows(silent: Rows, resource: Resource, reasons: Iterable[str | Unknown]) -> Rows:
    """Return the rows, with reasons, of a type that calls services and has no machine itself.

    What it costs itself while it exists stays refused.
    """
    observed = with_reasons(Rows(), resource, reasons)
    if observed.not_judged:
        return observed
    billed = machineless_types.fixed_price_reason(
        resource_types.canonical(resource.type), resource.inputs
    )
    if billed and not observed.undecided:
        return replace(observed, not_judged=silent.not_judged)
    harmless = (replace(row, may_start_machines=False) for row in silent.not_judged)
    return replace(observed, not_judged=tuple(harmless))


def schedule_starts(schedule: Resource, index: Index) -> Iterator[StartReason]:
    """Yield the starts caused by a schedule of EventBridge Scheduler."""
    if equals(schedule.inputs.get("state"), "DISABLED") is True:
        return
    yield from _target_starts(schedule, schedule.inputs.get("target"), index)


def event_target_starts(target: Resource, index: Index) -> Iterator[StartReason]:
    """Yield the starts caused by the target of an EventBridge rule."""
    yield from _target_starts(target, target.inputs, index)


def alarm_starts(alarm: Resource, _: Index) -> Iterator[str]:
    """Yield the starts caused by an alarm: an Incident Manager response plan runs an automation.

    https://docs.aws.amazon.com/incident-manager/latest/userguide/incident-creation.html
    """
    actions = [action for key in _ACTIONS for action in as_list(alarm.inputs.get(key))]
    if any(isinstance(action, str) and _service(action) == _INCIDENTS for action in actions):
        yield "it runs a response plan, whose automation may start machines"


def _target_starts(resource: Resource, target: Any, index: Index) -> Iterator[StartReason]:
    arn = text(at(target, "arn"))
    prop = "arn" if target is resource.inputs else "target"
    if isinstance(target, Mapping) and any(target.get(key) for key in _PARAMETERS):
        if runs_own_tasks(resource, prop, target, index):
            return
        yield "it runs its own tasks or commands, which may start machines"
    elif _only_tells(resource, prop, at(target, "arn"), index):
        return
    elif isinstance(arn, Unknown):
        yield from related_type_starts(resource.relations.get(prop, ()))
    elif isinstance(arn, str):
        _, direct, action = arn.partition(_SDK)
        if direct:
            yield from _action_starts(resource, action, at(target, "input"), index)
        elif not any(index.targets(resource, prop, kind, arn).certain for kind in TAKERS):
            yield from arn_starts(arn)
            yield from _by_document(resource, arn, index)


def _by_document(resource: Resource, arn: str, index: Index) -> Iterator[str | Unknown]:
    _, separator, name = arn.partition(_DOCUMENT)
    if separator:
        from gpuinfra.clouds.aws.observe.starts import foreign_starts  # noqa: PLC0415  (few have any)

        yield from foreign_starts.by_document(resource, name, index)


def _only_tells(resource: Resource, prop: str, arn: Any, index: Index) -> bool:
    """Return whether a target is surely a webhook of a notification service."""
    webhooks = index.targets(resource, prop, _WEBHOOK, arn)
    if not (webhooks.exact and webhooks.certain):
        return False
    from gpuinfra.clouds.webhooks import only_tells  # noqa: PLC0415  (few stacks have any)

    return all(
        only_tells(webhook.inputs.get("invocationEndpoint")) for webhook in webhooks.certain
    )


def arn_starts(arn: str) -> Iterator[str]:
    """Yield the starts caused by a target outside the stack, by its ARN."""
    if _service(arn) in _EVENT_SINKS and _CALLS_OUT not in arn:
        return
    if _DOCUMENT in arn and is_harmless_document(arn.partition(_DOCUMENT)[2]):
        return
    started = next((reason_text for part, reason_text in _RUNNERS.items() if part in arn), arn)
    yield f"it runs {started}, {MAY_START}"


def is_harmless_document(name: str) -> bool:
    """Return whether a Systems Manager document is AWS's own and starts nothing new."""
    name = name.partition(":")[0]
    documents = TABLES.table("may_start")["documents"].split()
    return any(matches_pattern(document, name) for document in documents)


def _service(arn: str) -> str:
    """Return the service of an ARN; for a schedule's universal target, the called service."""
    parts = arn.split(":")
    service = parts[2] if len(parts) > 2 else ""  # noqa: PLR2004  (arn:partition:service)
    return parts[5] if service == "scheduler" and len(parts) > 5 else service  # noqa: PLR2004


def related_type_starts(urns: Iterable[str]) -> Iterator[str]:
    """Yield the starts caused by an unknown target, by the types that its value comes from."""
    types = {resource_types.canonical(type_of(urn)) for urn in urns}
    if not types - {resource_types.ROLE, resource_types.KEY}:
        yield "the target that it calls is not known yet"
    yield from (f"it runs a {token}, {MAY_START}" for token in sorted(types - TAKERS))


def _action_starts(
    resource: Resource, action: str, payload: Any, index: Index
) -> Iterator[StartReason]:
    if is_harmless(action) or _stays_in_declared_sizes(action, payload):
        yield from foreign_call_starts(resource, action, index)
        return
    if runs_within(resource, "target", action, _request(payload), index):
        return
    if action == _RESIZES and _stays_within(resource, payload, index):
        return
    yield FixableFault(
        f"it calls {action}, which starts machines or raises their number",
        f"declare the machines in this stack, and remove the call of {action}",
    )


def _stays_in_declared_sizes(action: str, payload: Any) -> bool:
    """Return whether a call only sets values that keep machines within the declared sizes."""
    row = TABLES.table("may_start")["shrinks"].get(action)
    request = _request(payload)
    if row is None or request is None:
        return False
    values = dict(_flatten_request(request))
    zero = set(row["zero"].split())
    return (
        bool(values)
        and values.keys() <= zero | set(row["beside"].split())
        and all(whole_number(values.get(key)) == 0 for key in zero)
    )


def _flatten_request(request: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a request by their lower-case paths."""
    for key, value in request.items():
        path = f"{above}{key.lower()}"
        if isinstance(value, dict):
            yield from _flatten_request(value, f"{path}.")
        else:
            yield path, value


def _request(payload: Any) -> dict[str, Any] | None:
    request = read_json(payload) if isinstance(payload, str) else None
    return request if isinstance(request, dict) else None


def _stays_within(resource: Resource, payload: Any, index: Index) -> bool:
    """Return whether a call changes no launch settings of a group, nor exceeds its maximum."""
    request = _request(payload)
    if request is None or any(key in request for key in _ANEW):
        return False
    largest = whole_number(request.get("MaxSize"))
    if largest is None or largest == 0:
        return True
    group_name = request.get("AutoScalingGroupName")
    groups = (
        index.targets(resource, "target", resource_types.GROUP, group_name).certain
        if group_name
        else ()
    )
    most = [group_request_of(group, index).maximum for group in groups]
    return isinstance(largest, int) and any(
        isinstance(size, int) and largest <= size for size in most
    )


def _charges_between_calls(function: Resource, index: Index) -> Iterator[str]:
    """Yield the charges of a function between its calls that have no known price."""
    if any(function.inputs.get(key) is not None for key in _WARM_CAPACITY_INPUTS):
        from gpuinfra.clouds.aws.observe.costs import function_charges  # noqa: PLC0415  (few have any)

        yield from function_charges.unpriced_function_charges(function, index)


def _no_rows(_: Resource, __: Index, ___: Usage) -> Rows:
    return Rows()


function: Final = with_start_reasons(
    with_start_reasons(call_prices.function, function_starts), _charges_between_calls
)
role: Final = with_start_reasons(grants.role, role_starts)
schedule: Final = with_start_reasons(call_prices.schedule, schedule_starts)
alarm: Final = with_start_reasons(cloudwatch.alarm, alarm_starts)
event_target: Final = with_start_reasons(_no_rows, event_target_starts)
"""The target of a rule, which costs nothing itself."""
