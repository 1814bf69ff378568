"""The scaling triggers of AWS scaling groups, and the alarms that stop idle machines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import container_hosts
from gpuinfra.clouds.aws.observe.launch.extra_machines import scheduled_size
from gpuinfra.clouds.aws.observe.rights.machine_roles import role_lets, shows_later
from gpuinfra.clouds.aws.observe.rights.permissions import grants
from gpuinfra.clouds.aws.observe.rights.principals import lets_topics_in
from gpuinfra.clouds.observing.values import (
    all_of,
    amount,
    any_of,
    as_list,
    at,
    equals,
    flag,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_ALARM_POLICY_TYPES: Final = frozenset({"StepScaling", "SimpleScaling"})
_ACTIONS: Final = (":ec2:stop", ":ec2:terminate")
"""How an alarm's own action ends, arn:aws:automate:us-east-1:ec2:stop:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/UsingAlarmActions.html"""
_LESS_THAN: Final = "LessThan"
_LESS_THAN_THRESHOLD: Final = "LessThanThreshold"
"""The comparison of which no figure is lower than zero."""
_AWS_NAMESPACE_PREFIX: Final = "AWS/"
_MACHINE_NAMESPACES: Final = frozenset(
    {"AWS/ApplicationELB", "AWS/AutoScaling", "AWS/EBS", "AWS/EC2", "AWS/NetworkELB", "AWS/SQS"}
)
"""Metrics of AWS that say what machines do, or have to do:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/aws-services-cloudwatch-metrics.html"""
_WORKLOAD_TAG: Final = "gpuinfra:workload"
"""By which the function that takes machines down knows those of a workload."""
_STOPS: Final = frozenset(
    {
        *("ec2:StopInstances", "ec2:TerminateInstances"),
        *("autoscaling:UpdateAutoScalingGroup", "autoscaling:SetDesiredCapacity"),
    }
)
"""The permissions that a function needs to stop machines."""


def has_scaling_signal(
    resource: Resource, minimum: int | Unknown, maximum: int | Unknown, index: Index
) -> Known | None:
    """Return whether anything scales a group; None for a fixed size that schedules alone move."""
    kind = resource_types.canonical(resource.type)
    if kind not in {resource_types.GROUP, resource_types.NODE_GROUP}:
        return None
    scaled = _signal(resource, index) if kind == resource_types.GROUP else UNKNOWN
    if scaled is True:
        is_fixed_size = minimum == maximum and not isinstance(maximum, Unknown)
        return None if is_fixed_size and _has_planned_limits(resource, index) else True
    if isinstance(minimum, Unknown) or isinstance(maximum, Unknown):
        return UNKNOWN
    return None if minimum == maximum and not _policies(resource, index) else scaled


def stops_idle(resource: Resource, index: Index) -> Known:
    """Return whether an alarm on low use of a machine stops it.

    An alarm on a metric that names no machine of this stack may be about any of them.
    """
    watched = index.memo("alarms", lambda: _watched_alarms(index))
    facts = [_stops(alarm, resource, index) for alarm in watched.by_urn.get(resource.urn, ())]
    is_watched = any(is_of(alarm.inputs.get("dimensions"), resource) for alarm in watched.by_name)
    return any_of((*facts, *((UNKNOWN,) if is_watched else ())))


def is_of(details: Any, resource: Resource) -> bool:
    """Return whether dimensions or an event may refer to a scaling group, by its workload's tag.

    What names no workload may mean any group, and so may a group without the tag.
    """
    own = [
        at(tag, "value")
        for tag in as_list(resource.inputs.get("tags"))
        if at(tag, "key") == _WORKLOAD_TAG
    ]
    dimension_values = (
        {str(key).lower(): value for key, value in details.items()}
        if isinstance(details, Mapping)
        else {}
    )
    workload = dimension_values.get("workload")
    return workload is None or UNKNOWN in (workload, *own) or not own or workload in own


def workload_of(resource: Resource) -> str | None:
    """Return the workload that a group's own tag names; None where none is known."""
    tags = resource.inputs.get("tags")
    by_key = tags if isinstance(tags, Mapping) else {}
    workload_tags = [by_key.get(_WORKLOAD_TAG)]
    workload_tags += [at(tag, "value") for tag in as_list(tags) if at(tag, "key") == _WORKLOAD_TAG]
    return next((workload for workload in workload_tags if isinstance(workload, str)), None)


