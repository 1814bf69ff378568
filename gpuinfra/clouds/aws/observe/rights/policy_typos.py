"""Names in policy documents that no service has: misspelt actions or condition keys.

Only a word that is close to a known one counts: a service may have actions younger than the table.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import as_list
from gpuinfra.model import Resource

_DOCUMENTS: Final = {
    **dict.fromkeys(
        (
            resource_types.POLICY,
            resource_types.ROLE_POLICY,
            resource_types.USER_POLICY,
            resource_types.IAM_GROUP_POLICY,
            resource_types.BUCKET_POLICY,
            resource_types.TOPIC_POLICY,
            resource_types.QUEUE_POLICY,
            resource_types.KEY,
        ),
        "policy",
    ),
    resource_types.ROLE: "assumeRolePolicy",
}
_GLOBAL: Final = "aws"
_TAG_CONDITION_KEYS: Final = ("ResourceTag", "RequestTag", "PrincipalTag")
"""Keys that a tag's own key follows:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html"""
_UNWRITTEN: Final = "${"


def faults_of(resource: Resource) -> Iterator[str]:
    """Yield the misspelt names in a resource's policy."""
    key = _DOCUMENTS.get(resource_types.canonical(resource.type))
    if key is None:
        return
    for statement in statements_of(resource.inputs.get(key)):
        yield from _statement_faults(statement)


def _statement_faults(statement: Any) -> Iterator[str]:
    if not isinstance(statement, Mapping):
        return
    for key in ("Action", "NotAction"):
        for action in as_list(statement.get(key)):
            yield from _action(action)
    condition = statement.get("Condition")
    for operator in condition.values() if isinstance(condition, Mapping) else ():
        for key in operator if isinstance(operator, Mapping) else ():
            yield from _key(key)


def _action(action: Any) -> Iterator[str]:
    if not isinstance(action, str) or _UNWRITTEN in action or "*" in action or "?" in action:
        return
    service, colon, name = action.partition(":")
    action_names = _action_names(service.lower()) if colon else None
    if action_names is None or name.lower() in action_names:
        return
    near_action = one_slip_away(name, action_names.values())
    if near_action:
        yield f"{service} has no action {name}: did you mean {service}:{near_action}?"


def _key(key: str) -> Iterator[str]:
    service, colon, name = key.partition(":")
    key_names = _keys(service.lower()) if colon else None
    key_prefix = name.partition("/")[0]
    if key_names is None or key_prefix.lower() in key_names:
        return
    near_key = one_slip_away(key_prefix, key_names.values())
    if near_key:
        yield f"unknown condition key {key}: did you mean {service}:{near_key}?"


@cache
def _action_names(service: str) -> Mapping[str, str] | None:
    """Return the actions of a service by their lower-case names; None for an unknown service."""
    table = TABLES.table("actions")["services"].get(service)
    if table is None:
        return None
    return {action.lower(): action for action in f"{table['reads']} {table['changes']}".split()}


@cache
def _keys(service: str) -> Mapping[str, str] | None:
    """Return the condition keys of a service, or of all, by their lower-case names."""
    content = TABLES.table("actions")
    if service == _GLOBAL:
        keys = content["global_keys"].split()
    elif service in content["services"]:
        keys = content["services"][service]["keys"].split()
    else:
        return None
    return {key.partition("/")[0].lower(): key for key in (*keys, *_TAG_CONDITION_KEYS)}


def one_slip_away(word: str, known_words: Iterable[str]) -> str:
    """Return the known word that is one edit away from this one; empty for none.

    A slip is a letter more, less, changed, or two exchanged.
    """
    return next(
        (candidate for candidate in known_words if _is_slip(word.lower(), candidate.lower())), ""
    )


def _is_slip(word: str, other: str) -> bool:
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    slip_rest, other_rest = word[start:], other[start:]
    exchanged = slip_rest[:2] == other_rest[1::-1] and slip_rest[2:] == other_rest[2:]
    return (
        slip_rest[1:] in (other_rest, other_rest[1:]) or slip_rest == other_rest[1:] or exchanged
    )
