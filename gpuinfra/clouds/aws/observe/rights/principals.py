"""Services that roles, topics, keys and functions of a stack need and do not allow.

Policies that are not known yet, or are outside of the stack, let everyone in.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import machine_arns
from gpuinfra.clouds.aws.observe.rights.conditions import excludes_any
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.observe.rights.machine_roles import role_lets, shows_later
from gpuinfra.clouds.aws.observe.rights.permissions import grants
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at
from gpuinfra.graph import Symbol
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

INVOKE: Final = "lambda:InvokeFunction"

_ROLES: Final = {
    resource_types.FUNCTION: (("role",), "lambda.amazonaws.com"),
    "aws:ec2/flowLog:FlowLog": (("iamRoleArn",), "vpc-flow-logs.amazonaws.com"),
    resource_types.BUCKET_REPLICATION: (("role",), "s3.amazonaws.com"),
    resource_types.SCHEDULER_SCHEDULE: (("target", "roleArn"), "scheduler.amazonaws.com"),
    resource_types.BUDGET_ACTION: (("executionRoleArn",), "budgets.amazonaws.com"),
}
"""Where a resource names the role that its service assumes, and the service:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html#principal-services"""

_TOPICS: Final = {
    resource_types.BUDGET: (("notifications", "subscriberSnsTopicArns"), "budgets.amazonaws.com"),
    resource_types.ALARM: (("alarmActions",), "cloudwatch.amazonaws.com"),
    "aws:cloudwatch/eventTarget:EventTarget": (("arn",), "events.amazonaws.com"),
}
"""Where a resource names the topics that its service publishes to, and the service:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html"""

_OWNER_SERVICES: Final = frozenset({"cloudwatch.amazonaws.com"})
"""Services that may publish where a topic has no policy but the one that SNS gives it, which lets
the account's own alarms in."""

_TOPIC_SERVICE: Final = r"sns(\.[a-z0-9-]+)?\.amazonaws\.com(\.cn)?"
_AWS_MANAGED: Final = "alias/aws/sns"
_DECRYPT: Final = ("kms:Decrypt", "kms:GenerateDataKey")
"""https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services"""


