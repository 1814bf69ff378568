"""What resources of packages that are no cloud's let others do, by a table of their settings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.values import text
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Grant, Resource

TABLE: Final = Path(__file__).with_name("outside_grants.json")


def outside_grants(resources: Iterable[Resource]) -> Iterator[Grant]:
    """Yield the resources that let others do too much, or may."""
    for resource in resources:
        faults = [
            fault
            for row in _rows_by_type().get(resource.type, ())
            for fault in _faults(row, resource)
        ]
        if faults:
            yield from grant_rows("", resource, faults).grants


def _faults(row: Mapping[str, Any], resource: Resource) -> Iterator[GrantFault]:
    value = text(resource.inputs.get(row["key"]))
    if value is UNKNOWN:
        yield UNKNOWN
    elif value == row["value"]:
        yield row["words"]


@cache
def _rows_by_type() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows_of(digests.table(TABLE)):
        rows.setdefault(row["type"], []).append(row)
    return rows
