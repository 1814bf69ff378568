"""Notes on a stack's guards (budget, stop function, alarms) for its plan and quote.

All of it is read from the declared resources, as the rules read them, so that a note never
promises what a verdict denies. The moment at which a time is over is fixed at the first up and in
no resource before it: its length alone is the stack file's.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.costs.budget import limit_of
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.machines.scaling_signals import idle_alarms, may_stop, topic_stops
from gpuinfra.clouds.aws.observe.machines.time_limits import has_scheduled_stop, keeps_disks
from gpuinfra.clouds.declaring.names import group_resource
from gpuinfra.clouds.observing.values import amount, as_list, at, text
from gpuinfra.model import Resource
from gpuinfra.units import format_duration, format_money

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack

BUDGET_DELAY: Final = "8 to 12 hours"
"""The interval at which AWS updates the spending:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html"""

_GUARDS: Final = frozenset(
    {
        resource_types.BUDGET,
        resource_types.FUNCTION,
        resource_types.SCHEDULER_SCHEDULE,
        resource_types.ALARM,
    }
)
_MINUTE: Final = 60
_DISK_LOST_NOTE: Final = (
    "buckets and shared storage are kept; all_or_nothing: true with on-demand machines stops it "
    "instead and keeps the disk"
)
_DISK_KEPT_NOTE: Final = (
    "its disk is kept, and billed until gpuinfra destroy; data on local NVMe disks is lost; aws "
    "ec2 start-instances starts it again"
)


def guard_notes(stack: "Stack", resources: Sequence[Resource]) -> tuple[str, ...]:
    """Return notes on the budget's delay, on time limits, and on one-time steps for people."""
    if not any(resource.type in _GUARDS for resource in resources):
        return ()
    return tuple(dict.fromkeys(_notes(stack, Index(resources))))


def _notes(stack: "Stack", index: Index) -> Iterator[str]:
    machines = _machines(index)
    for budget in index.of_kind(resource_types.BUDGET):
        yield from _budget_notes(budget, index) if machines else ()
    for function in index.of_kind(resource_types.FUNCTION):
        yield from _function_notes(function, index)
    for name, work in stack.workloads.items():
        resource = machines.get(group_resource(name))
        time = work.time_to_live
        if resource is None:
            continue
        keeps = keeps_disks(resource)
        if time is not None and has_scheduled_stop(resource, index) is not False:
            yield (
                f"{name} is {'stopped' if keeps else 'deleted, with its disk,'}"
                f" {format_duration(time)} after its first `gpuinfra up`; a changed time_to_live"
                " counts from the next one"
            )
        if keeps:
            for alarm in idle_alarms(resource, name, index):
                yield f"{name} is stopped once its {_alarm_text(alarm)}; {_DISK_KEPT_NOTE}"
    yield from _mail_notes(index)


def disk_loss_notes(stack: "Stack", resources: Sequence[Resource]) -> tuple[str, ...]:
    """Return a note on each development machine that is deleted with its disk once it is idle."""
    if not any(run.idle_stop is not None for run in stack.training.values()):
        return ()
    return tuple(_disk_losses(stack, Index(resources)))


def _disk_losses(stack: "Stack", index: Index) -> Iterator[str]:
    machines = _machines(index)
    for name in stack.training:
        resource = machines.get(group_resource(name))
        if resource is not None and not keeps_disks(resource):
            for alarm in idle_alarms(resource, name, index):
                yield (
                    f"{name} is deleted, with its disk, once its {_alarm_text(alarm)};"
                    f" {_DISK_LOST_NOTE}"
                )


def _machines(index: Index) -> dict[str, Resource]:
    """Return the resources of the workloads' machines, by name."""
    kinds = (resource_types.GROUP, resource_types.INSTANCE, resource_types.FLEET)
    return {machine.name: machine for kind in kinds for machine in index.of_kind(kind)}


def _budget_notes(budget: Resource, index: Index) -> Iterator[str]:
    limit = limit_of(budget, index)
    if not isinstance(limit, Decimal):
        return
    for share in _stopping_shares(budget, index):
        yield (
            f"at {format_money(limit * share / 100)} a month AWS stops the stack's machines, once"
            f" a month; this is hours late: AWS updates the spending every {BUDGET_DELAY}, and the"
            " machines are billed until then"
        )
    for cost_filter in as_list(budget.inputs.get("costFilters")):
        if at(cost_filter, "name") == "TagKeyValue":
            for value in as_list(at(cost_filter, "values")):
                tag = str(value).partition(":")[2].partition("$")[0]
                yield (
                    f"the AWS Budget stays at $0 until the cost allocation tag {tag} is"
                    " activated, once per account, by an administrator"
                )


def _stopping_shares(budget: Resource, index: Index) -> Iterator[Decimal]:
    """Yield the percentages of actual spend at which a budget calls a stop function."""
    key = "notifications"
    for notice in as_list(budget.inputs.get(key)):
        share = amount(at(notice, "threshold"))
        arns = at(notice, "subscriberSnsTopicArns")
        if at(notice, "notificationType") != "ACTUAL" or not isinstance(share, Decimal):
            continue
        topics = index.targets(budget, key, resource_types.TOPIC, arns).certain if arns else ()
        if any(topic_stops(topic, index) is not False for topic in topics):
            yield share


def _function_notes(function: Resource, index: Index) -> Iterator[str]:
    name: Any = text(at(function.inputs.get("environment"), "variables", "STACK"))
    if isinstance(name, str) and may_stop(function, index) is not False:
        if function.inputs.get("deadLetterConfig"):
            yield "a function shuts machines down; its queue keeps the calls that failed"
        yield (
            f"the machines to stop are found by the tag gpuinfra:stack={name}: stacks with the"
            " same name in one account stop each other's machines, so give each its own name"
        )


def _alarm_text(alarm: Resource) -> str:
    """Return an alarm's metric, threshold and duration, in words."""
    inputs = alarm.inputs
    metric = inputs.get("metricName")
    figure = "GPU use" if metric == metrics.UTILIZATION else str(metric)
    threshold, period = amount(inputs.get("threshold")), amount(inputs.get("period"))
    count = amount(inputs.get("evaluationPeriods"))
    least = f"{threshold.normalize():f}%" if isinstance(threshold, Decimal) else "a threshold"
    if isinstance(period, Decimal) and isinstance(count, Decimal):
        return f"{figure} was below {least} for {period * count // _MINUTE:f} minutes"
    return f"{figure} was below {least}"


def _mail_notes(index: Index) -> Iterator[str]:
    subscriptions = index.of_kind(resource_types.SUBSCRIPTION)
    mails = [
        resource.inputs.get("endpoint")
        for resource in subscriptions
        if resource.inputs.get("protocol") == "email"
    ]
    if mails:
        yield (
            f"AWS asks {', '.join(dict.fromkeys(map(str, mails)))} to confirm by mail after the"
            " first `gpuinfra up`; no mail is sent before that"
        )
