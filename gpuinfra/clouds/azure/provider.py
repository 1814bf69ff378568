"""The Azure provider: its tables, its observers and its builders."""

from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.azure.machines import MACHINES
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.azure.tables import PRICES, TABLES
from gpuinfra.clouds.provider import CloudProvider, lazy_attribute

if TYPE_CHECKING:  # each part has what it needs
    from gpuinfra.clouds.azure import declare, fabric, images, observe, refresh
    from gpuinfra.clouds.provider_contract import Declare, Images, Interconnect, Observe
    from gpuinfra.clouds.refreshing.contract import PriceSource

    _PARTS: tuple[Images, Interconnect, Declare, Observe, PriceSource] = (
        images,
        fabric,
        declare,
        observe,
        refresh,
    )


class Azure(CloudProvider):
    """The Azure provider; each part is loaded on first use."""

    tables = TABLES
    machines = MACHINES
    prices = PRICES
    regions = REGIONS
    refresh = lazy_attribute("refresh")
    takes_spot_maximum = True
    keeps_content = False
    budget_type = "azure-native:consumption:Budget"
    budget_keys = ("per_month",)
    quota_command = "az vm list-usage --location {region} --output table"
    """https://learn.microsoft.com/cli/azure/vm#az-vm-list-usage, read on 2026-11-24."""
    login = "there is no shell; Run Command returns the output of a script"
    """https://learn.microsoft.com/azure/virtual-machines/linux/run-command"""


PROVIDER: Final = Azure()
