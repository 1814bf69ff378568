"""The base class of cloud providers, one subclass per cloud; `clouds.provider` returns it.

A cloud whose prices are known is a `PricedCloud`; one that is observed and built, too, is a
`CloudProvider`. Its parts are loaded on first use, so that a look-up of a price loads no grammar,
no declaration and no observer.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gpuinfra.clouds.provider_contract import (
    Accepts,
    AccountChecker,
    Declare,
    Images,
    Interconnect,
    Observe,
)
from gpuinfra.errors import InputError
from gpuinfra.model import Resource
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.clouds.machine_list import MachineList
    from gpuinfra.clouds.price_list import PriceList
    from gpuinfra.clouds.refreshing.contract import PriceSource
    from gpuinfra.clouds.region_list import RegionList
    from gpuinfra.clouds.tables import Tables


@record
class MonthDiscount:
    """Later prices of a machine's hours in a month, as shares of its list price.

    `steps` are pairs of the share of the month's hours (0 to 1) after which a price holds, and the
    share of the list price that it is.
    """

    steps: tuple[tuple[Decimal, Decimal], ...]
    source: str
    as_of: str


def lazy_attribute(module: str, name: str = "") -> Any:
    """Return an attribute that imports a module of the cloud's package, or a name in it, once."""

    def load(cloud: "PricedCloud") -> Any:
        loaded = import_module(f"{cloud.__module__.rpartition('.')[0]}.{module}")
        return getattr(loaded, name) if name else loaded

    return cached_property(load)


class PricedCloud:
    """A cloud with known machines and prices, the part of a provider that `choose` uses."""

    tables: "Tables"
    """The dated tables that all else is read from."""

    machines: "MachineList"
    """The machine types, and how their names look."""

    prices: "PriceList"
    """The prices of machines and services, and how often spot machines are taken back."""

    regions: "RegionList"
    """The regions and their zones."""

    refresh: "PriceSource | None" = None
    """The fetcher of newer machines and prices; None if there is none."""

    def block_lead(self, machine: str) -> Decimal:  # noqa: ARG002  every machine's is the same
        """Return hours before the end of a capacity block at which a run in it has to be done.

        0 on a cloud that sells no such blocks.
        """
        return Decimal(0)

    def month_discount(self, machine: str) -> MonthDiscount | None:  # noqa: ARG002  as above
        """Return the automatic discount for long on-demand use of a machine; None if none."""
        return None

    def why_unlisted(self, machine: str) -> str:  # noqa: ARG002  as above
        """Return why no table can have a price of a machine's type; empty if one may."""
        return ""


class CloudProvider(PricedCloud):
    """A cloud that is observed and built."""

    takes_spot_maximum: bool
    """Whether a spot request can say the most that it may cost."""
    keeps_content: bool
    """Whether the cloud refuses to delete a bucket while something is in it."""
    budget_type: str
    """The type of resource that is a budget for the cloud's spending."""
    tag_word: str = "tag"
    """The cloud's word for a tag: tag or label."""
    budget_keys: tuple[str, ...]
    """The keys of `budget` in a stack file without which no such resource is made."""
    login: str
    """The instruction for logging in to a machine, with the command; {zone} is the machine's
    zone."""
    images: Images = lazy_attribute("images")
    """The images that machines start from."""
    fabric: Interconnect = lazy_attribute("fabric")
    """The fabric between machines."""
    accepts: Accepts = lazy_attribute("accepting", "ACCEPTS")
    """The cloud's checks of stack-file keys, in addition to `clouds.accepts`."""
    declare: Declare = lazy_attribute("declare")
    """Declares what a planned workload, bucket or stack creates."""
    observe: Observe = lazy_attribute("observe")
    """Reads what any resources of the cloud are."""
    account: AccountChecker | None = None
    """Looks at an account before anything is built; None where that is not built yet."""
    computed: Mapping[str, Callable[[Resource, Any], Any]] = MappingProxyType({})
    """Values of remedies that follow from the resource, by their names in the table."""
    quota_command: str = ""
    """The command of the cloud's CLI that lists the quotas of a `{region}`; empty for none."""

    def image_id(self, name: str, region: str) -> str:
        """Return the current id of a named image in a region, from the cloud's API.

        Raises:
            CloudError: the cloud refuses, can't be reached, or knows no such image.
            ModuleNotFoundError: its client library is not installed.
            InputError: images are not looked up by name on this cloud.
        """
        raise InputError.of(
            f"the image {name!r} in {region} has no id, and images of its cloud "
            "can't be looked up by name",
            fix="write the lock again: gpuinfra lock",
        )