def faults_of(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the actions that a resource's service needs and no policy allows."""
    kind = resource_types.canonical(resource.type)
    if kind in _ROLES:
        path, service = _ROLES[kind]
        for role in _named_resources(resource, path, resource_types.ROLE, index):
            if _denies_service(role.inputs.get("assumeRolePolicy"), service, ("sts:AssumeRole",)):
                yield f"its role {role.name} does not let {service} assume it"
    if kind in _TOPICS:
        path, service = _TOPICS[kind]
        for topic in _named_resources(resource, path, resource_types.TOPIC, index):
            yield from _topic(topic, service, index)
    if kind == resource_types.SUBSCRIPTION and resource.inputs.get("protocol") == "lambda":
        yield from _uncallable_functions(resource, index)


def _named_resources(
    resource: Resource, path: Sequence[str], kind: str, index: Index
) -> tuple[Resource, ...]:
    """Return the resources of a kind that an input surely names, anywhere below the first key."""
    values: tuple[Any, ...] = (resource.inputs,)
    for key in path:
        values = tuple(item for value in values for item in as_list(at(value, key)))
    if not values:
        return ()
    return index.targets(resource, path[0], kind, list(values)).certain


def _topic(topic: Resource, service: str, index: Index) -> Iterator[str]:
    policies = index.referrers(topic, resource_types.TOPIC_POLICY, "arn")
    documents = [resource.inputs.get("policy") for resource in policies.certain]
    documents += [document for document in (topic.inputs.get("policy"),) if document is not None]
    if documents:
        is_shut = all(
            _denies_service(document, service, ("sns:Publish",)) for document in documents
        )
    else:
        is_shut = policies.complete and service not in _OWNER_SERVICES
    if is_shut:
        yield f"the policy of the topic {topic.name} does not let {service} publish"
    yield from _key(topic, service, index)


def _key(topic: Resource, service: str, index: Index) -> Iterator[str]:
    """Yield the key of a topic that its publishers may not use; AWS's SNS key allows none."""
    key_id = topic.inputs.get("kmsMasterKeyId")
    if key_id == _AWS_MANAGED:
        yield f"{service} may not use {_AWS_MANAGED}, with which the topic {topic.name} encrypts"
    for key in (
        index.targets(topic, "kmsMasterKeyId", resource_types.KEY).certain if key_id else ()
    ):
        policy = key.inputs.get("policy")
        if policy is None or _denies_service(policy, service, _DECRYPT):
            yield f"the policy of the key {key.name} does not let {service} use it"


def lets_topics_in(function: Resource, index: Index) -> bool:
    """Return whether SNS may call a function."""
    permissions = index.referrers(function, resource_types.PERMISSION, "function")
    principals = [resource.inputs.get("principal") for resource in permissions.certain]
    return not permissions.complete or any(map(_is_topics, principals))


def may_call(schedule: Resource, action: str, index: Index, subject: Resource) -> Known | None:
    """Return whether a schedule's role may perform its action on a function or machines.

    None where the role is none of this stack: nothing here tells what that one may do.
    https://docs.aws.amazon.com/scheduler/latest/UserGuide/setting-up.html#setting-up-execution-role
    """
    path, service = _ROLES[resource_types.SCHEDULER_SCHEDULE]
    roles = _named_resources(schedule, path, resource_types.ROLE, index)
    if not roles:
        return None if _is_outside(schedule, index) else UNKNOWN

    def is_about(statement: Any) -> Known:
        if resource_types.canonical(subject.type) == resource_types.FUNCTION:
            return _is_of_function(statement, subject.outputs.get("arn"))
        return machine_arns.is_about(statement, action, subject, index)

    def allows(statement: Any) -> Known:
        is_granted = _grants(statement, action)
        return False if is_granted is False else all_of((is_granted, is_about(statement)))

    def denies(statement: Any) -> Known:
        is_refused = _refuses(statement, action)
        return False if is_refused is False else all_of((is_refused, is_about(statement)))

    return any_of(
        False
        if _denies_service(role.inputs.get("assumeRolePolicy"), service, ("sts:AssumeRole",))
        else role_lets(role, allows, index, denies)
        for role in roles
    )


def may_call_function(schedule: Resource, index: Index, function: Resource) -> bool:
    """Return whether a schedule's role may call a function, or will once its policy is known.

    It is taken to be right where it is none of this stack.
    """
    path, _ = _ROLES[resource_types.SCHEDULER_SCHEDULE]
    allowed = may_call(schedule, INVOKE, index, function)
    if allowed is UNKNOWN:
        return any(
            shows_later(role, index)
            for role in _named_resources(schedule, path, resource_types.ROLE, index)
        )
    return allowed is not False


def _is_outside(schedule: Resource, index: Index) -> bool:
    """Return whether the role of a schedule is outside this stack, and not one of several."""
    arn = at(schedule.inputs.get("target"), "roleArn")
    roles = index.targets(schedule, "target", resource_types.ROLE, arn)
    return not (roles.possible or roles.namesakes)


def _grants(statement: Any, action: str) -> Known:
    """Return whether a statement allows an action; UNKNOWN with a narrowing condition."""
    if isinstance(statement, Unknown):
        return UNKNOWN
    if at(statement, "Effect") != "Allow":
        return False
    conditional = excludes_any(at(statement, "Condition"))
    return all_of((grants(statement, action), UNKNOWN if conditional else True))


def _refuses(statement: Any, action: str) -> Known:
    """Return whether a statement denies an action; UNKNOWN with a condition, False if hidden."""
    if isinstance(statement, Unknown) or at(statement, "Effect") != "Deny":
        return False
    has_condition = at(statement, "Condition") is not None
    return all_of((grants(statement, action), UNKNOWN if has_condition else True))


def _is_of_function(statement: Any, arn: Any) -> Known:
    """Return whether a statement covers a function, and not only others."""
    resource_arns = as_list(at(statement, "Resource"))
    if not resource_arns or "*" in resource_arns or UNKNOWN in resource_arns:
        return True
    if not isinstance(arn, str):
        return UNKNOWN
    if any(
        matches_pattern(str(pattern), arn) or str(pattern).startswith(f"{arn}:")
        for pattern in resource_arns
    ):
        return True
    return (
        UNKNOWN
        if isinstance(arn, Symbol) and any("*" in str(pattern) for pattern in resource_arns)
        else False
    )


def _uncallable_functions(subscription: Resource, index: Index) -> Iterator[str]:
    for function in index.targets(subscription, "endpoint", resource_types.FUNCTION).certain:
        if not lets_topics_in(function, index):
            yield f"nothing lets SNS call the function {function.name}"


def _is_topics(principal: Any) -> bool:
    """Return whether a principal may be SNS; in an opt-in region its name has the region.

    https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
    """
    if not isinstance(principal, str):
        return True
    return principal == "*" or bool(re.fullmatch(_TOPIC_SERVICE, principal))


def _denies_service(document: Any, service: str, actions: Iterable[str]) -> bool:
    """Return whether a policy surely does not allow a service one of some actions."""
    statements = list(statements_of(document))
    if UNKNOWN in statements:
        return False
    allowed = [statement for statement in statements if at(statement, "Effect") == "Allow"]
    return not all(
        any(_may_allow(statement, service, action.lower()) for statement in allowed)
        for action in actions
    )


def _may_allow(statement: Any, service: str, action: str) -> bool:
    """Return whether a statement may allow a service an action; an account is no service."""
    principal = at(statement, "Principal")
    principals = [principal, *as_list(at(principal, "Service"))]
    may_match = "*" in principals or any(
        not isinstance(name, str) or name == service for name in principals[1:]
    )
    names_all_accounts = "*" in as_list(at(principal, "AWS")) or isinstance(principal, Unknown)
    actions = [str(pattern).lower() for pattern in as_list(at(statement, "Action"))]
    matches_action = any(matches_pattern(pattern, action) for pattern in actions)
    has_exclusions = (
        at(statement, "NotAction") is not None or at(statement, "NotPrincipal") is not None
    )
    return (may_match or names_all_accounts or has_exclusions) and (
        matches_action or has_exclusions
    )
