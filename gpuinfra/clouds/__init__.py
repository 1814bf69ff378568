"""One room per cloud, none of which knows another; here is what every room has.

A room is the package `gpuinfra.clouds.<cloud>`. Its module `priced` has the names of `PricedRoom`;
what it can do besides stands there in `can`. One that observes (package `observe`) and builds
(package `declare`) has the names of `Room` in its module `room`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib import import_module
from re import Pattern
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from gpuinfra.errors import InputError, Problem
from gpuinfra.model import (
    FabricWish,
    Group,
    Interruption,
    Known,
    Machine,
    Price,
    Purpose,
    Rung,
    Unknown,
)

if TYPE_CHECKING:
    from gpuinfra.clouds.billing import Metered
    from gpuinfra.clouds.imagename import ImageName
    from gpuinfra.clouds.startup import StartFault
    from gpuinfra.clouds.wordfaults import DiskFault, WordFault
    from gpuinfra.stackfile.networks import NetworkWish
    from gpuinfra.stackfile.schema import Inference, Stack, Training
    from gpuinfra.stackfile.storage import Bucket as BucketWish

PACKAGES: Final = {"aws": "aws", "gcp": "gcp", "azure": "azure-native"}
"""The provider package of each cloud, as its resource types begin."""

CLOUDS: Final = tuple(PACKAGES)
"""The clouds that are observed and built."""

PRICED: Final = (*CLOUDS, "alibaba", "tencent", "lambda")
"""Every cloud whose machines and prices are known: `choose` compares them all."""

_FOLDERS: Final = {"lambda": "lambda_"}
"""The packages whose cloud is a word of Python."""


class PricedRoom(Protocol):
    """What every cloud's room has; all pure, all from the room's own dated tables."""

    can: frozenset[str]
    DEFAULT_REGION: str
    """The region that is meant where nobody says one."""
    TYPE_FORM: Pattern[str]
    """How a machine type's name looks, so that it is told from a GPU's."""

    def machines(self) -> tuple[Machine, ...]:
        """Every machine type of the table."""

    def machine(self, type_: str) -> Machine | None:
        """One machine type; None when the table has none of that name."""

    def prices(self, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """All rows of an item: on-demand, spot …, or `list` for services; zone rows too."""

    def all_prices(self) -> Iterator[Price]:
        """Every row: of machines in every region, zone and mode, then of services."""

    def modes(self) -> tuple[str, ...]:
        """The modes in which machines have prices, such as on-demand."""

    def interruption(self, machine: str, region: str) -> Interruption | None:
        """How often spot machines of a type are taken back; None when nobody publishes it."""

    def service_items(self) -> tuple[str, ...]:
        """The keys of services in the price table."""

    def regions(self) -> tuple[str, ...]:
        """The regions of the table, sorted."""

    def may_use(self, price_zone: str, zones: tuple[str, ...]) -> bool:
        """Whether a price row's zone can be one of those in which machines stand."""


