"""The actions and resources that an IAM statement grants, however its wildcards are spelt.

Actions and ARNs are patterns of `*` and `?`; actions are compared without regard to case:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe.rights.conditions import excludes_any
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import PROBE_NAME, matches_pattern
from gpuinfra.clouds.observing.values import any_of, as_list, at, opposite
from gpuinfra.model import UNKNOWN, Known, Unknown
from gpuinfra.records import record

PASSING: Final = "iam:PassRole"

_CHANNELS: Final = frozenset({"ec2messages", "ssmmessages"})
"""Services that are but the channels of a machine's own agent, and know no resources:
https://docs.aws.amazon.com/systems-manager/latest/userguide/systems-manager-setting-up-messageAPIs.html"""
_PROBE_RESOURCES: Final = (PROBE_NAME, f"{PROBE_NAME}/{PROBE_NAME}")
_TYPES: Final = {"iam": ("role", "user", "group", "policy"), "dynamodb": ("table",)}
"""Types of which all together are a service's power, where one of them is enough:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsidentityandaccessmanagementiam.html"""
_FIELDS: Final = 6


@record(kw_only=False)
class WideAction:
    """An action with wide effects: its power, its targets, and the other actions it needs."""

    action: str
    power: str
    target_types: tuple[str, ...]
    required_actions: tuple[str, ...]


def is_allowed(statement: Any) -> bool:
    """Return whether a statement allows anything without a condition that narrows it."""
    return at(statement, "Effect") == "Allow" and not excludes_any(at(statement, "Condition"))


def covers_everything(pattern: Any) -> bool:
    """Return whether an action's pattern matches every action of every service."""
    return isinstance(pattern, str) and _matches_name(pattern, f"{PROBE_NAME}:{PROBE_NAME}")


def covers_a_service(pattern: Any) -> bool:
    """Return whether an action's pattern matches every action of a service."""
    if not isinstance(pattern, str):
        return False
    service, divided, action = pattern.partition(":")
    if service.lower() in _CHANNELS:
        return False
    return covers_everything(pattern) or bool(
        divided and service and _matches_name(action, PROBE_NAME)
    )


def grants(statement: Any, action: str) -> Known:
    """Return whether a statement covers an action, on any resource."""
    excluded = as_list(at(statement, "NotAction"))
    if excluded:
        is_excluded = any_of(_names_action(pattern, action) for pattern in excluded)
        return opposite(is_excluded)
    return any_of(_names_action(pattern, action) for pattern in as_list(at(statement, "Action")))


def is_everywhere(statement: Any, service: str) -> Known:
    """Return whether a statement covers every resource of a service, or of one of its types."""
    if at(statement, "NotResource") is not None:
        return True
    return any_of(_iswide_rows(pattern, service) for pattern in as_list(at(statement, "Resource")))


def self_granted(statement: Any) -> Iterator[str]:
    """Yield the actions that a statement allows on everything and that lead to all permissions."""
    if is_allowed(statement) and is_everywhere(statement, "iam") is True:
        granted_actions = wide_actions(statement, "self")
        yield from (row.action for row in wide_rows("self") if row.action in granted_actions)


