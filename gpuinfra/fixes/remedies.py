"""What settles a rule's finding on a type of resource: a table of each cloud, with its sources."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as File
from typing import Any

from gpuinfra.clouds import CLOUDS

_FOLDER = File(__file__).parent / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One row.

    Attributes:
        rule: the rule's id.
        types: the types of the resources whose property it is, without an API's version.
        set: values by property; None removes it.
        add: a resource to add: its type, and its inputs, which name the one it is for by `{id}`.
        drop: whether the resource itself is to go.
        when: how the value, or one of its entries, begins now; empty for any.
        beside: a property that has to be there already; empty for none.
        entry: what stands beside the property, in the same entry of a list, by its name.
        source: where the cloud says so.
    """

    rule: str
    types: tuple[str, ...]
    set: Mapping[str, Any] = field(default_factory=dict)
    add: tuple[str, Mapping[str, Any]] | None = None
    drop: bool = False
    when: str = ""
    beside: str = ""
    entry: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A property of which the price, or what machines can do, depends.

    Attributes:
        what: machine, count, max_price, base, throughput, iops, volume or storage.
        types: as of a remedy.
        path: the property.
        along: properties that may not be larger, and are lowered with it.
    """

    what: str
    types: tuple[str, ...]
    path: str
    along: tuple[str, ...] = ()


@cache
def remedies() -> tuple[Remedy, ...]:
    """Every row, of all clouds."""
    return tuple(_remedy(row) for cloud in CLOUDS for row in _table(cloud)["remedies"])


@cache
def knobs() -> tuple[Knob, ...]:
    """Every knob, of all clouds."""
    return tuple(
        Knob(
            what=row["what"],
            types=tuple(row["types"]),
            path=row["path"],
            along=tuple(row.get("along", ())),
        )
        for cloud in CLOUDS
        for row in _table(cloud)["knobs"]
    )


def _remedy(row: Mapping[str, Any]) -> Remedy:
    add = row.get("add")
    return Remedy(
        rule=row["rule"],
        types=tuple(row["types"]),
        set=row.get("set", {}),
        add=None if add is None else (add["type"], add["inputs"]),
        drop=row.get("drop", False),
        when=row.get("when", ""),
        beside=row.get("beside", ""),
        entry=row.get("entry", {}),
        source=row["source"],
    )


@cache
def _table(cloud: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_FOLDER / f"{cloud}.json").read_text("utf-8"))
    return found
