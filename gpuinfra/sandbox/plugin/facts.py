"""A cloud's fact tables in addition to its schema, from ``data/<package>_facts.json``.

A row has a `source` of its own where the table's `$about` does not say where it is from.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

Row = TypeVar("Row")


def facts(package: str, table: str) -> dict[str, Any]:
    """Return the rows of one table, by resource type or by another key."""
    rows: dict[str, Any] = _tables(package)[table]
    return rows


def read_fields(token: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that are a field each of AWS's description of a resource."""
    return {
        property_name: answer.get(aws_name)
        for property_name, aws_name in facts("aws", "fields")[token].items()
    }


def names_in_table(package: str, table: str) -> frozenset[str]:
    """Return the names in a table that is a list."""
    return frozenset(_tables(package)[table])


def records(package: str, table: str, kind: type[Row]) -> dict[str, Row]:
    """Return the rows of one table as records of a class; lists in them become tuples."""
    unused = {"source"} - {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return {
        key: kind(**{name: _frozen(row[name]) for name in row if name not in unused})
        for key, row in facts(package, table).items()
    }


@cache
def _tables(package: str) -> dict[str, Any]:
    text = files("gpuinfra.sandbox").joinpath("data", f"{package}_facts.json").read_bytes()
    return dict(json.loads(text))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
