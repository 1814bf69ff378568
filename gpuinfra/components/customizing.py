"""The caller's custom arguments for children: validation against the SDK, and merging."""

import re
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import pulumi
from pulumi._types import (
    input_type_py_to_pulumi_names,
    input_type_to_untranslated_dict,
    input_type_types,
    is_input_type,
)

from gpuinfra.clouds.declaring.tag_format import TagFormat
from gpuinfra.components.argument_types import ArgumentShape, shapes_of
from gpuinfra.components.register import arguments_class, class_of
from gpuinfra.errors import InputError, PathPart, Problem, unknown_word
from gpuinfra.graph import STASH, ResourceGraph
from gpuinfra.similar_words import nearest


def apply_customizations(
    graph: ResourceGraph, component: str, customize: Any, tag_format: TagFormat
) -> ResourceGraph:
    """Return a graph with the caller's own arguments for the children of one component.

    Raises:
        InputError: they name a child or an argument that does not exist, or set tags of ours.
    """
    customizations = as_mappings(customize)
    name = graph.resources[component].name
    children = {
        resource.child: resource
        for resource in graph.children(component)
        if resource.type != STASH
    }
    kinds = (
        {child: class_of(resource.type) for child, resource in children.items()}
        if customizations
        else {}
    )
    faults = [*problems(name, customizations, kinds, tag_format)]
    if faults:
        raise InputError(faults)
    changed_resources = dict(graph.resources)
    for child, arguments in customizations.items():
        declared_child = children[child]
        custom_arguments = _provider_spelling(arguments, arguments_class(declared_child.type))
        changed_resources[declared_child.key] = replace(
            declared_child,
            inputs=merge_inputs(declared_child.inputs, custom_arguments, tag_format),
        )
    return replace(graph, resources=changed_resources)


def as_mappings(value: Any) -> Any:
    """Return a value with the SDK's argument classes as mappings."""
    if is_input_type(type(value)):
        value = input_type_to_untranslated_dict(value)
    if isinstance(value, Mapping):
        return {key: as_mappings(nested_value) for key, nested_value in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_mappings(nested_value) for nested_value in value]
    return value


def problems(
    name: str,
    customize: Any,
    kinds: Mapping[str, type[pulumi.CustomResource]],
    tag_format: TagFormat,
) -> Iterator[Problem]:
    """Yield problems of plain custom arguments for a component's children."""
    place = (name, "customize")
    if not isinstance(customize, Mapping):
        yield _not_taken(place, customize, "a mapping of arguments by child")
        return
    for child, arguments in customize.items():
        key_path = (*place, str(child))
        if child not in kinds:
            yield absent(name, str(child), kinds)
        elif isinstance(arguments, Mapping):
            kind = kinds[child]
            accepted = f"the arguments of {kind.__module__}.{kind.__name__}"
            yield from _keys(key_path, arguments, shapes_of(kind), accepted, tag_format)
        else:
            yield _not_taken(key_path, arguments, "a mapping of arguments")


def absent(name: str, child: str, accepted: Iterable[str]) -> Problem:
    """Return the problem of an unknown child."""
    key_path = (name, "customize", child)
    return unknown_word(f"{name}: unknown child {child!r}", child, sorted(accepted), key_path)


def merge_inputs(
    declared: Mapping[str, Any], custom: Mapping[str, Any], tag_format: TagFormat
) -> dict[str, Any]:
    """Return a resource's inputs merged with the caller's, both in the provider's spelling.

    A block keeps the keys that the caller leaves out; a list replaces ours, lists of tags apart;
    None takes an input away.
    """
    changed_values = {
        key: _merge_value(key, declared.get(key), value, tag_format)
        for key, value in custom.items()
    }
    merged = {**declared, **changed_values}
    return {key: value for key, value in merged.items() if value is not None}


def _merge_value(name: str, declared_value: Any, custom: Any, tag_format: TagFormat) -> Any:
    if isinstance(declared_value, Mapping) and isinstance(custom, Mapping):
        return merge_inputs(declared_value, custom, tag_format)
    if (
        isinstance(declared_value, list)
        and isinstance(custom, list)
        and name in tag_format.tag_inputs
    ):
        key = tag_format.tag_inputs[name]
        custom_by_key = {entry[key]: entry for entry in custom}
        merged = [
            merge_inputs(entry, custom_by_key.pop(entry[key], {}), tag_format)
            for entry in declared_value
        ]
        return [*merged, *custom_by_key.values()]
    return custom


