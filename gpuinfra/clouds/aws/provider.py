"""AWS, observed and built."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds.aws.machines import MACHINES
from gpuinfra.clouds.aws.prices import PRICES
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.parts import Accepts, Account, Declare, Images, Interconnect, Observe
from gpuinfra.clouds.provider import CloudProvider
from gpuinfra.model import Resource

if TYPE_CHECKING:
    from gpuinfra.clouds.refreshing.contract import PriceSource


class Aws(CloudProvider):
    """AWS; each part is loaded on first use."""

    tables = TABLES
    machines = MACHINES
    prices = PRICES
    regions = REGIONS
    takes_spot_maximum = True
    keeps_content = True
    budget_type = "aws:budgets/budget:Budget"
    budget_keys = ("per_month",)
    login = "log in by Session Manager: aws ssm start-session --target INSTANCE_ID"
    """https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html"""

    @property
    def images(self) -> Images:
        """The public images."""
        from gpuinfra.clouds.aws import images

        return images

    @property
    def fabric(self) -> Interconnect:
        """The fabric between machines."""
        from gpuinfra.clouds.aws import fabric

        return fabric

    @property
    def accepts(self) -> Accepts:
        """What is taken of the words of a stack file."""
        from gpuinfra.clouds.aws.accepting import ACCEPTS

        return ACCEPTS

    @property
    def declare(self) -> Declare:
        """Declares workloads, buckets and guards."""
        from gpuinfra.clouds.aws import declare

        return declare

    @property
    def observe(self) -> Observe:
        """Reads resources."""
        from gpuinfra.clouds.aws import observe

        return observe

    @property
    def refresh(self) -> "PriceSource":
        """Fetches newer machines and prices."""
        from gpuinfra.clouds.aws import refresh

        return refresh

    @property
    def account(self) -> Account:
        """Looks at an account."""
        from gpuinfra.clouds.aws import account

        return account

    @property
    def computed(self) -> Mapping[str, Callable[[Resource, Any], Any]]:
        """The network interfaces of a machine's whole fabric."""
        from gpuinfra.clouds.aws.remedies import COMPUTED

        return COMPUTED

    def block_lead(self, machine: str) -> Decimal:
        """Hours before a block's end at which the final checkpoint of a run starts."""
        from gpuinfra.clouds.aws.blocks import block_lead

        return block_lead(machine)

    def image_id(self, name: str, region: str) -> str:
        """The image that an SSM parameter names."""
        from gpuinfra.clouds.aws import imageids

        return imageids.image_id(name, region)


PROVIDER: Final = Aws()
