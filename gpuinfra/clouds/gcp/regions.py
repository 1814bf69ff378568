"""The regions and zones of Google Cloud, and which zones have which machine types."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds import regionlist
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.model import UNKNOWN, Machine, Unknown

REGION_VARIABLES: Final = (
    *("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"),
    *("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"),
)
"""Where no region is set, a zone tells it:
https://www.pulumi.com/registry/packages/gcp/installation-configuration/#configuration-reference"""

_PLACES: Final = ("region", "zone", "location")


regions = regionlist.RegionList(TABLES).regions
may_use = regionlist.may_use


@cache
def known_zones(region: str) -> tuple[str, ...]:
    """The full names of a region's zones; empty for a region that the table lacks."""
    return tuple(
        f"{region}-{letter}" for letter in TABLES.table("regions")["zones"].get(region, ())
    )


@cache
def offered_zones(type_: str, region: str) -> tuple[str, ...]:
    """The zones of a region that are known to offer a machine type; empty where nobody knows."""
    here = known_zones(region)
    return tuple(
        zone
        for row in TABLES.rows("zones")
        if type_ in row["types"]
        for zone in row["zones"]
        if zone in here
    )


def zones(
    region: str,
    wanted: tuple[str, ...] = (),
    count: int = 1,
    machine: Machine | None = None,
) -> tuple[str, ...]:
    """The zones that machines use: those wanted in this region, else its first `count`.

    Those alone that are known to have the machine, which may be none of those wanted; a region
    of which nobody knows that may use any of its zones.
    """
    here = known_zones(region)
    having = (offered_zones(machine.type, region) if machine is not None else ()) or here
    named = tuple(zone for zone in wanted if zone in here)
    if not named:
        return having[:count]
    fitting = tuple(zone for zone in named if zone in having)
    return fitting[:count] if count == 1 else fitting


def region_of(*places: Mapping[str, Any]) -> str | Unknown | None:
    """A resource's region: its own region, zone or location, or its provider's.

    Each may be a name, in any case, or the address that ends in one. A location of several
    regions, such as US, is returned as it is, in lower case.
    """
    for place in places:
        for key in _PLACES:
            value = place.get(key)
            if value is None:
                continue
            if not isinstance(value, str):
                return UNKNOWN
            name = value.rpartition("/")[2].lower()
            return _region_of_zone(name) if key != "region" else name
    return None


def configuration(region: str) -> dict[str, str]:
    """Pulumi configuration for a program that builds here; each resource says its own region."""
    return {"gcp:region": region}


def _region_of_zone(name: str) -> str:
    """The region of a zone; any other name is one itself: `us-central1-a`, but `us-central1`."""
    region, _, letter = name.rpartition("-")
    return region if region in regions() or len(letter) == 1 else name
