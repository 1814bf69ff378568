"""What a workload stands up besides its machines, as pure facts that planning and build share."""

from decimal import Decimal
from functools import cache
from typing import Final

from gpuinfra.clouds.aws.disk import disk_items
from gpuinfra.clouds.aws.images import has_image
from gpuinfra.clouds.footprint import Content, Workload
from gpuinfra.model import (
    UNKNOWN,
    Bucket,
    Caps,
    Fabric,
    FabricWish,
    Item,
    Machine,
    Safety,
)

PLACEMENT: Final = "cluster"

SAFETY: Final = Safety(
    metadata_v2=True,
    disks_encrypted=True,
    public_ip=False,
    open_login=False,
    administrator=False,
    long_lived_key=False,
)
"""What the build makes of every group."""

S3_TIERS: Final = (
    ("s3-standard-storage-first-50tb", 51_200),
    ("s3-standard-storage-next-450tb", 460_800),
    ("s3-standard-storage-over-500tb", None),
)
"""Storage price items and how many GB (binary, as S3 bills) each covers; None is the rest:
https://aws.amazon.com/s3/pricing/"""


_CONTENT: Final = Content(
    cloud="aws",
    tiers=S3_TIERS,
    requests=(("s3-standard-put", "1k-requests"), ("s3-standard-get", "1k-requests")),
)
bucket_items = _CONTENT.items


def has_budget(caps: Caps) -> bool:
    """Whether the build makes an AWS budget: for every cap of the month."""
    return caps.per_month is not None


def uses_fabric(machine: Machine, nodes: int, wish: FabricWish) -> bool:
    """Whether EFA interfaces are declared: when required, or preferred, possible and useful."""
    if wish == "none" or not machine.fabric_interfaces:
        return False
    return wish == "required" or nodes > 1


@cache
def fabric_facts(
    machine: Machine, nodes: int, wish: FabricWish, *, own_image: bool = False
) -> Fabric | None:
    """The fabric that the build declares; None when no EFA interface is declared.

    `own_image` says that the user named the image, so that nobody knows what is in it; nor does
    anyone where no public image is known to serve the machine.
    """
    if not uses_fabric(machine, nodes, wish):
        return None
    served = not own_image and has_image(machine, "training")
    return Fabric(
        wish=wish,
        interfaces=machine.fabric_interfaces or 0,
        one_zone=True,
        placement=PLACEMENT,
        self_ingress=True,
        self_egress=True,
        public_ip=False,
        driver_image=True if served else UNKNOWN,
    )


def training_items(
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,  # noqa: ARG001  every machine takes gp3
) -> tuple[Item, ...]:
    """A training workload's disks and the way out of its network; the disk's `size` in bytes."""
    disks = disk_items(name, subject, size=size, iops=iops, throughput=throughput)
    return (*disks, *_way_out(Workload(cloud="aws", name=name, subject=subject)))


def pool_items(
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,  # noqa: ARG001  every machine takes gp3
) -> tuple[Item, ...]:
    """A pool's disks, the way out of its network, and its internal load balancer."""
    disks = disk_items(name, subject, size=size, iops=iops, throughput=throughput)
    work = Workload(cloud="aws", name=name, subject=subject)
    return (
        *disks,
        *_way_out(work),
        work.item("load balancer", "alb-hour", "hour", Decimal(1)),
        work.item("load balancer", "alb-lcu", "LCU-hour", None),
    )


def bucket_facts(
    name: str, subject: str, *, region: str, size_gb: Decimal | None, versioned: bool
) -> Bucket:
    """What the build makes of a bucket; old versions expire where there are any."""
    return Bucket(
        name=name,
        subject=subject,
        cloud="aws",
        region=region,
        size_gb=size_gb,
        encrypted=True,
        public_blocked=True,
        tls_only=True,
        owner_enforced=True,
        versioned=versioned,
        expires_noncurrent=versioned,
        aborts_uploads=True,
    )


def _way_out(work: Workload) -> tuple[Item, ...]:
    """One NAT gateway with its public address; nobody knows how much goes through it."""
    return (
        work.item("NAT gateway", "nat-gateway-hour", "hour", Decimal(1)),
        work.item("NAT gateway", "nat-gateway-data", "GB", None),
        work.item("address", "public-ipv4-hour", "hour", Decimal(1)),
    )
