"""The regions and zones of Google Cloud, and which zones have which machine types."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.region_list import RegionList
from gpuinfra.model import UNKNOWN, Machine, Unknown

_PLACES: Final = ("region", "zone", "location")


class Regions(RegionList):
    """The regions of Google Cloud; where no region is set, a zone tells it.

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
        """The zones that machines use: those wanted in this region, else its first `count`.

        Those alone that are known to have the machine, which may be none of those wanted; a region
        of which that is not known may use any of its zones.
        """
        here = self.zones(region)
        having = (offered_zones(machine.type, region) if machine is not None else ()) or here
        named = tuple(zone for zone in preferred if zone in here)
        if not named:
            return having[:count]
        fitting = tuple(zone for zone in named if zone in having)
        return fitting[:count] if count == 1 else fitting

    def of(self, *places: Mapping[str, Any]) -> str | Unknown | None:
        """A resource's region: its own region, zone or location, or its provider's.

        Each may be a name, in any case, or the address that ends in one. A location of several
        regions, for example US, is returned as it is, in lower case.
        """
        for place in places:
            for key in _PLACES:
                value = place.get(key)
                if value is None:
                    continue
                if not isinstance(value, str):
                    return UNKNOWN
                name = value.rpartition("/")[2].lower()
                return self._of_zone(name) if key != "region" else name
        return None

    def _of_zone(self, name: str) -> str:
        """The region of a zone; any other name is one itself: `us-central1-a`, `us-central1`."""
        region, _, letter = name.rpartition("-")
        return region if region in self.all() or len(letter) == 1 else name


REGIONS: Final = Regions(TABLES, default="us-central1")


@cache
def offered_zones(type_: str, region: str) -> tuple[str, ...]:
    """The zones of a region that are known to offer a machine type; empty for not known."""
    here = REGIONS.zones(region)
    return tuple(
        zone
        for row in TABLES.rows("zones")
        if type_ in row["types"]
        for zone in row["zones"]
        if zone in here
    )
