"""The short forms of mappings, expanded to the mappings that they stand for."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from gpuinfra.specs import values
from gpuinfra.specs.fields import JsonSchema, anchor_pattern, input_error
from gpuinfra.specs.numbers import FINITE
from gpuinfra.specs.parameter_counts import PARAMETERS_PATTERN

KINDS: Final = "spot, on-demand, reserved, capacity-block"
KIND_SCHEMA: Final[JsonSchema] = {"enum": ["spot", "on-demand"]}
POOL_KINDS: Final = "spot, on-demand"
RESERVATION_FORMS: Final = {
    "reserved": "{reserved: {reservation: cr-0123456789abcdef0}}",
    "capacity-block": "{capacity-block: {reservation: cr-0123456789abcdef0, "
    "ends: 2026-12-01T11:30Z}}",
}
"""The ways to buy that a bare word does not say enough of, each with how it is written."""
SETTING_NAMES: Final = "lower-case letters, digits and underscores"


def gpu(raw_value: Any) -> Any:
    """Return `H100:8` as a mapping with a model and a count."""
    if not isinstance(raw_value, str | int | float | Decimal | list):
        return raw_value
    text = raw_value if isinstance(raw_value, str) else ""
    if len(text) > values.GPU_LONGEST or re.fullmatch(values.GPU_PATTERN, text) is None:
        raise input_error(
            "is not a request for GPUs",
            allowed=f"{values.GPU_ALLOWED}, or a mapping, for example {{memory: 24GB..}}",
            suggestion=values.gpu_hint(text[: values.GPU_LONGEST]),
            fix=_model_size_hint(text[: values.GPU_LONGEST]),
        )
    model, colon, count = text.partition(":")
    return {"model": model, "count": int(count)} if colon else {"model": model}


def _model_size_hint(text: str) -> str:
    """Return what to write for the size of a model in the place of a GPU; empty otherwise."""
    size = text.partition(":")[0].upper()
    is_size = re.fullmatch(PARAMETERS_PATTERN, size) is not None
    return f"for a model of {size} parameters, write gpu: {{for_model: {size}}}" if is_size else ""


def disk(raw_value: Any) -> Any:
    """Return `500GB` as a mapping with a size."""
    return {"size": raw_value} if isinstance(raw_value, str | int | Decimal) else raw_value


def ladder(raw_value: Any) -> Any:
    """Return a capacity ladder; one word is a ladder of one step."""
    if isinstance(raw_value, str) and "," in raw_value:
        step_words = ", ".join(word.strip() for word in raw_value.split(","))
        raise input_error(
            "is text, but must be a word or a list of words",
            allowed=KINDS,
            fix=f"write capacity: [{step_words}]",
        )
    return (raw_value,) if isinstance(raw_value, str) else raw_value


def step(raw_value: Any) -> Any:
    """Return a step of a ladder, from a word or from `{spot: {region: us-west-2}}`."""
    if isinstance(raw_value, str):
        return {"kind": raw_value}
    if not isinstance(raw_value, Mapping):
        return raw_value
    if len(raw_value) != 1:
        raise input_error(
            "must have exactly one purchase option",
            allowed=KINDS,
            fix="use the form {spot: {region: us-west-2}}",
        )
    [(kind, step_settings)] = raw_value.items()
    if not isinstance(step_settings, Mapping) or "kind" in step_settings:
        raise input_error(
            "is not a step",
            allowed=KINDS,
            fix=f"use {kind}, or {{{kind}: {{region: us-west-2}}}}",
        )
    return {"kind": kind, **step_settings}


def whole_step(
    kind: str, reservation: str | None, ends: datetime | None, *, reserve: bool
) -> None:
    """Refuse a step that lacks a key of its purchase option, or has one of another option."""
    example = RESERVATION_FORMS.get(kind)
    if example is not None and reservation is None:
        raise input_error("names no reservation", allowed=example, fix=f"write {example}")
    if kind == "capacity-block" and ends is None:
        raise input_error(
            "has no 'ends', the time at which the block ends",
            allowed=str(example),
            fix="add ends: `gpuinfra doctor` shows it; the last checkpoint must be written before",
        )
    if example is None and reservation is not None:
        raise input_error(
            f"names a reservation, which {kind} does not support",
            allowed=", ".join(RESERVATION_FORMS),
            fix=f"write {RESERVATION_FORMS['reserved']}",
        )
    if kind != "capacity-block" and ends is not None:
        raise input_error("has ends, which only a capacity block supports", fix="remove ends")
    if kind != "on-demand" and reserve:
        raise input_error(
            f"has reserve, which {kind} does not support",
            allowed="on-demand",
            fix="use {on-demand: {reserve: true}}",
        )


def placed_step(kind: str, placement_group: str | None) -> None:
    """Refuse a placement group on a step other than a reserved one."""
    if placement_group is not None and kind != "reserved":
        raise input_error(
            f"names a placement group, which {kind} does not support",
            allowed="reserved",
            fix="remove placement_group: machines that need one get their own",
        )


def pool(raw_value: Any) -> Any:
    """Return a pool's capacity; one word applies to all of it."""
    if isinstance(raw_value, str):
        return {"above": raw_value}
    if isinstance(raw_value, list | tuple):
        raise input_error(
            "is a list, but a pool uses both purchase options together",
            allowed=f"{POOL_KINDS}, or an on-demand base and what is above it",
            fix="write capacity: {on_demand_base: 1, above: spot}; on Google Cloud with "
            "replicas of at least 2, for example 2..4",
        )
    return raw_value


