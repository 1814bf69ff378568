"""Which inputs of an AWS resource replace it when they change, or may: facts, with sources."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacing:
    """One resource type's inputs, and the paths whose change replaces it or may.

    Attributes:
        inputs: all inputs that were looked at; a change elsewhere may do anything.
        paths: `a` covers all below it; `a.b` is nested, `a[].b` in list items, `a#` is only
            adding or removing the block or an item. Unverified paths are among them.
    """

    inputs: frozenset[str]
    paths: frozenset[str]


def replacing(resource_type: str) -> Replacing | None:
    """What is known about the type; None when nothing is."""
    row = _table().get(resource_type)
    if row is None:
        return None
    return Replacing(
        inputs=frozenset(row["inputs"]),
        paths=frozenset((*row["replaces"], *row["may_replace"], *row["unverified"])),
    )


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    types: Mapping[str, Mapping[str, Any]] = json.loads(text)["types"]
    return types
