"""The check whether a change keeps a resource, or replaces it so that both exist for a while."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds import canonical, cloud_of, provider_of
from gpuinfra.clouds.replacement_facts import ReplacementFacts, ReplacementTable
from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.model import UNKNOWN, Known, Resource


def may_coexist(existing_resource: ExistingResource, new: Resource) -> Known:
    """Return whether old and new may exist at once: Pulumi creates before it deletes.

    True for a changed input that replaces the resource, for an unverified one, for a move to
    another region, and for what its state or its options mark; UNKNOWN for any other change of
    a type that no table has. A caller that knows that the old one is deleted first need not ask.
    """
    old = existing_resource.resource
    if existing_resource.may_be_replaced or old.region != new.region:
        return True
    facts = _replacement_facts(new.type)
    paths = set(changes(_adjusted_old_inputs(old, new, facts), new.inputs))
    if not paths:
        return False
    options = tuple(_paths_of_options(existing_resource, new))
    if any(not path or _overlaps_path(each, path) for each in paths for path in options):
        return True
    if facts is None:
        return UNKNOWN
    if any(_top(path) not in facts.inputs for path in paths):
        return True
    return any(_overlaps_path(path, replacing) for path in paths for replacing in facts.paths)


def _adjusted_old_inputs(
    old: Resource, new: Resource, facts: ReplacementFacts | None
) -> Mapping[str, Any]:
    """Return the old inputs, adjusted for the keys that the provider fills in by itself.

    Of what the provider fills, neither is a change: an imported resource states all that it has.
    """
    if facts is None or not facts.fills:
        return old.inputs
    old_values = {**old.outputs, **old.inputs}
    open_ = {key for key in facts.fills if new.inputs.get(key) is None}
    filled_keys = {key for key in facts.fills if key not in old.inputs and key in new.inputs}
    old_inputs = {key: value for key, value in old.inputs.items() if key not in open_}
    return {**old_inputs, **{key: old_values[key] for key in filled_keys if key in old_values}}


def _paths_of_options(existing: ExistingResource, new: Resource) -> Iterator[str]:
    """Yield the paths of replaceOnChanges up to their first index or wildcard; empty for any.

    An output that is no input may change with any input, as the latest version of a template does.
    https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/property_path.go (Contains)
    """
    old = existing.resource
    for option in existing.replaced_on:
        path = re.split(r"[\[*]", option)[0].rstrip(".")
        is_input = _top(path) in {*old.inputs, *new.inputs} or _top(path) not in old.outputs
        yield path if is_input else ""


def _replacement_facts(resource_type: str) -> ReplacementFacts | None:
    cloud = cloud_of(resource_type)
    if cloud is None:
        return None
    table = ReplacementTable(provider_of(cloud).tables)
    return table.replacing(resource_type) or table.replacing(canonical(resource_type))


def _top(path: str) -> str:
    return path.partition(".")[0].removesuffix("#").partition("[")[0]


def _overlaps_path(changed_path: str, replacing: str) -> bool:
    """Return whether a changed path is at, below or above a path of the table."""
    if replacing.endswith("#"):
        return changed_path == replacing
    changed_path = changed_path.removesuffix("#")
    return (
        changed_path == replacing
        or changed_path.startswith((f"{replacing}.", f"{replacing}["))
        or replacing.startswith((f"{changed_path}.", f"{changed_path}["))
    )


def changes(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield the paths that differ: `a.b`, `a[].b` in list items, `a#` if one is added or removed.

    An unknown value differs from everything, itself included.
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            yield from _entry(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path}#"
        for old_value, new_value in zip(old, new, strict=False):
            yield from changes(old_value, new_value, f"{path}[]")
    elif old is UNKNOWN or old != new:
        yield path


def _entry(old: Any, new: Any, path: str) -> Iterator[str]:
    blocks = (dict, list)
    if (old is None) != (new is None) and isinstance(new if old is None else old, blocks):
        yield f"{path}#"
    else:
        yield from changes(old, new, path)
