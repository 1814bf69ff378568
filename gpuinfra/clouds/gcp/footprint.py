"""What a workload stands up besides its machines, as pure facts that planning and build share."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.footprint import Content, Metered, Workload
from gpuinfra.clouds.gcp.disk import disk_items
from gpuinfra.clouds.gcp.images import has_image
from gpuinfra.clouds.gcp.network import planes
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

PLACEMENT: Final = "compact"

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
"""What the build makes of every group. The metadata server demands a header, and disks are always
encrypted: https://docs.cloud.google.com/compute/docs/metadata/querying-metadata"""


_CONTENT: Final = Content(
    cloud="gcp",
    tiers=(("gcs-standard-storage", None),),
    writes=("gcs-standard-class-a", "1k-requests"),
    reads=("gcs-standard-class-b", "1k-requests"),
)
bucket_items = _CONTENT.items

METERED: Final = {
    "data_out": Metered(
        tiers=(
            ("egress-internet-first-1tb", 1_024),
            ("egress-internet-next-9tb", 9_216),
            ("egress-internet-over-10tb", None),
        ),
        note="data to the internet at the price of the premium tier, not to China or Australia",
    ),
    "between_zones": Metered(tiers=(("egress-inter-zone", None),)),
    "between_regions": Metered(
        tiers=(("egress-inter-region-north-america", None),),
        note="data between regions at the price inside North America",
    ),
    "nat_data": Metered(tiers=(("cloud-nat-data", None),)),
    "logs": Metered(),
}
"""Data of the month; the tiers are those of https://cloud.google.com/vpc/network-pricing. No table
has the price of Cloud Logging."""


def has_budget(caps: Caps) -> bool:
    """Whether the build makes a budget, which belongs to a billing account that is named."""
    return caps.per_month is not None and caps.billing_account is not None


def uses_fabric(machine: Machine, nodes: int, wish: FabricWish) -> bool:
    """Whether the fabric's networks are declared: when required, or preferred and useful."""
    if wish == "none" or not machine.fabric_interfaces or planes(machine) is None:
        return False
    return wish == "required" or nodes > 1


@cache
def fabric_facts(
    machine: Machine, nodes: int, wish: FabricWish, *, own_image: bool = False
) -> Fabric | None:
    """The fabric that the build declares; None when none is declared.

    `own_image` says that the user named the image, so that nobody knows what is in it; nor does
    anyone where no public image is known to serve the machine. On the public image the start-up
    script installs the software that NCCL needs, or does not, as the table says. No firewall
    stands in a RoCE network.
    """
    layout = planes(machine)
    if layout is None or not uses_fabric(machine, nodes, wish):
        return None
    served: Known = UNKNOWN
    if not own_image and has_image(machine, "training"):
        served = layout.set_up
    filtered = True if layout.profile is None else None
    return Fabric(
        wish=wish,
        interfaces=layout.fabric_networks * layout.fabric_subnets,
        network_faults=(),
        one_zone=True,
        placement=PLACEMENT,
        self_ingress=filtered,
        self_egress=filtered,
        public_ip=False,
        driver_image=served,
    )


def driver_image(machine: Machine, *, own_image: bool) -> Known:
    """Whether the image that the machines start from is known to have what NCCL needs.

    `own_image` says that the user named the image, of which nothing is known.
    """
    layout = planes(machine)
    if own_image or layout is None or not has_image(machine, "training"):
        return UNKNOWN
    return layout.set_up


def training_items(
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,
    network: "NetworkWish | None" = None,  # noqa: ARG001  planning refuses one here
) -> tuple[Item, ...]:
    """A training workload's disks and the way out of its network; the disk's `size` in bytes."""
    work = Workload(cloud="gcp", name=name, subject=subject)
    disks = disk_items(work, size=size, iops=iops, throughput=throughput, machine=machine)
    return (*disks, *_way_out(work))


def pool_items(  # noqa: PLR0913  all that its cost follows from
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,
    scale_on: "ScaleOn | None" = None,  # noqa: ARG001  an autoscaler brings no alarms
    network: "NetworkWish | None" = None,  # noqa: ARG001  planning refuses one here
    rungs: Sequence[Rung] = (),  # noqa: ARG001  what it costs is the same on all
) -> tuple[Item, ...]:
    """A pool's disks, the way out of its network, and its internal load balancer."""
    work = Workload(cloud="gcp", name=name, subject=subject)
    disks = disk_items(work, size=size, iops=iops, throughput=throughput, machine=machine)
    return (
        *disks,
        *_way_out(work),
        work.item("load balancer", "lb-forwarding-rules-first-5-hour", "hour", Decimal(1)),
        work.item("load balancer", "lb-data-processed", "GB", None),
    )


def bucket_facts(
    name: str, subject: str, *, region: str, size_gb: Decimal | None, versioned: bool
) -> Bucket:
    """What the build makes of a bucket; old versions expire where there are any."""
    return Bucket(
        name=name,
        subject=subject,
        cloud="gcp",
        region=region,
        size_gb=size_gb,
        encrypted=True,
        public_blocked=True,
        tls_only=None,
        owner_enforced=True,
        versioned=versioned,
        expires_noncurrent=versioned,
        aborts_uploads=True,
    )


def _way_out(work: Workload) -> tuple[Item, ...]:
    """Cloud NAT by the machine, its address, and data of which nobody knows how much there is."""
    return (
        work.item("NAT gateway", "cloud-nat-vm-hour", "VM-hour", Decimal(1), per_machine=True),
        work.item("NAT gateway", "cloud-nat-data", "GB", None),
        work.item("address", "external-ip-in-use-hour", "hour", Decimal(1)),
    )
