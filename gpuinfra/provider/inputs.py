"""A component's arguments as a typed mapping, which Pulumi's component analyzer reads."""

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, ForwardRef, Literal, NotRequired, TypedDict, Union
from typing import get_args as parts_of
from typing import get_origin as origin_of

import pulumi

_OWN_PARAMETERS: Final = frozenset({"self", "name", "args", "opts", "return"})
"""Parameters of a component that are no arguments of its own."""


def inputs_of(kind: type[pulumi.ComponentResource], arguments: type) -> type:
    """Return the typed mapping of a component: its arguments, and other constructor parameters.

    It has what the analyzer accepts: text for listed words, anything for unions, an input where
    the value may exist only later.
    """
    return TypedDict(  # type: ignore[operator, no-any-return]
        f"{kind.__name__}Inputs",
        {**_record_inputs(arguments), **_constructor_inputs(kind)},  # pyright: ignore[reportGeneralTypeIssues]
    )


@cache
def mapping_of(kind: type) -> type:
    """Return the typed mapping of a dataclass that is part of an argument."""
    return TypedDict(kind.__name__, _record_inputs(kind))  # type: ignore[operator, no-any-return]


def _record_inputs(kind: type) -> dict[str, Any]:
    needless = {
        field.name
        for field in fields(kind)
        if field.default is not MISSING or field.default_factory is not MISSING
    }
    hints = inspect.get_annotations(kind)
    return {
        name: NotRequired[_type(hint)] if name in needless else _type(hint)
        for name, hint in hints.items()
    }


def _constructor_inputs(kind: type) -> dict[str, Any]:
    hints = inspect.get_annotations(kind.__init__)  # type: ignore[misc]
    return {
        name: NotRequired[_type(hint)]
        for name, hint in hints.items()
        if name not in _OWN_PARAMETERS
    }


def _type(hint: Any) -> Any:
    """Return a type hint as the analyzer expects it."""
    if isinstance(hint, type) and is_dataclass(hint):
        return mapping_of(hint)
    origin = origin_of(hint)
    if origin is Literal:
        return str
    if origin in {Union, UnionType}:
        return _union_type(parts_of(hint))
    if origin is Sequence:
        (inner_hint,) = parts_of(hint)
        return list[_type(inner_hint)]  # type: ignore[misc]
    if origin is Mapping:
        _, value = parts_of(hint)
        return dict[str, _type(value)]  # type: ignore[misc]
    return hint


def _union_type(parts: tuple[Any, ...]) -> Any:
    may_be_output = any(
        isinstance(part, ForwardRef) or origin_of(part) is pulumi.Output for part in parts
    )
    plain_types = {_type(part) for part in parts if not _has_no_wire_type(part)}
    (kind,) = plain_types if len(plain_types) == 1 else (Any,)
    return pulumi.Input[kind] if may_be_output else kind  # type: ignore[misc,valid-type]


def _has_no_wire_type(union_member: Any) -> bool:
    """Return whether a part of a union has no type of its own on the wire."""
    is_resource = isinstance(union_member, type) and issubclass(union_member, pulumi.Resource)
    is_nothing = union_member is NoneType or isinstance(union_member, ForwardRef)
    return is_nothing or is_resource or origin_of(union_member) in {Awaitable, pulumi.Output}
