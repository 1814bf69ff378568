"""The short ways to write a mapping, turned into the mapping that they stand for."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.stackfile import values
from gpuinfra.stackfile.fields import JsonSchema, anchored, wrong
from gpuinfra.stackfile.numbers import FINITE

KINDS: Final = "spot | on-demand"
KIND_SCHEMA: Final[JsonSchema] = {"enum": ["spot", "on-demand"]}
SETTING_NAMES: Final = "lower-case letters, digits and underscores"


def gpu(given: Any) -> Any:
    """`H100:8` as a model and a count."""
    if not isinstance(given, str):
        return given
    if len(given) > values.GPU_LONGEST or re.fullmatch(values.GPU_PATTERN, given) is None:
        raise wrong(
            "is not a request for GPUs",
            allowed=values.GPU_ALLOWED,
            suggestion=values.gpu_hint(given[: values.GPU_LONGEST]),
        )
    model, colon, count = given.partition(":")
    return {"model": model, "count": int(count)} if colon else {"model": model}


def disk(given: Any) -> Any:
    """`500GB` as a size."""
    return {"size": given} if isinstance(given, str | int | Decimal) else given


def ladder(given: Any) -> Any:
    """A capacity ladder; one word is a ladder of one step."""
    return (given,) if isinstance(given, str) else given


def step(given: Any) -> Any:
    """A step of a ladder: a word, or `{spot: {region: us-west-2}}`."""
    if isinstance(given, str):
        return {"kind": given}
    if not isinstance(given, Mapping):
        return given
    if len(given) != 1:
        raise wrong(
            "has to hold one way to buy",
            allowed=KINDS,
            fix="write it as {spot: {region: us-west-2}}",
        )
    [(kind, inner)] = given.items()
    if not isinstance(inner, Mapping) or "kind" in inner:
        raise wrong(
            "is not a step",
            allowed=KINDS,
            fix=f"write {kind}, or {{{kind}: {{region: us-west-2}}}}",
        )
    return {"kind": kind, **inner}


def pool(given: Any) -> Any:
    """A pool's capacity; one word means all of it."""
    if isinstance(given, str):
        return {"above": given}
    if isinstance(given, list | tuple):
        raise wrong(
            "is a list, but a pool holds both kinds at once",
            allowed=f"{KINDS}, or a base on demand and what is above it",
            fix="write capacity: {on_demand_base: 1, above: spot}",
        )
    return given


def settings(given: Any) -> Any:
    """A rule's settings, each a plain value or a list of plain values."""
    if isinstance(given, Mapping):
        for key, value in given.items():
            if re.fullmatch(values.SETTING, str(key)) is None:
                raise wrong(
                    f"has a setting {str(key)!r} that is not a name", allowed=SETTING_NAMES
                )
            several = value if isinstance(value, list | tuple) else (value,)
            if not all(isinstance(one, str | bool | int | Decimal) for one in several):
                raise wrong(
                    f"has a setting {key!r} that is neither a plain value nor a list of them",
                    allowed="text, a number, true or false, or a list of these",
                )
    return given


def gpu_schema(mapping: JsonSchema) -> JsonSchema:
    """What `gpu` reads, as a JSON Schema."""
    short = {
        "type": "string",
        "pattern": anchored(values.GPU_PATTERN),
        "maxLength": values.GPU_LONGEST,
    }
    return _or_short(short, mapping)


def disk_schema(mapping: JsonSchema) -> JsonSchema:
    """What `disk` reads, as a JSON Schema."""
    return _or_short(mapping["properties"]["size"], mapping)


def step_schema(mapping: JsonSchema) -> JsonSchema:
    """What `step` reads, as a JSON Schema."""
    one = {
        "type": "object",
        "properties": dict.fromkeys(KIND_SCHEMA["enum"], mapping),
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return _or_short(KIND_SCHEMA, one)


def pool_schema(mapping: JsonSchema) -> JsonSchema:
    """What `pool` reads, as a JSON Schema."""
    return _or_short(KIND_SCHEMA, mapping)


def settings_schema(mapping: JsonSchema) -> JsonSchema:
    """What `settings` reads, as a JSON Schema."""
    plain = {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "number", **FINITE}]}
    return {
        **mapping,
        "propertyNames": {"pattern": anchored(values.SETTING)},
        "additionalProperties": {"anyOf": [plain, {"type": "array", "items": plain}]},
    }


def _or_short(short: JsonSchema, mapping: JsonSchema) -> JsonSchema:
    described = {key: mapping[key] for key in ("description",) if key in mapping}
    return {**described, "anyOf": [short, mapping]}