class Room(PricedRoom, Protocol):
    """What the room of a cloud has besides, that observes and builds."""

    METERED: "Mapping[str, Metered]"
    """How what a whole stack uses up in a month is billed, by the words of `usage`."""
    KEEPS_CONTENT: bool
    """Whether the cloud refuses to delete a bucket while something is in it."""
    TAKES_SPOT_MAXIMUM: bool
    """Whether a spot request can say the most that it may cost."""
    REGION_VARIABLES: tuple[str, ...]
    """The environment variables that the provider takes its region from."""

    def free(self, token: str) -> Price | None:
        """The row that says that a resource type costs nothing; None when no row says so."""

    def token(self, item: str) -> str:
        """The resource type that a service item is paid for; empty when none is known."""

    def configuration(self, region: str) -> dict[str, str]:
        """Pulumi configuration that the cloud's provider needs, such as its default region."""

    def known_zones(self, region: str) -> tuple[str, ...]:
        """The full names of a region's zones; empty for a region that the table lacks."""

    def region_of(self, *places: Mapping[str, Any]) -> str | Unknown | None:
        """A resource's region, as the first of its inputs and its provider's says; or None."""

    def zones(
        self,
        region: str,
        wanted: tuple[str, ...] = (),
        count: int = 1,
        machine: Machine | None = None,
    ) -> tuple[str, ...]:
        """The zones in which the build puts machines; those that have the machine, if known."""

    def has_image(self, machine: Machine, purpose: Purpose) -> bool:
        """Whether a public image is known that has the drivers of a machine."""

    def image_name(
        self, machine: Machine, purpose: Purpose, wish: str | None
    ) -> "ImageName | None":
        """How the build finds the image of a machine; None where no public image serves it."""

    def uses_fabric(self, machine: Machine, nodes: int, wish: FabricWish) -> bool:
        """Whether the build declares fabric interfaces."""

    def driver_image(self, machine: Machine, *, own_image: bool) -> Known:
        """Whether the image that machines start from is known to have what NCCL needs."""

    def guard_notes(self, stack: "Stack", groups: Sequence[Group]) -> tuple[str, ...]:
        """What a reader has to know of what looks after a stack, a sentence each."""

    def workload_faults(
        self,
        name: str,
        work: "Training | Inference",
        rungs: tuple[Rung, ...],
        network: "NetworkWish | None",
    ) -> "Iterable[WordFault]":
        """What the cloud does not take of a workload's words, on any of its rungs."""

    def stack_faults(self, stack: "Stack", work: "Training | Inference") -> "Iterable[WordFault]":
        """What the cloud does not take of a workload beside the words of the whole file."""

    def workload_notes(
        self,
        work: "Training | Inference",
        rungs: tuple[Rung, ...],
        network: "NetworkWish | None",
    ) -> tuple[str, ...]:
        """What a reader of the plan has to know of a workload, a sentence each."""

    def bucket_faults(self, name: str, wanted: "BucketWish", region: str) -> "Iterable[WordFault]":
        """What the cloud does not take of a bucket's words."""

    def disk_faults(
        self,
        size: int,
        iops: int | None,
        throughput: int | None,
        machine: Machine | None = None,
    ) -> "Iterable[DiskFault]":
        """What the cloud's disk for a machine does not take."""

    def training_start_faults(self, name: str, work: "Training") -> "Iterable[StartFault]":
        """Why the cloud would not start a training workload's machines as they are asked for."""

    def pool_start_faults(self, name: str, work: "Inference") -> "Iterable[StartFault]":
        """Why the cloud would not start or scale a pool's machines as they are asked for."""


@cache
def priced_room(cloud: str) -> PricedRoom:
    """The room of a cloud whose prices are known.

    Raises:
        InputError: there is no such room.
    """
    return cast("PricedRoom", _module(cloud, "priced", PRICED))


@cache
def room(cloud: str) -> Room:
    """The room of a cloud that is built.

    Raises:
        InputError: there is no such room.
    """
    return cast("Room", _module(cloud, "room"))


def part(cloud: str, name: str) -> ModuleType:
    """A part of a cloud's room that is loaded only on demand, such as `observe` or `declare`.

    Raises:
        InputError: there is no such room.
    """
    return _module(cloud, name)


def block_lead(cloud: str, machine: str) -> Decimal:
    """Hours before the end of a capacity block at which a run in it has to be done.

    0 on a cloud that sells no such blocks.

    Args:
        cloud: whose block.
        machine: the type of its machines.
    """
    if "blocks" not in priced_room(cloud).can:
        return Decimal(0)
    found: Decimal = part(cloud, "blocks").block_lead(machine)
    return found


_BESIDE: Final = {"azuread": "azure"}
"""Packages of the directories that identities stand in, by whose room judges them."""


def cloud_of(token: str) -> str | None:
    """The cloud of a resource type, by its provider's package; None when no room is its.

    A package that is generated for one version of an API begins as its provider's does:
    azure-native_compute_v20240301.
    """
    package = token.partition(":")[0].partition("_")[0]
    beside = _BESIDE.get(package)
    return beside or next((cloud for cloud, known in PACKAGES.items() if known == package), None)


def region_of(token: str, *places: Mapping[str, Any]) -> str | Unknown | None:
    """A resource's region, as the first of the places that speaks of one says it.

    Args:
        token: the resource's type.
        places: its inputs, its outputs, its provider's inputs.

    Returns:
        UNKNOWN when the first that speaks does not know yet, None when nobody speaks.
    """
    cloud = cloud_of(token)
    return None if cloud is None else room(cloud).region_of(*places)


def _module(cloud: str, name: str, clouds: tuple[str, ...] = CLOUDS) -> ModuleType:
    if cloud not in clouds:
        raise InputError(
            [Problem(message="unknown cloud", value=cloud, allowed=", ".join(clouds))]
        )
    return import_module(f"gpuinfra.clouds.{_FOLDERS.get(cloud, cloud)}.{name}")