def _provider_spelling(value: Any, shape: type | None) -> Any:
    """Return a value with an input type's keys in the provider's spelling; other keys stay."""
    if isinstance(value, Mapping) and shape is not None:
        names = input_type_py_to_pulumi_names(shape)
        hints = input_type_types(shape)
        spelled: dict[Any, Any] = {
            names.get(key, key): nested_value for key, nested_value in value.items()
        }
        return {
            key: _provider_spelling(nested_value, _block_of(hints.get(key)))
            for key, nested_value in spelled.items()
        }
    if isinstance(value, list):
        return [_provider_spelling(nested_value, shape) for nested_value in value]
    return value


def _block_of(hint: Any) -> type | None:
    """Return the input type in a type hint; None where it accepts no block."""
    if isinstance(hint, type) and is_input_type(hint) and not issubclass(hint, dict):
        return hint
    return next(filter(None, map(_block_of, get_args(hint))), None)


def _keys(
    path: tuple[PathPart, ...],
    options: Mapping[str, Any],
    shapes: Mapping[str, ArgumentShape],
    accepted: str,
    tag_format: TagFormat,
) -> Iterator[Problem]:
    for key, value in options.items():
        key_path = (*path, str(key))
        shape = shapes.get(key)
        if shape is None:
            place_text = f" in {'.'.join(map(str, path[3:]))}" if path[3:] else ""
            yield Problem(
                message=f"{path[0]}: child {path[2]!r} has no argument {key!r}{place_text}",
                path=key_path,
                value=str(key),
                allowed=accepted,
                suggestion=nearest(str(key), shapes),
            )
        elif key in _tag_arguments(tag_format):
            yield from _tags(key_path, value, shape, tag_format)
        else:
            yield from _value(key_path, value, shape, tag_format)


def _value(
    path: tuple[PathPart, ...], value: Any, shape: ArgumentShape, tag_format: TagFormat
) -> Iterator[Problem]:
    if shape.keys is None or value is None or (shape.text and _is_text(value)):
        return
    if not shape.listed:
        yield from _block(path, value, shape.keys, tag_format)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _block((*path, index), entry, shape.keys, tag_format)
    else:
        yield _not_taken(path, value, "a list of mappings; their values may be outputs")


def _block(
    path: tuple[PathPart, ...],
    value: Any,
    shapes: Mapping[str, ArgumentShape],
    tag_format: TagFormat,
) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        yield from _keys(path, value, shapes, ", ".join(sorted(shapes)), tag_format)
    else:
        yield _not_taken(path, value, "a mapping; its values may be outputs")


def _tags(
    path: tuple[PathPart, ...], value: Any, shape: ArgumentShape, tag_format: TagFormat
) -> Iterator[Problem]:
    """Yield problems of tags that can't be read, or that gpuinfra itself sets."""
    key = _tag_arguments(tag_format)[str(path[-1])]
    if shape.keys is None or key not in shape.keys:
        if isinstance(value, Mapping):
            yield from tag_format.reserved_tag_problems(path, value)
        else:
            yield _not_taken(path, value, "a mapping; its values may be outputs")
        return
    if value is None:
        yield _not_taken(path, value, "a list of mappings")
    yield from _value(path, value, shape, tag_format)
    for index, tag in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(tag, Mapping):
            continue
        if not isinstance(tag.get(key), str):
            yield _not_taken((*path, index, key), tag.get(key), "plain text")
        elif key == "key":
            yield from tag_format.reserved_tag_problems((*path, index), {tag[key]: ""})


def _not_taken(path: tuple[PathPart, ...], value: Any, allowed: str) -> Problem:
    return Problem(
        message=f"{path[0]}: {'.'.join(map(str, path[1:]))} does not accept {_kind(value)}",
        path=path,
        value="" if isinstance(value, pulumi.Output | Awaitable) else repr(value),
        allowed=allowed,
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str | pulumi.Output | Awaitable)


def _kind(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _tag_arguments(tag_format: TagFormat) -> Mapping[str, str]:
    """Return the arguments that hold tags or labels, in Python's spelling."""
    return {_snake(name): _snake(key) for name, key in tag_format.tag_inputs.items()}


@cache
def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
