"""The check of inputs by the tables: unknown and missing keys, types, allowed values."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.assets import is_asset
from gpuinfra.sandbox.plugin.schema import Property, ResourceType, Schema
from gpuinfra.sandbox.plugin.wire import Unknown
from gpuinfra.similar_words import nearest

_MAX_SHOWN = 60
_MAX_LISTED = 8
_PLAIN_TYPES = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}
_TYPE_TEXTS = {"integer": "a whole number", "asset": "an asset or archive", "any": "any value"}
_TYPE_NAMES = {str: "string", bool: "boolean", int: "number", float: "number", dict: "object"}


@dataclass(frozen=True, slots=True)
class Failure:
    """A problem of one input; `path` is a Pulumi property path."""

    path: str
    reason: str


def check(schema: Schema, resource_type: ResourceType, inputs: dict[str, Any]) -> list[Failure]:
    """Return the problems of the inputs by the tables alone; unknown values are allowed."""
    return list(_check_object(schema, resource_type.required, resource_type.inputs, inputs, ""))


def _check_object(
    schema: Schema,
    required: frozenset[str],
    properties: dict[str, Property],
    values: dict[str, Any],
    path: str,
) -> Iterator[Failure]:
    for key in sorted(required - values.keys()):
        yield Failure(_join(path, key), f"missing required property '{key}'")
    for key, value in values.items():
        if key.startswith("__"):
            continue
        if key not in properties:
            yield Failure(_join(path, key), f"unknown property '{key}'{_hint(key, properties)}")
        elif value is None:
            if key in required:
                yield Failure(_join(path, key), f"missing required property '{key}'")
        else:
            yield from _check_value(schema, properties[key], value, _join(path, key))


def _check_value(schema: Schema, prop: Property, value: Any, path: str) -> Iterator[Failure]:
    if isinstance(value, Unknown):
        return
    forms = [form for form in prop.type.split("|") if _has_form(form, value)]
    if not forms:
        yield Failure(path, f"expected {_say(prop.type)}, got {_show(value)}")
        return
    form = forms[0]
    if form.startswith("array<"):
        item = Property(form[6:-1], prop.enum, prop.open)
        for index, element in enumerate(value):
            yield from _check_value(schema, item, element, f"{path}[{index}]")
    elif form.startswith("map<"):
        item = Property(form[4:-1])
        for key, element in value.items():
            if element is not None:  # as if the key were left out
                yield from _check_value(schema, item, element, f'{path}["{key}"]')
    elif form.startswith("object:"):
        shape = schema.shape(form.removeprefix("object:"))
        yield from _check_object(schema, shape.required, shape.properties, value, path)
    elif prop.enum and not prop.open and value not in prop.enum:
        yield Failure(path, _not_allowed_text(value, prop.enum))


def _has_form(form: str, value: Any) -> bool:
    if form.startswith("array<"):
        return isinstance(value, list)
    if form.startswith(("map<", "object:")):
        return isinstance(value, dict)
    if form == "any":
        return True
    if form == "asset" or is_asset(value):
        return form == "asset" and is_asset(value)
    if isinstance(value, bool):
        return form == "boolean"
    return isinstance(value, _PLAIN_TYPES[form])  # type: ignore[arg-type]  # a type or a tuple


def _not_allowed_text(value: Any, allowed: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{item}'" for item in allowed[:_MAX_LISTED])
    more = f" and {len(allowed) - _MAX_LISTED} more" if len(allowed) > _MAX_LISTED else ""
    return f"{_show(value)} is not one of {listed}{more}{_hint(str(value), allowed)}"


def _hint(word: str, accepted: Iterable[str]) -> str:
    nearest_word = nearest(word, accepted)
    return f"; did you mean '{nearest_word}'?" if nearest_word else ""


def _say(form: str) -> str:
    if "|" in form:
        return " or ".join(_say(part) for part in form.split("|"))
    if form.startswith("array<"):
        return f"a list of {_say(form[6:-1]).split(' ', 1)[1]}s"
    if form.startswith("map<"):
        return f"a map of {_say(form[4:-1]).split(' ', 1)[1]}s"
    if form.startswith("object:"):
        return f"an object of {form.removeprefix('object:').rsplit('.', 1)[-1]}"
    return _TYPE_TEXTS.get(form, f"a {form}")


def _show(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    text = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
    return f"the {_TYPE_NAMES.get(type(value), type(value).__name__)} {text}"


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
