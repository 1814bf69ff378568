"""The regions and zones of Google Cloud, and the machine types of zones."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.region_list import RegionList
from gpuinfra.model import UNKNOWN, Machine, Unknown

_PLACES: Final = ("region", "zone", "location")


class Regions(RegionList):
    """The regions of Google Cloud; where no region is set, a zone implies it.

    https://www.pulumi.com/registry/packages/gcp/installation-configuration/#configuration-reference
    """

    VARIABLES = (
        *("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"),
        *("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"),
    )
    SETTING = "gcp:region"

    def chosen(
        self,
        region: str,
        preferred: tuple[str, ...] = (),
        count: int = 1,
        machine: Machine | None = None,
    ) -> tuple[str, ...]:
        """Return the zones that machines use: the named ones, else the region's first `count`.

        Those alone that are known to have the machine, which may be none of those wanted; a region
        of which that is not known may use any of its zones.
        """
        region_zones = self.zones(region)
        offering_zones = (
            offered_zones(machine.type, region) if machine is not None else ()
        ) or region_zones
        preferred_zones = tuple(zone for zone in preferred if zone in region_zones)
        if not preferred_zones:
            return offering_zones[:count]
        fitting = tuple(zone for zone in preferred_zones if zone in offering_zones)
        return fitting[:count] if count == 1 else fitting

    def offering(self, machine_type: str, region: str) -> tuple[str, ...]:
        """Return the zones of a region known to offer a machine type; empty if not known."""
        return offered_zones(machine_type, region)

    def of_resource(self, *property_sets: Mapping[str, Any]) -> str | Unknown | None:
        """Return a resource's region: of its own region, zone or location, or of its provider's.

        Each may be a name, in any case, or the address that ends in one. A location of several
        regions, for example US, is returned as it is, in lower case.
        """
        for property_set in property_sets:
            for key in _PLACES:
                value = property_set.get(key)
                if value is None:
                    continue
                if not isinstance(value, str):
                    return UNKNOWN
                name = value.rpartition("/")[2].lower()
                return self._region_of_zone(name) if key != "region" else name
        return None

    def _region_of_zone(self, name: str) -> str:
        """Return the region of a zone; any other name, for example `us-central1`, is a region."""
        region, _, letter = name.rpartition("-")
        return region if region in self.all() or len(letter) == 1 else name


REGIONS: Final = Regions(TABLES, default="us-central1")


@cache
def offered_zones(type_: str, region: str) -> tuple[str, ...]:
    """Return the zones of a region known to offer a machine type; empty if not known."""
    region_zones = REGIONS.zones(region)
    return tuple(
        zone
        for row in TABLES.rows("zones")
        if type_ in row["types"]
        for zone in row["zones"]
        if zone in region_zones
    )
