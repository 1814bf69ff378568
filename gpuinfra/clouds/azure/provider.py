"""Azure, observed and built."""

from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.azure.machines import MACHINES
from gpuinfra.clouds.azure.prices import PRICES
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.parts import Accepts, Declare, Images, Interconnect, Observe
from gpuinfra.clouds.provider import CloudProvider

if TYPE_CHECKING:
    from gpuinfra.clouds.refreshing.contract import PriceSource


class Azure(CloudProvider):
    """Azure; each part is loaded on first use."""

    tables = TABLES
    machines = MACHINES
    prices = PRICES
    regions = REGIONS
    takes_spot_maximum = True
    keeps_content = False
    budget_type = "azure-native:consumption:Budget"
    budget_keys = ("per_month",)
    login = "there is no shell; Run Command returns the output of a script"
    """https://learn.microsoft.com/azure/virtual-machines/linux/run-command"""

    @property
    def images(self) -> Images:
        """The public images."""
        from gpuinfra.clouds.azure import images

        return images

    @property
    def fabric(self) -> Interconnect:
        """The fabric between machines."""
        from gpuinfra.clouds.azure import fabric

        return fabric

    @property
    def accepts(self) -> Accepts:
        """What is taken of the words of a stack file."""
        from gpuinfra.clouds.azure.accepting import ACCEPTS

        return ACCEPTS

    @property
    def declare(self) -> Declare:
        """Declares workloads, buckets and guards."""
        from gpuinfra.clouds.azure import declare

        return declare

    @property
    def observe(self) -> Observe:
        """Reads resources."""
        from gpuinfra.clouds.azure import observe

        return observe

    @property
    def refresh(self) -> "PriceSource":
        """Fetches newer machines and prices."""
        from gpuinfra.clouds.azure import refresh

        return refresh

    @property
    def quota_command(self) -> str:
        """https://learn.microsoft.com/cli/azure/vm#az-vm-list-usage, read on 2026-11-24."""
        return "az vm list-usage --location {region} --output table"


PROVIDER: Final = Azure()