def idle_alarms(resource: Resource, workload: str, index: Index) -> Iterator[Resource]:
    """Yield the alarms that stop, or may stop, machines: on their metrics, or on a workload's."""
    for alarm in index.of_kind(resource_types.ALARM):
        values = [
            value
            for _, dimensions in _dimensions(alarm)
            for value in (dimensions.values() if isinstance(dimensions, Mapping) else ())
        ]
        is_about_group = resource.urn in _subjects(alarm, index) or workload in values
        if is_about_group and _stops(alarm, resource, index) is not False:
            yield alarm


@record(kw_only=False)
class _AlarmsByTarget:
    """The alarms of a stack: by the machine that they watch, and those on other metrics.

    Attributes:
        by_urn: the alarms on metrics of machines and groups of this stack.
        by_name: the alarms on any other metric that stop machines, or may.
    """

    by_urn: Mapping[str, Sequence[Resource]]
    by_name: Sequence[Resource]


def _watched_alarms(index: Index) -> _AlarmsByTarget:
    by_urn: dict[str, list[Resource]] = {}
    by_name: list[Resource] = []
    for alarm in index.of_kind(resource_types.ALARM):
        subjects = _subjects(alarm, index)
        for urn in subjects:
            by_urn.setdefault(urn, []).append(alarm)
        if not subjects and _stops(alarm, None, index) is not False:
            by_name.append(alarm)
    return _AlarmsByTarget(by_urn, by_name)


def _policies(resource: Resource, index: Index) -> tuple[Resource, ...]:
    return index.referrers(resource, resource_types.SCALING_POLICY, "autoscalingGroupName").certain


def _signal(resource: Resource, index: Index) -> Known:
    """Return whether a triggered policy, a schedule, or ECS scales a group."""
    policies = index.referrers(resource, resource_types.SCALING_POLICY, "autoscalingGroupName")
    schedules = index.referrers(resource, resource_types.SCHEDULE, "autoscalingGroupName")
    facts = [_is_called(policy, index) for policy in policies.certain]
    facts += [True for _ in schedules.certain]
    facts += [_is_scaled_by_ecs(resource, provider, index) for provider in _providers(index)]
    facts += [] if policies.complete and schedules.complete else [UNKNOWN]
    return any_of(facts)


def _has_planned_limits(resource: Resource, index: Index) -> bool:
    """Return whether a schedule of a group states a minimum or a maximum."""
    schedules = index.referrers(resource, resource_types.SCHEDULE, "autoscalingGroupName").certain
    keys = ("minSize", "maxSize")
    return any(scheduled_size(limit, key) is not None for limit in schedules for key in keys)


def _providers(index: Index) -> tuple[Resource, ...]:
    return tuple(index.of_kind(resource_types.CAPACITY_PROVIDER))


def _is_scaled_by_ecs(group: Resource, provider: Resource, index: Index) -> Known:
    """Return whether a capacity provider has ECS scale a group, with a policy that ECS makes.

    https://docs.aws.amazon.com/AmazonECS/latest/developerguide/cluster-auto-scaling.html
    """
    scaling_settings = provider.inputs.get("autoScalingGroupProvider")
    scales = equals(at(scaling_settings, "managedScaling", "status"), "ENABLED")
    if scales is False:
        return False
    return all_of((scales, container_hosts.is_group_of(provider, group, index)))


def _is_called(policy: Resource, index: Index) -> Known:
    """Return whether a policy is triggered: target tracking by itself, steps by an alarm."""
    kind = text(policy.inputs.get("policyType")) or "SimpleScaling"
    if isinstance(kind, Unknown):
        return UNKNOWN
    if kind not in _ALARM_POLICY_TYPES:
        mode = at(policy.inputs.get("predictiveScalingConfiguration"), "mode")
        return UNKNOWN if isinstance(mode, Unknown) else bool(mode != "ForecastOnly")
    alarms = index.referrers(policy, resource_types.ALARM, "alarmActions")
    return True if alarms.certain else (False if alarms.complete else UNKNOWN)