def wide_powers(statement: Any, statements: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield the powers that a statement gives over everything, each with its first action."""
    granted_actions = wide_actions(statement, "over") if is_allowed(statement) else frozenset()
    allowed = (
        [other_statement for other_statement in statements if is_allowed(other_statement)]
        if granted_actions
        else []
    )
    powers: set[str] = set()
    for row in wide_rows("over") if granted_actions else ():
        needs = row.required_actions
        if (
            row.power not in powers
            and row.action in granted_actions
            and _is_on_every(statement, row)
            and all(
                any(grants(other_statement, need) is True for other_statement in allowed)
                for need in needs
            )
        ):
            powers.add(row.power)
            yield row.action, row.power


def _is_on_every(statement: Any, wide_action: WideAction) -> bool:
    """Return whether a statement covers all resources of an action, or all of one type."""
    if is_everywhere(statement, wide_action.action.partition(":")[0]) is True:
        return True
    patterns = [
        arn_pattern
        for arn_pattern in as_list(at(statement, "Resource"))
        if isinstance(arn_pattern, str)
    ]
    return any(
        _matches_name(pattern, f"{_head(pattern, service)}{_probe_text(name)}{PROBE_NAME}")
        for service, _, name in (thing.partition(":") for thing in wide_action.target_types)
        for pattern in patterns
    )


@cache
def wide_rows(effect_kind: str) -> tuple[WideAction, ...]:
    """Return the actions with wide effects of one kind."""
    return tuple(
        WideAction(row["action"], row["power"] or "", tuple(row["things"]), tuple(row["with"]))
        for row in TABLES.rows("wide_actions")
        if row["way"] == effect_kind
    )


def wide_actions(statement: Any, effect_kind: str) -> frozenset[str]:
    """Return the actions with wide effects of one kind that a statement surely covers."""
    excluded = as_list(at(statement, "NotAction"))
    patterns = excluded or as_list(at(statement, "Action"))
    covered = frozenset[str]().union(
        *(_wide_of(pattern, effect_kind) for pattern in patterns if isinstance(pattern, str))
    )
    if not excluded:
        return covered
    has_unknown = UNKNOWN in excluded
    return frozenset() if has_unknown else _wide_of("*", effect_kind) - covered


@lru_cache(maxsize=4096)
def _wide_of(pattern: str, effect_kind: str) -> frozenset[str]:
    """Return the actions with wide effects of one kind that a pattern takes."""
    return frozenset(
        row.action for row in wide_rows(effect_kind) if _matches_name(pattern, row.action)
    )


def passes_to(statements: Sequence[Any]) -> str | None:
    """Return the action that runs code with any role; None where the policy allows none."""
    allowed = [statement for statement in statements if is_allowed(statement)]
    passing = (statement for statement in allowed if is_everywhere(statement, "iam") is True)
    if not any(grants(wide_statement, PASSING) is True for wide_statement in passing) or denies(
        statements, PASSING
    ):
        return None
    granted_actions = frozenset[str]().union(
        *(wide_actions(wide_statement, "passing") for wide_statement in allowed)
    )
    passing_actions = (row.action for row in wide_rows("passing") if row.action in granted_actions)
    return next((action for action in passing_actions if not denies(statements, action)), None)


def denies(statements: Sequence[Any], action: str) -> bool:
    """Return whether a policy denies an action everywhere and without a condition."""
    return any(
        at(statement, "Effect") == "Deny"
        and at(statement, "Condition") is None
        and is_everywhere(statement, action.partition(":")[0]) is True
        and grants(statement, action) is True
        for statement in statements
    )


def without_denied(statements: Sequence[Any]) -> tuple[Any, ...]:
    """Return a policy's statements without the actions that the same policy denies.

    Those count that deny on everything and without a condition: actions whole, or all but some.
    """
    taking = [statement for statement in statements if _takes_away(statement)]
    if not taking:
        return tuple(statements)
    return tuple(_without_denied_actions(statement, taking) for statement in statements)


def _takes_away(statement: Any) -> bool:
    return (
        at(statement, "Effect") == "Deny"
        and not at(statement, "Condition")
        and is_everywhere(statement, "*") is True
        and all(isinstance(action, str) for action in _actions(statement))
    )


def _actions(statement: Any) -> tuple[Any, ...]:
    return (*as_list(at(statement, "Action")), *as_list(at(statement, "NotAction")))


def _without_denied_actions(statement: Any, taking: Iterable[Any]) -> Any:
    """Return an allowing statement without the actions that others deny."""
    if at(statement, "Effect") != "Allow":
        return statement
    for denial in taking:
        excluded = as_list(at(denial, "NotAction"))
        if excluded and at(statement, "NotAction") is not None:
            statement = {**statement, "NotAction": None, "Action": list(excluded)}
        elif excluded:
            remaining = [
                part for action in _actions(statement) for part in _common(action, excluded)
            ]
            statement = {**statement, "Action": list(dict.fromkeys(remaining))}
        else:
            denied = as_list(at(denial, "Action"))
            remaining = [
                action
                for action in as_list(at(statement, "Action"))
                if not _is_within(action, denied)
            ]
            statement = {**statement, "Action": remaining}
    return statement


def _is_within(pattern: Any, wider: Iterable[Any]) -> bool:
    return isinstance(pattern, str) and any(
        _matches_name(wider_pattern, pattern) for wider_pattern in wider
    )


def _common(pattern: Any, excluded: Sequence[Any]) -> Iterator[Any]:
    """Yield the common part of an action pattern and others, or more where they overlap partly."""
    if not isinstance(pattern, str) or _is_within(pattern, excluded):
        yield pattern
        return
    for excluded_pattern in excluded:
        if _matches_name(pattern, excluded_pattern) or _may_overlap(pattern, excluded_pattern):
            yield excluded_pattern


def _may_overlap(pattern: str, other: str) -> bool:
    """Return whether two patterns of one service, neither within the other, may overlap."""
    have_wildcards = all(set(arn_pattern) & set("*?") for arn_pattern in (pattern, other))
    service, other_actions = pattern.partition(":")[0], other.partition(":")[0]
    return have_wildcards and (
        _matches_name(service, other_actions) or _matches_name(other_actions, service)
    )


def _names_action(pattern: Any, action: str) -> Known:
    if isinstance(pattern, Unknown):
        return UNKNOWN
    return isinstance(pattern, str) and _matches_name(pattern, action)


def _iswide_rows(pattern: Any, service: str) -> Known:
    if isinstance(pattern, Unknown):
        return UNKNOWN
    return isinstance(pattern, str) and _is_of_all(pattern, service)


@lru_cache(maxsize=4096)
def _is_of_all(pattern: str, service: str) -> bool:
    return any(_matches_name(pattern, probe) for probe in _probes(pattern, service))


def _probes(pattern: str, service: str) -> Iterable[str]:
    """Return ARNs of resources that do not exist, at the place that the pattern itself names."""
    probed_service = service if re.fullmatch(r"[a-z0-9-]+", service) else PROBE_NAME
    head = _head(pattern, probed_service)
    types = (f"{kind}/{PROBE_NAME}" for kind in _TYPES.get(probed_service, ()))
    return [head + tail for tail in (*_PROBE_RESOURCES, *types)]


def _head(pattern: str, service: str) -> str:
    """Return a service's ARN as a pattern names it, up to the resource part."""
    parts = [*pattern.split(":", _FIELDS - 1), *([""] * _FIELDS)]
    partition, region, account = (_probe_text(parts[field_index]) for field_index in (1, 3, 4))
    return f"arn:{partition}:{service}:{region}:{account}:"


def _probe_text(field: str) -> str:
    return field.replace("*", PROBE_NAME).replace("?", "q")


@lru_cache(maxsize=1 << 16)
def _matches_name(pattern: str, name: str) -> bool:
    return matches_pattern(pattern, name, ignore_case=True)
