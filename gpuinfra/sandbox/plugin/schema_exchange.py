"""A package's schema, from which YAML programs get the names of types and properties."""

import json
from collections.abc import Collection
from typing import Any, Final

from gpuinfra.sandbox.plugin.schema import Schema
from gpuinfra.sandbox.sandbox_folder import SCHEMA_FOLDER, sandbox_home

EMPTY_SCHEMA: Final = "{}"
"""The protocol's value for a provider without a schema."""

_ANY_TYPE: Final = {"$ref": "pulumi.json#/Any"}


def schema_of(package: str) -> str:
    """Return the schema written for a temporary sandbox, as JSON; `EMPTY_SCHEMA` without one."""
    file = sandbox_home() / SCHEMA_FOLDER / f"{package}.json"
    return file.read_text(encoding="utf-8") if file.exists() else EMPTY_SCHEMA


def schema_of_tables(package: str, tables: Schema, settings: Collection[str]) -> str:
    """Return the schema of a cloud's tables, as JSON; they have no look-ups.

    Args:
        package: the cloud's.
        tables: of its resource types.
        settings: that its provider takes.
    """
    kinds = filter(None, map(tables.type, tables.tokens))
    return json.dumps(
        {
            "name": package,
            "provider": {"inputProperties": any_of(settings)},
            "resources": {
                kind.token: {
                    "inputProperties": any_of(kind.inputs),
                    "requiredInputs": sorted(kind.required),
                    "properties": any_of({*kind.inputs, *kind.computed}),
                }
                for kind in kinds
            },
        }
    )


def any_of(names: Collection[str]) -> dict[str, Any]:
    """Return properties of any type; `urn` is left out, since every resource has one."""
    return dict.fromkeys(sorted({*names} - {"urn"}), _ANY_TYPE)


def maps_of(names: Collection[str]) -> dict[str, Any]:
    """Return properties that are objects with values of any type."""
    return {name: {"type": "object", "additionalProperties": _ANY_TYPE} for name in sorted(names)}
