"""The resources of a program with edits applied, as an edited program would register them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing.values import unknown_inside
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.property_paths import with_value
from gpuinfra.model import UNKNOWN, Resource

_REFERENCE: Final = re.compile(r"\$\{([^${}]+)\.(?:id|name)\}")
"""The pattern of an edit's reference to another resource, as in Pulumi YAML."""

_ARN_REFERENCE: Final = re.compile(r"\$\{([^${}]+)\.(arn)\}")
"""The same inside of a longer text, for example a policy."""


def with_edits(resources: Sequence[Resource], edits: Sequence[Edit]) -> tuple[Resource, ...]:
    """Return the resources with edits applied, including added and removed resources."""
    by_urn: dict[str, list[Edit]] = {}
    for edit in edits:
        by_urn.setdefault(edit.resource, []).append(edit)
    edited_resources: list[Resource] = []
    for resource in resources:
        edits_of_resource = by_urn.get(resource.urn)
        if edits_of_resource is None:
            edited_resources.append(resource)
            continue
        named_ = {resource.name: resource}
        for edit in edits_of_resource:
            if edit.adds_resource:
                added = _new_resource(resource, edit)
                named_[added.name] = added
                edited_resources.append(added)
        if not any(edit.removes_resource for edit in edits_of_resource):
            edited_resources.append(
                _edit_resource(resource, [edit for edit in edits_of_resource if edit.path], named_)
            )
    return tuple(edited_resources)


def resolve_placeholders(resource: Resource, value: Any) -> Any:
    """Return a remedy's value with `{id}`, `{arn}` and `{new}` replaced by references.

    `{new}` is the name of the resource that is added with it. What it is called in the cloud is
    not written out: Pulumi gives most of them a name of its own.
    """
    if isinstance(value, str):
        value = re.sub(r"\{(id|arn)\}", lambda hit: f"${{{resource.name}.{hit[1]}}}", value)
        return re.sub(r"\{new:(\w+)\}", lambda hit: f"${{{resource.name}-{hit[1]}.name}}", value)
    if isinstance(value, Mapping):
        return {
            key: resolve_placeholders(resource, nested_value)
            for key, nested_value in value.items()
        }
    return (
        [resolve_placeholders(resource, nested_value) for nested_value in value]
        if isinstance(value, list)
        else value
    )


def _edit_resource(
    resource: Resource, edits: Sequence[Edit], resources_by_name: Mapping[str, Resource]
) -> Resource:
    """Return a resource with properties set, and with relations only of the new values."""
    inputs: Any = resource.inputs
    outputs: Any = resource.outputs
    redacted_inputs: Any = resource.redacted_inputs
    relations = dict(resource.relations)
    for edit in edits:
        value, targets = _resolve_references(edit.after, resources_by_name)
        inputs = with_value(inputs, edit.path, value)
        key = str(edit.path[0])
        if key in outputs:
            outputs = with_value(outputs, edit.path, value)
        if key in redacted_inputs:
            redacted_inputs = with_value(redacted_inputs, edit.path, value)
        kept_relations = relations.get(key, ()) if edit.path[1:] or unknown_inside(value) else ()
        relations[key] = (*kept_relations, *targets)
    return replace(
        resource,
        inputs=inputs,
        redacted_inputs=redacted_inputs,
        outputs=outputs,
        relations=relations,
    )


def _new_resource(resource: Resource, edit: Edit) -> Resource:
    """Return a new resource that a remedy adds for an existing one."""
    kind = edit.type.rpartition(":")[2]
    resources_by_name = {resource.name: resource}
    resolved = {
        key: _resolve_references(value, resources_by_name) for key, value in edit.after.items()
    }
    return Resource(
        urn=f"{resource.urn}-{kind}",
        type=edit.type,
        name=f"{resource.name}-{kind}",
        inputs={key: value for key, (value, _) in resolved.items()},
        relations={key: targets for key, (_, targets) in resolved.items() if targets},
        region=resource.region,
    )


def _resolve_in_text(
    value: str, resources_by_name: Mapping[str, Resource]
) -> tuple[Any, tuple[str, ...]]:
    """Return a text with its references resolved, or JSON with unknown parts, and the targets."""
    hits = [hit for hit in _ARN_REFERENCE.finditer(value) if hit[1] in resources_by_name]
    if not hits:
        return value, ()
    targets = tuple(dict.fromkeys(resources_by_name[hit[1]].urn for hit in hits))
    for hit in hits:
        output_value = resources_by_name[hit[1]].outputs.get(hit[2])
        if isinstance(output_value, str):
            value = value.replace(hit[0], output_value)
    try:
        return _open(json.loads(value)), targets
    except ValueError:
        return (UNKNOWN if _ARN_REFERENCE.search(value) else value), targets


def _open(value: Any) -> Any:
    """Return decoded JSON in which values with unresolved references are unknown."""
    if isinstance(value, Mapping):
        return {key: _open(nested_value) for key, nested_value in value.items()}
    if isinstance(value, list):
        return [_open(nested_value) for nested_value in value]
    return UNKNOWN if isinstance(value, str) and _ARN_REFERENCE.search(value) else value


def _resolve_references(
    value: Any, resources_by_name: Mapping[str, Resource]
) -> tuple[Any, tuple[str, ...]]:
    """Return a value with its references resolved where known, and the URNs of their targets."""
    if isinstance(value, str):
        hit = _REFERENCE.fullmatch(value)
        if hit is None or hit[1] not in resources_by_name:
            return _resolve_in_text(value, resources_by_name)
        target = resources_by_name[hit[1]]
        resource_id = target.outputs.get("id")
        return (resource_id if isinstance(resource_id, str) else UNKNOWN), (target.urn,)
    if isinstance(value, Mapping):
        parts = {
            key: _resolve_references(nested_value, resources_by_name)
            for key, nested_value in value.items()
        }
        targets = (target for _, urns in parts.values() for target in urns)
        return {key: resolved for key, (resolved, _) in parts.items()}, tuple(targets)
    if isinstance(value, list | tuple):
        entries = [_resolve_references(nested_value, resources_by_name) for nested_value in value]
        return [resolved for resolved, _ in entries], tuple(
            to for _, urns in entries for to in urns
        )
    return value, ()
