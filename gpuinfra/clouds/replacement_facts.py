"""The inputs whose change replaces, or may replace, a resource; with sources."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.clouds.tables import Tables
from gpuinfra.records import record


@record
class ReplacementFacts:
    """The input paths of a resource type whose change replaces, or may replace, the resource.

    Attributes:
        inputs: all inputs that were looked at; a change elsewhere may do anything.
        paths: `a` covers all below it; `a.b` is nested, `a[].b` in list items, `a#` is only
            adding or removing the block or an item. Unverified paths are among them.
    """

    inputs: frozenset[str]
    paths: frozenset[str]
    fills: frozenset[str] = frozenset()


class ReplacementTable:
    """A cloud's table `replaced`, by resource type."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def replacing(self, resource_type: str) -> ReplacementFacts | None:
        """Return the replacement facts of a resource type; None if it is in no table."""
        types: Mapping[str, Mapping[str, Any]] = self._tables.table("replaced")["types"]
        row = types.get(resource_type)
        if row is None:
            return None
        return ReplacementFacts(
            inputs=frozenset(row["inputs"]),
            paths=frozenset((*row["replaces"], *row["may_replace"], *row["unverified"])),
            fills=frozenset(row.get("fills", ())),
        )
