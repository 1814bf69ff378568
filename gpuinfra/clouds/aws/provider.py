"""The AWS provider: its tables, its observers and its builders."""

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.machines import MACHINES
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.aws.tables import PRICES, TABLES
from gpuinfra.clouds.provider import CloudProvider, lazy_attribute

if TYPE_CHECKING:  # each part has what it needs
    from gpuinfra.clouds.aws import account, declare, fabric, images, observe, refresh
    from gpuinfra.clouds.provider_contract import (
        AccountChecker,
        Declare,
        Images,
        Interconnect,
        Observe,
    )
    from gpuinfra.clouds.refreshing.contract import PriceSource

    _PARTS: tuple[Images, Interconnect, Declare, Observe, PriceSource, AccountChecker] = (
        images,
        fabric,
        declare,
        observe,
        refresh,
        account,
    )


class Aws(CloudProvider):
    """The AWS provider; each part is loaded on first use."""

    tables = TABLES
    machines = MACHINES
    prices = PRICES
    regions = REGIONS
    account = lazy_attribute("account")
    refresh = lazy_attribute("refresh")
    computed = lazy_attribute("remedies", "COMPUTED")
    takes_spot_maximum = True
    keeps_content = True
    budget_type = "aws:budgets/budget:Budget"
    budget_keys = ("per_month",)
    login = "log in by Session Manager: aws ssm start-session --target INSTANCE_ID"
    """https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html"""

    def block_lead(self, machine: str) -> Decimal:
        """Return the hours before a block's end at which a run's final checkpoint starts."""
        from gpuinfra.clouds.aws.block_end_checkpoint import block_lead

        return block_lead(machine)

    def image_id(self, name: str, region: str) -> str:
        """Return the image that an SSM parameter names."""
        from gpuinfra.clouds.aws import imageids

        return imageids.image_id(name, region)


PROVIDER: Final = Aws()
