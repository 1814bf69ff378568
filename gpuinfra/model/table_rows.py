"""Rows of the sourced tables: machine types, GPUs, prices and interruptions."""

from decimal import Decimal
from typing import Final, Literal

from gpuinfra.records import record

OUTDATED_AFTER_DAYS: Final = 400
"""From how many days on a list price is outdated, unless a setting says otherwise."""

SPOT_OUTDATED_AFTER_DAYS: Final = 365
"""The age in days from which a spot price is in no expected figure."""

Origin = Literal["catalog", "refreshed", "user", "lock", "bound"]
"""Where a price comes from: the shipped tables, a refresh, the user's own list, or a lock."""
RegionsAre = Literal["offered", "priced"]
"""The meaning of a machine type's regions: where its cloud offers it, or where it lists a
price."""


@record
class Machine:
    """A machine type of one cloud, from its sourced table; None is unknown.

    `gpu` is a key of the GPU table (H100-SXM-80GB); `gpu_memory_gib` is per GPU and usable as the
    cloud reports it, `gpu_memory_nominal_gb` what the GPU is sold as (80 for an 80 GB H100).
    `network_gbps` is the most that its network carries, `network_sustained_gbps` what it carries
    without end: less where the network may burst. `fabric` names the kind of network between GPUs
    (efa, roce, infiniband, gpudirect-tcpx, gpudirect-tcpxo) or is None; `fabric_interfaces` counts
    the interfaces that speak it: 0 where the cloud says that there are none, None where it is not
    stated. `network_cards` counts the cards of the machine. `nvlink` says whether NVLink joins
    any GPUs of it, `nvlink_gbs` how fast each, in both directions together;
    `nvlink_domain` counts the GPUs that one NVLink fabric joins: 1 for none, 2 where bridges join
    pairs, more than the machine has where it is rented as a part of a rack.
    """

    cloud: str
    type: str
    gpu: str
    gpu_count: Decimal
    gpu_memory_gib: Decimal | None
    gpu_memory_nominal_gb: Decimal | None
    vcpu: int | None
    memory_gib: Decimal | None
    local_storage_gb: Decimal | None
    network_gbps: Decimal | None
    network_sustained_gbps: Decimal | None = None
    fabric: str | None
    fabric_interfaces: int | None
    fabric_gbps: Decimal | None
    network_cards: int | None
    interfaces_per_card: tuple[int, ...] | None
    nvlink: bool | None
    nvlink_gbs: Decimal | None
    nvlink_domain: int | None
    architecture: str | None
    usage_classes: tuple[str, ...]
    status: str
    regions: tuple[str, ...]
    regions_are: RegionsAre = "offered"
    source: str
    as_of: str
    notes: str = ""


@record
class Gpu:
    """A GPU model: memory in GB as sold, dense rates in TFLOPS, watts; None is unknown.

    `bandwidth_gbs` is of its memory, `nvlink_gbs` of its NVLink in both directions together (None
    where it has none, too), both in GB/s. `fp32_tflops` is of the vector units. `unverified` names
    the cells that were written from memory and not checked against their source.
    """

    key: str
    name: str
    architecture: str
    memory_gb: Decimal | None
    bandwidth_gbs: Decimal | None
    fp32_tflops: Decimal | None
    fp16_tflops: Decimal | None
    bf16_tflops: Decimal | None
    fp8_tflops: Decimal | None
    nvlink_gbs: Decimal | None
    watts: Decimal | None
    aliases: tuple[str, ...]
    source: str
    as_of: str
    unverified: tuple[str, ...] = ()
    notes: str = ""


STALE: Final = "STALE"
"""The mark in a price's notes that the cloud has changed the price since."""


@record
class Price:
    """A sourced price; `item` is a machine type or a service item (nat-gateway-hour).

    `mode` is on-demand, spot, reserved-1y, reserved-3y, capacity-block and the like, or list for
    services. `as_of` is a day, a month, a year, an interval from/to, or undated. `tiers` are the
    later prices of a unit, each with the hours of continuous use after which it holds. `remark` is
    what a reader of the figure has to know: that it was converted, or paid beforehand. `prepaid`
    is the share of `per_unit` (0 to 1) that was paid beforehand: it counts, used or not.
    """

    cloud: str
    item: str
    region: str
    zone: str | None
    mode: str
    unit: str
    per_unit: Decimal
    currency: str
    source: str
    as_of: str
    maximum: Decimal | None = None
    notes: str = ""
    origin: Origin = "catalog"
    tiers: tuple[tuple[Decimal, Decimal], ...] = ()
    remark: str = ""
    prepaid: Decimal = Decimal(0)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The cloud, the item, the region and the mode, by which prices are looked up."""
        return (self.cloud, self.item, self.region, self.mode)

    @property
    def stale(self) -> bool:
        """Whether the table notes that the cloud has since changed this price."""
        return STALE in self.notes


@record
class Interruption:
    """The published share of spot machines of a type that are interrupted in a region.

    `low` and `high` bound the share (0 to 1) of the machines that were interrupted in a month;
    `high` None is no bound.
    """

    machine: str
    region: str
    low: Decimal
    high: Decimal | None
    source: str
    as_of: str
