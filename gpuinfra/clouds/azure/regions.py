"""The regions and zones of Azure."""

from typing import Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.region_list import RegionList
from gpuinfra.model import Machine


class Regions(RegionList):
    """The regions of Azure.

    Azure numbers the zones of every region from 1, so the region is part of their names here:
    `eastus-1`. https://www.pulumi.com/registry/packages/azure-native/installation-configuration/
    """

    VARIABLES = ("ARM_LOCATION_NAME",)
    SETTING = "azure-native:location"

    def chosen(
        self,
        region: str,
        preferred: tuple[str, ...] = (),
        count: int = 1,
        machine: Machine | None = None,  # noqa: ARG002  which zones have it differs by account
    ) -> tuple[str, ...]:
        """Return the zones that machines use: the named ones of this region, else none.

        Without a zone Azure places the machines itself, a scale set with a single placement group
        in one building. Which zones of a region have a size is known only to the account's
        Resource SKUs API, and a zone without it is refused, so none is guessed:
        https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-use-availability-zones
        """
        preferred_zones = tuple(zone for zone in preferred if zone in self.zones(region))
        return preferred_zones[:count] if count == 1 else preferred_zones

    def table_spelling(self, name: str) -> str:
        """Return a location in the table's spelling: `eastus` for `East US`."""
        return name.replace(" ", "").lower()


REGIONS: Final = Regions(TABLES, default="eastus")


def zone_number(zone: str) -> str:
    """Return a zone in Azure's spelling: `1` for `eastus-1`."""
    return zone.rpartition("-")[2]