def settings(raw_value: Any) -> Any:
    """Return a rule's settings; refuse any that is no plain value or list of plain values."""
    if isinstance(raw_value, Mapping):
        for key, value in raw_value.items():
            if key == "workloads":
                continue  # a field of its own
            if re.fullmatch(values.SETTING, str(key)) is None:
                raise input_error(
                    f"has a setting {str(key)!r} that is not a name", allowed=SETTING_NAMES
                )
            listed_values = value if isinstance(value, list | tuple) else (value,)
            if not all(isinstance(value, str | bool | int | Decimal) for value in listed_values):
                raise input_error(
                    f"has a setting {key!r} that is neither a plain value nor a list of them",
                    allowed="text, a number, true or false, or a list of these",
                )
    return raw_value


def gpu_schema(mapping: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of what `gpu` reads."""
    short = {
        "type": "string",
        "pattern": anchor_pattern(values.GPU_PATTERN),
        "maxLength": values.GPU_LONGEST,
    }
    return _or_short(short, mapping)


def disk_schema(mapping: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of what `disk` reads."""
    return _or_short(mapping["properties"]["size"], mapping)


def step_schema(mapping: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of what `step` reads."""
    settings_schema = {
        "spot": _restrict_schema(mapping, left_out={"reservation", "ends", "reserve"}),
        "on-demand": _restrict_schema(mapping, left_out={"reservation", "ends"}),
        "reserved": _restrict_schema(mapping, {"reservation"}, left_out={"ends", "reserve"}),
        "capacity-block": _restrict_schema(mapping, {"reservation", "ends"}, left_out={"reserve"}),
    }
    schema = {
        "type": "object",
        "properties": settings_schema,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return _or_short(KIND_SCHEMA, schema)


def pool_schema(mapping: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of what `pool` reads."""
    return _or_short(KIND_SCHEMA, mapping)


def settings_schema(mapping: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of what `settings` reads."""
    plain_schema = {
        "anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "number", **FINITE}]
    }
    return {
        **mapping,
        "propertyNames": {"pattern": anchor_pattern(values.SETTING)},
        "additionalProperties": {
            "anyOf": [plain_schema, {"type": "array", "items": plain_schema}]
        },
    }


def _restrict_schema(
    mapping: JsonSchema,
    required_keys: AbstractSet[str] = frozenset(),
    *,
    left_out: AbstractSet[str],
) -> JsonSchema:
    """Return a mapping's schema with some keys required and others removed."""
    kept_properties = {
        key: schema for key, schema in mapping["properties"].items() if key not in left_out
    }
    return {
        **mapping,
        "properties": kept_properties,
        **({"required": sorted(required_keys)} if required_keys else {}),
    }


def _or_short(short: JsonSchema, mapping: JsonSchema) -> JsonSchema:
    description = {key: mapping[key] for key in ("description",) if key in mapping}
    return {**description, "anyOf": [short, mapping]}
