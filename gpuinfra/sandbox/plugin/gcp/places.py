"""The regions and zones of Google Cloud, and the zones that offer a machine type.

They are data of one source, so the sandbox reads the tables that the clouds read, and none of
their code.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_REGION = re.compile(r"[a-z]+-[a-z]+\d+")
_ZONE = re.compile(rf"({_REGION.pattern})-(?:[a-z]|ai\d+[a-z])")


@cache
def _table(name: str) -> dict[str, Any]:
    text = files("gpuinfra").joinpath("clouds", "gcp", "data", f"{name}.json").read_bytes()
    return dict(json.loads(text))


def _zones() -> Mapping[str, list[str]]:
    """Return the letters of each region's zones."""
    letters: Mapping[str, list[str]] = _table("regions")["zones"]
    return letters


def regions() -> tuple[str, ...]:
    """Return all regions, sorted."""
    return tuple(sorted(_zones()))


def zones(region: str) -> tuple[str, ...]:
    """Return the zones of a region; empty if it is not in the table."""
    return tuple(f"{region}-{letter}" for letter in _zones().get(region, ()))


def is_region(text: str) -> bool:
    """Return whether the region exists."""
    return text in _zones()


def is_zone(text: str) -> bool:
    """Return whether the zone exists; AI zones are accepted unchecked."""
    match = _ZONE.fullmatch(text)
    if match is None:
        return False
    return text in zones(match.group(1)) or ("-ai" in text and is_region(match.group(1)))


def region_of(place: str) -> str:
    """Return the region of a zone, or a region itself; empty for other texts."""
    match = _ZONE.fullmatch(place)
    if match:
        return match.group(1)
    return place if _REGION.fullmatch(place) else ""


@cache
def zones_with_machine(machine: str) -> frozenset[str]:
    """Return the zones that offer a machine type; empty if the table lacks it."""
    table = _table("zones")
    rows = (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"])
    return frozenset(zone for row in rows if machine in row["types"] for zone in row["zones"])
