"""The keys of resources' tags and labels; their values are not read."""

from collections.abc import Iterable, Mapping
from typing import Any

from gpuinfra.clouds.observing.values import as_list, at, flag
from gpuinfra.model import UNKNOWN, Resource, Unknown

Keys = frozenset[str] | Unknown
NO_KEYS: frozenset[str] = frozenset()


def keys_of(value: Any) -> Keys:
    """Return the keys of a mapping; UNKNOWN where it is hidden or something else."""
    if value is None:
        return NO_KEYS
    if not isinstance(value, Mapping):
        return UNKNOWN
    return frozenset(str(key) for key in value)


def resource_keys(resource: Resource, input_key: str, output_key: str) -> Keys:
    """Return a resource's own keys, with its provider's where a preview shows them.

    Args:
        resource: of any type that takes labels.
        input_key: the input that has them.
        output_key: the output that has them with the provider's own beside.
    """
    effective_labels = resource.outputs.get(output_key)
    own_keys = keys_of(resource.inputs.get(input_key))
    if not isinstance(effective_labels, Mapping):
        return own_keys
    return union_of_keys((own_keys, keys_of(effective_labels)))


def inherited_keys(tags: Any, key: str, passed: str) -> Keys:
    """Return the keys of a list of tags that are marked for machines to inherit."""
    if isinstance(tags, Unknown):
        return UNKNOWN
    keys: set[str] = set()
    for tag in as_list(tags):
        name, is_inherited = at(tag, key), flag(at(tag, passed))
        if isinstance(name, Unknown) or isinstance(is_inherited, Unknown):
            return UNKNOWN
        if is_inherited is True and isinstance(name, str):
            keys.add(name)
    return frozenset(keys)


def union_of_keys(key_sets: Iterable[Keys]) -> Keys:
    """Return the union of keys, as one resource has them from several places."""
    joint: frozenset[str] = NO_KEYS
    for keys in key_sets:
        if isinstance(keys, Unknown):
            return UNKNOWN
        joint |= keys
    return joint


def common_keys(key_sets: Iterable[Keys]) -> Keys:
    """Return the keys that every one of several machines has."""
    shared_keys: frozenset[str] | None = None
    for keys in key_sets:
        if isinstance(keys, Unknown):
            return UNKNOWN
        shared_keys = keys if shared_keys is None else shared_keys & keys
    return NO_KEYS if shared_keys is None else shared_keys
