"""What a workload stands up besides its machines, as pure facts that planning and build share."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.disk import disk_items
from gpuinfra.clouds.aws.images import has_image
from gpuinfra.clouds.aws.network_footprint import network_items, spanned
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

PLACEMENT: Final = "cluster"

SAFETY: Final = Safety(
    metadata_v2=True,
    disks_encrypted=True,
    public_ip=False,
    open_login=False,
    administrator=False,
    long_lived_key=False,
    hop_limit=1,
    secrets=(),
    secure_boot=None,
)
"""What the build makes of every group."""

ALARMS: Final = 2
"""Target tracking makes an alarm to grow by and one to shrink by, each paid for by the metric that
it looks at; share of GPU memory in use is made of two.
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-target-tracking.html"""

FOLLOWED: Final = {"gpu_utilization": 1, "gpu_memory": 2, "requests_per_target": 1, "queue": 3}
"""How many metrics each figure of a pool is made of."""

CUSTOM_METRIC: Final = "cloudwatch-custom-metric"
"""What machines send under a name of their own; no table has its price."""

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
    writes=("s3-standard-put", "1k-requests"),
    reads=("s3-standard-get", "1k-requests"),
)
bucket_items = _CONTENT.items

METERED: Final = {
    "data_out": Metered(
        tiers=(
            ("data-transfer-out-internet-first-10tb", 10_240),
            ("data-transfer-out-internet-next-40tb", 40_960),
            ("data-transfer-out-internet-next-100tb", 102_400),
            ("data-transfer-out-internet-over-150tb", None),
        )
    ),
    "between_zones": Metered(
        tiers=(("data-transfer-inter-az-each-direction", None),),
        times=2,
    ),
    "between_regions": Metered(tiers=(("data-transfer-inter-region", None),)),
    "nat_data": Metered(tiers=(("nat-gateway-data", None),)),
    "logs": Metered(tiers=(("cloudwatch-logs-ingest", None),)),
}
"""Data of the month; tiers, and that both zones pay for what crosses between them:
https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer. The first 100 GB a month to the
internet are free for an account, whose other stacks may use them up: they count as paid."""


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
        card_faults=(),
        one_zone=True,
        placement=PLACEMENT,
        self_ingress=True,
        self_egress=True,
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
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,  # noqa: ARG001  every machine takes gp3
    network: "NetworkWish | None" = None,
) -> tuple[Item, ...]:
    """A training workload's disks and its network; the disk's `size` in bytes."""
    disks = disk_items(name, subject, size=size, iops=iops, throughput=throughput)
    work = Workload(cloud="aws", name=name, subject=subject)
    return (*disks, *network_items(work, network, zones=1))


def pool_items(  # noqa: PLR0913  all that its cost follows from
    name: str,
    subject: str,
    *,
    size: int,
    iops: int | None = None,
    throughput: int | None = None,
    machine: Machine | None = None,  # noqa: ARG001  every machine takes gp3
    scale_on: "ScaleOn | None" = None,
    network: "NetworkWish | None" = None,
    rungs: Sequence[Rung] = (),
) -> tuple[Item, ...]:
    """A pool's disks, its network, its load balancer, and what scaling brings."""
    disks = disk_items(name, subject, size=size, iops=iops, throughput=throughput)
    work = Workload(cloud="aws", name=name, subject=subject)
    front = (
        work.item("load balancer", "alb-hour", "hour", Decimal(1)),
        work.item("load balancer", "alb-lcu", "LCU-hour", None),
    )
    follows_queue = scale_on is not None and scale_on.queue is not None
    return (
        *disks,
        *network_items(work, network, zones=spanned(network, rungs)),
        *(() if follows_queue else front),
        *(() if scale_on is None else _scaling(work, scale_on)),
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


def _scaling(work: Workload, scale_on: "ScaleOn") -> Iterator[Item]:
    """The alarms of target tracking, and the metrics that machines send of their GPUs."""
    metrics = next(
        count for name, count in FOLLOWED.items() if getattr(scale_on, name) is not None
    )
    count = Decimal(ALARMS * metrics)
    yield work.item("alarm", "cloudwatch-alarm-standard", "metric-month", count)
    if scale_on.gpu_utilization is not None or scale_on.gpu_memory is not None:
        yield work.item("metrics", CUSTOM_METRIC, "metric-month", None)
