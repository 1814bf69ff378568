"""The regions and zones of Azure."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds import regionlist
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.model import UNKNOWN, Machine, Unknown

REGION_VARIABLES: Final = ("ARM_LOCATION_NAME",)
"""The environment variable that stands in for azure-native:location:
https://www.pulumi.com/registry/packages/azure-native/installation-configuration/"""


regions = regionlist.RegionList(TABLES).regions
may_use = regionlist.may_use


@cache
def known_zones(region: str) -> tuple[str, ...]:
    """The zones of a region as `eastus-1`; empty for a region without zones, or not in the table.

    Azure numbers the zones of every region from 1, so the region is part of their names here.
    """
    return tuple(
        f"{region}-{number}" for number in TABLES.table("regions")["zones"].get(region, ())
    )


def zones(
    region: str,
    wanted: tuple[str, ...] = (),
    count: int = 1,
    machine: Machine | None = None,  # noqa: ARG001  which zones have it differs by account
) -> tuple[str, ...]:
    """The zones that machines use: those wanted in this region, else none.

    Without a zone Azure places the machines itself, a scale set with a single placement group in
    one building. Which zones of a region have a size is known only to the account's Resource SKUs
    API, and a zone without it is refused, so none is guessed:
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-use-availability-zones
    """
    named = tuple(zone for zone in wanted if zone in known_zones(region))
    return named[:count] if count == 1 else named


def region_of(*places: Mapping[str, Any]) -> str | Unknown | None:
    """A resource's region: its own location, or its provider's."""
    for place in places:
        location = place.get("location")
        if location is not None:
            return region_name(location) if isinstance(location, str) else UNKNOWN
    return None


def zone_number(zone: str) -> str:
    """A zone as Azure writes it: `1` of `eastus-1`."""
    return zone.rpartition("-")[2]


def region_name(location: str) -> str:
    """A location as the table writes it: `eastus` of `East US`."""
    return location.replace(" ", "").lower()


def configuration(region: str) -> dict[str, str]:
    """Pulumi configuration for a program that builds here; each resource says its own region."""
    return {"azure-native:location": region}