def _dimensions(alarm: Resource) -> Iterator[tuple[str, Any]]:
    """Yield the dimensions of an alarm and of its queries, each with its input."""
    yield "dimensions", alarm.inputs.get("dimensions")
    for query in as_list(alarm.inputs.get("metricQueries")):
        yield "metricQueries", at(query, "metric", "dimensions")


def _subjects(alarm: Resource, index: Index) -> frozenset[str]:
    """Return the machines and groups of this stack that an alarm watches."""
    return frozenset(
        resource.urn
        for prop, dimensions in _dimensions(alarm)
        for value in (dimensions.values() if isinstance(dimensions, Mapping) else ())
        for kind in (resource_types.INSTANCE, resource_types.GROUP)
        for resource in index.targets(alarm, prop, kind, value).certain
    )


def _stops(alarm: Resource, resource: Resource | None, index: Index) -> Known:
    """Return whether an alarm's action stops the machine when a metric is low."""
    operator = text(alarm.inputs.get("comparisonOperator"))
    if isinstance(operator, str) and not operator.startswith(_LESS_THAN):
        return False
    if _never_rings(alarm, operator):
        return False
    actions = as_list(alarm.inputs.get("alarmActions"))
    known_actions = [action for action in actions if isinstance(action, str)]
    alarm_regions = {None, alarm.region, ""}
    if any(
        action.endswith(_ACTIONS) and (alarm.region is None or _region(action) in alarm_regions)
        for action in known_actions
    ):
        return True
    policies = index.targets(
        alarm, "alarmActions", resource_types.SCALING_POLICY, list(actions)
    ).certain
    urns = {policy.urn for policy in _policies(resource, index)} if resource is not None else set()
    if any(policy.urn in urns for policy in policies):
        return True
    topics = index.targets(alarm, "alarmActions", resource_types.TOPIC, list(actions)).certain
    facts = [topic_stops(topic, index) for topic in topics]
    return any_of(
        (*facts, *(UNKNOWN for action in actions if isinstance(action, Unknown) and not topics))
    )


def _never_rings(alarm: Resource, operator: str | Unknown | None) -> bool:
    """Return whether an alarm never acts: actions are off, or its threshold is never reached."""
    inputs = alarm.inputs
    space, threshold = text(inputs.get("namespace")), amount(inputs.get("threshold"))
    is_other_namespace = (
        isinstance(space, str)
        and space.startswith(_AWS_NAMESPACE_PREFIX)
        and space not in _MACHINE_NAMESPACES
    )
    alarms_below_zero = operator == _LESS_THAN_THRESHOLD and threshold == 0
    return flag(inputs.get("actionsEnabled")) is False or is_other_namespace or alarms_below_zero


def _region(arn: str) -> str:
    return [*arn.split(":"), "", "", "", ""][3]


def topic_stops(topic: Resource, index: Index) -> Known:
    """Return whether a topic calls a function that may stop machines."""
    subscriptions = index.referrers(topic, resource_types.SUBSCRIPTION, "topic").certain
    functions = [
        resource
        for alarm in subscriptions
        for resource in index.targets(alarm, "endpoint", resource_types.FUNCTION).certain
    ]
    return any_of(
        may_stop(function, index) for function in functions if lets_topics_in(function, index)
    )


def may_stop(function: Resource, index: Index) -> Known:
    """Return whether a function's role lets it stop machines; the code is not read."""
    roles = index.targets(function, "role", resource_types.ROLE)
    return any_of(
        (
            *(role_lets(role, _allows_stop, index) for role in roles.certain),
            *(() if roles.exact and roles.certain else (UNKNOWN,)),
        )
    )


def stops_later(function: Resource, index: Index) -> bool:
    """Return whether a function's role lets it stop machines, or will once its policy is known.

    It is taken to be right where it is none of this stack.
    """
    allowed = may_stop(function, index)
    roles = index.targets(function, "role", resource_types.ROLE)
    if allowed is not UNKNOWN or not (roles.certain or roles.possible or roles.namesakes):
        return allowed is not False
    return any(shows_later(role, index) for role in roles.certain)


def _allows_stop(statement: Any) -> Known:
    if isinstance(statement, Unknown):
        return UNKNOWN
    if at(statement, "Effect") != "Allow":
        return False
    return any_of(grants(statement, action) for action in _STOPS)
