"""Google Cloud's regions and zones, and which zones offer a machine type."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

_REGION = re.compile(r"[a-z]+-[a-z]+\d+")
_ZONE = re.compile(rf"({_REGION.pattern})-(?:[a-z]|ai\d+[a-z])")


@cache
def _table() -> dict[str, Any]:
    text = files("gpuinfra.sandbox").joinpath("data", "gcp_places.json").read_bytes()
    return dict(json.loads(text))


def regions() -> tuple[str, ...]:
    """All regions, sorted."""
    return tuple(sorted(_table()["zones"]))


def zones(region: str) -> tuple[str, ...]:
    """The zones of a region; empty for one that is not in the table."""
    return tuple(f"{region}-{letter}" for letter in _table()["zones"].get(region, ()))


def is_region(text: str) -> bool:
    """Whether there is such a region."""
    return text in _table()["zones"]


def is_zone(text: str) -> bool:
    """Whether there is such a zone; one for AI is taken unseen."""
    match = _ZONE.fullmatch(text)
    if match is None:
        return False
    return text in zones(match.group(1)) or ("-ai" in text and is_region(match.group(1)))


def region_of(place: str) -> str:
    """The region of a zone, or of itself; empty for neither."""
    match = _ZONE.fullmatch(place)
    if match:
        return match.group(1)
    return place if _REGION.fullmatch(place) else ""


@cache
def offered(machine: str) -> frozenset[str]:
    """The zones that offer a machine type; empty where the table lacks it."""
    return frozenset(
        zone for row in _table()["offers"] if machine in row["types"] for zone in row["zones"]
    )
