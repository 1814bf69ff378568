"""Immutable records: frozen dataclasses with slots that cost little until they are used.

`dataclasses` writes and compiles six functions for every frozen class, which took a third of a
cold `gpuinfra check`, most of them of classes that the check never makes. A record compiles one,
its `__init__`, once some instances were made; the others are shared. For type checkers, and for
`fields`, `replace` and `asdict`, it is a dataclass.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type[Any])

COMPILE_THRESHOLD = 6
"""So many instances are filled field by field; compiling the `__init__` takes as long."""


@overload
def record(kind: Class) -> Class: ...


@overload
def record(*, kw_only: bool) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(kind: Any = None, *, kw_only: bool = True) -> Any:
    """Return a class as an immutable record; its fields are keyword-only unless stated otherwise.

    It takes no `__post_init__` and no field that is not an argument: those stay dataclasses.
    """
    if kind is None:
        return lambda named: _record(named, kw_only)
    return _record(kind, kw_only)


def _record(kind: Any, kw_only: bool) -> Any:
    own_attributes = vars(kind)
    shared = {
        "__eq__": _eq,
        "__hash__": _hash,
        "__repr__": _repr,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    for name, function in shared.items():
        if own_attributes.get(name) is None:
            setattr(kind, name, function)
    record_class = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(kind)

    few = COMPILE_THRESHOLD

    def first(self: Any, *arguments: Any, **keyword_arguments: Any) -> None:
        nonlocal few
        few -= 1
        values = _arguments(record_class, arguments, keyword_arguments) if few else None
        if values is None:
            record_class.__init__ = _init(record_class)
            record_class.__init__(self, *arguments, **keyword_arguments)
            return
        for name, value in values.items():
            object.__setattr__(self, name, value)

    record_class.__init__ = first
    return record_class


def _arguments(
    kind: Any, arguments: tuple[Any, ...], keyword_arguments: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the value of each field; None for wrong arguments, which `_init` reports."""
    field_values, unnamed = _fields(kind)
    arguments_by_name = {**dict(zip(unnamed, arguments, strict=False)), **keyword_arguments}
    values = {}
    for known_field in field_values:
        if known_field.name in arguments_by_name:
            values[known_field.name] = arguments_by_name[known_field.name]
        elif known_field.default is not MISSING:
            values[known_field.name] = known_field.default
        elif known_field.default_factory is not MISSING:
            values[known_field.name] = known_field.default_factory()
        else:
            return None
    return (
        values
        if len(arguments) + len(keyword_arguments) == len(arguments_by_name.keys() & values.keys())
        else None
    )


@cache
def _fields(kind: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return the fields of a record, and the names of those that need no name."""
    record_fields = fields(kind)
    return record_fields, tuple(
        known_field.name for known_field in record_fields if not known_field.kw_only
    )


def _init(kind: Any) -> Callable[..., None]:
    """Return the function that sets the fields of a record."""
    known: dict[str, Any] = {"__record_missing": MISSING}
    plain_fields: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for field_ in fields(kind):
        name = text = value = field_.name
        if field_.default is not MISSING:
            known[f"__{name}"] = field_.default
            text += f"=__{name}"
        elif field_.default_factory is not MISSING:
            known[f"__{name}"] = field_.default_factory
            text += "=__record_missing"
            value = f"__{name}() if {name} is __record_missing else {name}"
        (named if field_.kw_only else plain_fields).append(text)
        # The slot itself, which is found once: a frozen class lets nothing else set it.
        known[f"__set_{name}"] = getattr(kind, name).__set__
        body.append(f" __set_{name}(self, {value})")
    arguments = ", ".join(["self", *plain_fields, *(["*", *named] if named else [])])
    exec(f"def __init__({arguments}):\n" + ("\n".join(body) or " pass"), known)  # noqa: S102
    generated_init: Callable[..., None] = known["__init__"]
    generated_init.__qualname__ = f"{kind.__qualname__}.__init__"
    return generated_init


@cache
def _values(kind: type[Any]) -> Callable[[Any], Any]:
    """Return the function that reads all fields of a record."""
    names = [field.name for field in fields(kind)]
    return attrgetter(*names) if names else lambda _: ()


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    read = _values(self.__class__)
    return read(self) == read(other)


def _hash(self: Any) -> int:
    return hash(_values(self.__class__)(self))


def _repr(self: Any) -> str:
    texts = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(texts)})"


def _refuse(_: Any, name: str, *__: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for known_field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, known_field.name, value)


def names(kind: type[Any]) -> frozenset[str]:
    """Return the names of a record's fields."""
    return frozenset(field.name for field in fields(kind))
