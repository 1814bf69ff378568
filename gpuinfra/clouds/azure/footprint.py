"""What a workload stands up besides its machines, as pure facts that planning and build share."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.azure.disk import disk_item
from gpuinfra.clouds.azure.images import has_image
from gpuinfra.clouds.azure.network import SINGLE, most_machines
from gpuinfra.clouds.footprint import Content, Metered, Workload
from gpuinfra.model import (
    UNKNOWN,
    Bucket,
    Caps,
    Fabric,
    FabricWish,
    Item,
    Known,
    Machine,
    Rung,
    Safety,
)

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish
    from gpuinfra.stackfile.schema import ScaleOn

SAFETY: Final = Safety(
    metadata_v2=True,
    disks_encrypted=True,
    public_ip=False,
    open_login=False,
    administrator=False,
    long_lived_key=False,
    hop_limit=None,
    secrets=(),
    secure_boot=False,
)
"""What the build makes of every group; Azure's metadata always needs a header, its disks are
always encrypted: https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service"""

BLOB_TIERS: Final = (
    ("blob-hot-lrs-first-50tb", 51_200),
    ("blob-hot-lrs-next-450tb", 460_800),
    ("blob-hot-lrs-over-500tb", None),
)
"""Storage price items and how many GB (binary, as Azure bills) each covers; None is the rest:
tierMinimumUnits 0, 51200 and 512000 of https://prices.azure.com/api/retail/prices"""


_CONTENT: Final = Content(
    cloud="azure",
    tiers=BLOB_TIERS,
    writes=("blob-hot-write", "10k-requests"),
    reads=("blob-hot-read", "10k-requests"),
)
bucket_items = _CONTENT.items

METERED: Final = {
    "data_out": Metered(
        tiers=(
            ("egress-internet-100gb-to-10tb", 10_240),
            ("egress-internet-next-40tb", 40_960),
            ("egress-internet-next-100tb", 102_400),
            ("egress-internet-over-150tb", None),
        )
    ),
    "between_zones": Metered(),
    "between_regions": Metered(
        tiers=(("egress-inter-region", None),),
        note="data between regions at the price inside North America",
    ),
    "nat_data": Metered(tiers=(("nat-gateway-data", None),)),
    "logs": Metered(tiers=(("log-analytics-ingest", None),)),
}
"""Data of the month; tiers: https://azure.microsoft.com/pricing/details/bandwidth/. The first 100
GB a month to the internet are free for an account, whose other stacks may use them up: they count
as paid. No table has a price of data between zones."""


def has_budget(caps: Caps) -> bool:
    """Whether the build keeps a budget in the cloud: one of a month."""
    return caps.per_month is not None


def uses_fabric(machine: Machine, nodes: int, wish: FabricWish) -> bool:
    """Whether the machines stand in one single placement group, which InfiniBand joins.

    When required, or preferred, possible and useful: a group has its limit.
    """
    if wish == "none" or not machine.fabric_interfaces:
        return False
    return wish == "required" or 1 < nodes <= most_machines(SINGLE)


@cache
def fabric_facts(
    machine: Machine, nodes: int, wish: FabricWish, *, own_image: bool = False
) -> Fabric | None:
    """The fabric that the build asks for; None without a single placement group.

    InfiniBand is never declared: Azure gives every machine of the group the ports that it has. No
    network security group filters its traffic. `own_image` says that the user named the image, so
    that nobody knows what is in it; nor does anyone where no public image serves the machine.
    """
    if not uses_fabric(machine, nodes, wish):
        return None
    most = most_machines(SINGLE)
    served = not own_image and has_image(machine, "training")
    return Fabric(
        wish=wish,
        interfaces=machine.fabric_interfaces or 0,
        set_faults=(f"{nodes} machines: a single placement group takes {most}",)
        if nodes > most
        else (),
        one_zone=True,
        placement=SINGLE,
        self_ingress=None,
        self_egress=None,
        public_ip=False,
        driver_image=True if served else UNKNOWN,
    )


def driver_image(machine: Machine, *, own_image: bool) -> Known:
    """Whether the image that the machines start from is known to have what NCCL needs.

    `own_image` says that the user named the image, of which nothing is known.
    """
    return True if not own_image and has_image(machine, "training") else UNKNOWN


def training_items(
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,  # noqa: ARG001  in the price of the disk's tier
    throughput: int | None = None,  # noqa: ARG001  likewise
    machine: Machine | None = None,  # noqa: ARG001  every size has the same kind of disk
    network: "NetworkWish | None" = None,  # noqa: ARG001  planning refuses one here
) -> tuple[Item, ...]:
    """A training workload's disks and the way out of its network; the disk's `size` in bytes."""
    workload = Workload(cloud="azure", name=name, subject=subject)
    return (disk_item(workload, size), *_way_out(workload))


def pool_items(  # noqa: PLR0913  all that its cost follows from
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,
    scale_on: "ScaleOn | None" = None,  # noqa: ARG001  autoscaling brings no alarms
    network: "NetworkWish | None" = None,  # noqa: ARG001  planning refuses one here
    rungs: Sequence[Rung] = (),  # noqa: ARG001  what it costs is the same on all
) -> tuple[Item, ...]:
    """A pool's disks, the way out of its network, and its internal load balancer."""
    workload = Workload(cloud="azure", name=name, subject=subject)
    return (
        *training_items(
            name, subject, size=size, iops=iops, throughput=throughput, machine=machine
        ),
        workload.item("load balancer", "lb-standard-first-5-rules-hour", "hour", Decimal(1)),
        workload.item("load balancer", "lb-standard-data", "GB", None),
    )


def bucket_facts(
    name: str, subject: str, *, region: str, size_gb: Decimal | None, versioned: bool
) -> Bucket:
    """What the build makes of a bucket; old versions expire, an earlier life's too.

    Azure has no owners of single blobs, and discards the blocks of an upload that nobody committed
    after a week: https://learn.microsoft.com/rest/api/storageservices/put-block
    """
    return Bucket(
        name=name,
        subject=subject,
        cloud="azure",
        region=region,
        size_gb=size_gb,
        encrypted=True,
        public_blocked=True,
        tls_only=True,
        owner_enforced=None,
        versioned=versioned,
        expires_noncurrent=True,
        aborts_uploads=True,
    )


def _way_out(workload: Workload) -> tuple[Item, ...]:
    """One NAT gateway with its public address; nobody knows how much goes through it."""
    return (
        workload.item("NAT gateway", "nat-gateway-hour", "hour", Decimal(1)),
        workload.item("NAT gateway", "nat-gateway-data", "GB", None),
        workload.item("address", "public-ip-standard-static-hour", "hour", Decimal(1)),
    )
