"""Declared inputs against the provider SDK's own classes, which Pulumi generates from its schema.

Names, nested names, required inputs, types, and the enums that Azure's classes name.
"""

import collections.abc
import inspect
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Final

import pulumi
from pulumi._types import (
    _raw_return_hints,
    input_type_py_to_pulumi_names,
    is_input_type,
    resource_types,
)
from pulumi.stash import StashArgs

from gpuinfra.components.register import arguments_class, class_of
from gpuinfra.graph import STASH, Resource, ResourceGraph
from gpuinfra.sandbox.plugin.assets import is_asset
from gpuinfra.sandbox.plugin.wire import Unknown
from gpuinfra.similar_words import nearest
from tests.witnesses import values

PLAIN: Final = (str, bool, int, float)
OF_EVERY_RESOURCE: Final = {"id": str, "urn": str}
OWN: Final = {STASH: StashArgs}
"""The classes of what Pulumi itself keeps."""

ASSETS: Final = (pulumi.Asset, pulumi.Archive)


def complaints(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    """What the SDK's classes would not take of a resource."""
    kind = OWN.get(resource.type) or arguments_class(resource.type)
    yield from _object(graph, kind, values.inputs(resource), "")


@cache
def alternatives(hint: Any) -> tuple[Any, ...]:
    """The types of which a hint takes one; promises of them are left out."""
    origin = typing.get_origin(hint)
    if origin in (collections.abc.Awaitable, pulumi.Output) or hint in (NoneType, pulumi.Output):
        return ()
    if origin is typing.Union:
        hints = [
            alternative for part in typing.get_args(hint) for alternative in alternatives(part)
        ]
        return tuple(dict.fromkeys(hints))
    return (hint,)


@cache
def required(kind: type) -> frozenset[str]:
    """The inputs without a default, in the provider's spelling."""
    names = input_type_py_to_pulumi_names(kind)
    parameters = inspect.signature(kind.__init__).parameters
    return frozenset(
        camel
        for snake, camel in names.items()
        if snake in parameters and parameters[snake].default is inspect.Parameter.empty
    )


@cache
def outputs(token: str) -> Mapping[str, Any]:
    """The types of a resource's outputs by name."""
    return {**resource_types(class_of(token)), **OF_EVERY_RESOURCE}


def _object(graph: ResourceGraph, kind: type, given: dict[str, Any], path: str) -> Iterator[str]:
    hints = _raw_return_hints(kind)
    present = {key for key, value in given.items() if value is not None}
    for key in sorted(required(kind) - present):
        yield f"{_join(path, key)}: required by {kind.__name__} and missing"
    for key in present:
        at = _join(path, key)
        if key not in hints:
            yield f"{at}: {kind.__name__} has no such input{_hint(key, hints)}"
        else:
            yield from _value(graph, alternatives(hints[key]), given[key], at)


def _value(graph: ResourceGraph, types: tuple[Any, ...], value: Any, path: str) -> Iterator[str]:
    if isinstance(value, values.Output):
        yield from _output(graph, types, value, path)
        return
    if isinstance(value, Unknown) or Any in types:
        return
    enums = [type_ for type_ in types if isinstance(type_, type) and issubclass(type_, Enum)]
    if enums and isinstance(value, str):
        yield from _listed(enums, value, path)
        return
    fitting = [type_ for type_ in types if _fits(type_, value)]
    if not fitting:
        shown = " or ".join(getattr(type_, "__name__", str(type_)) for type_ in types)
        yield f"{path}: {value!r:.60} is no {shown}"
        return
    yield from _parts(graph, fitting[0], value, path)


def _parts(graph: ResourceGraph, kind: Any, value: Any, path: str) -> Iterator[str]:
    """What is wrong within a value of a fitting type."""
    arguments = typing.get_args(kind)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _value(graph, alternatives(arguments[0]), item, f"{path}[{index}]")
    elif isinstance(kind, type) and is_input_type(kind):
        yield from _object(graph, kind, value, path)
    elif isinstance(value, dict) and arguments:
        for key, item in value.items():
            yield from _value(graph, alternatives(arguments[1]), item, f"{path}[{key!r}]")


def _output(
    graph: ResourceGraph, types: tuple[Any, ...], value: values.Output, path: str
) -> Iterator[str]:
    """An output of another resource: that it has it, and that its type is taken."""
    token = graph.resources[value.ref.key].type
    if token.startswith(("gpuinfra:", "pulumi:")):
        return
    known = outputs(token)
    if value.ref.output not in known:
        yield f"{path}: {token} has no output {value.ref.output}{_hint(value.ref.output, known)}"
        return
    of = alternatives(known[value.ref.output])
    if of and all(type_ in PLAIN for type_ in of) and not _taken(of, types):
        yield f"{path}: {value.ref} is {of[0].__name__}, which is not taken there"


def _taken(given: tuple[Any, ...], types: tuple[Any, ...]) -> bool:
    """Whether an output fits: providers take numbers where text is wanted."""
    texts = any(
        type_ is str or (isinstance(type_, type) and issubclass(type_, Enum)) for type_ in types
    )
    return Any in types or texts or any(type_ in types for type_ in given)


def _listed(enums: list[type[Enum]], value: str, path: str) -> Iterator[str]:
    listed = [member.value for kind in enums for member in kind]
    if not values.partly(value) and value not in listed:
        yield f"{path}: {value!r} is not in {enums[0].__name__}{_hint(value, listed)}"


def _fits(kind: Any, value: Any) -> bool:
    if is_asset(value):
        return kind in ASSETS
    origin = typing.get_origin(kind)
    if origin is collections.abc.Sequence:
        return isinstance(value, list)
    if origin is collections.abc.Mapping or (isinstance(kind, type) and is_input_type(kind)):
        return isinstance(value, dict)
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, int | float)
    return isinstance(kind, type) and isinstance(value, kind)


def _hint(given: str, accepted: typing.Iterable[str]) -> str:
    near = nearest(given, accepted)
    return f"; did you mean {near}?" if near else ""


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
