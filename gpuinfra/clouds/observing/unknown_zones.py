"""Zones that a resource names and its region does not have."""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.region_list import RegionList

_LONGEST_IN_TABLES: Final = 1
"""How many characters name a zone in the tables, which leave out AI zones (us-central1-ai1a)."""


def unknown_zone_faults(zones: Iterable[str], region: str, regions: RegionList) -> Iterator[str]:
    """Yield the zones that a region of the table does not have.

    https://learn.microsoft.com/azure/reliability/availability-zones-overview
    https://docs.cloud.google.com/compute/docs/regions-zones
    """
    if region not in regions.all():
        return
    known = regions.zones(region)
    there = ", ".join(zone.removeprefix(f"{region}-") for zone in known)
    way_out = f"its zones are {there}" if there else "it has no zones: name none"
    for zone in zones:
        if zone not in known and len(zone.rpartition("-")[2]) <= _LONGEST_IN_TABLES:
            yield f"{region} has no zone {zone.removeprefix(f'{region}-')}: {way_out}"
