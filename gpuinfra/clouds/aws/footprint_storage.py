"""What storage beside the machines stands up and costs: file systems, copies, logs and keys."""

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.footprint import bucket_facts, bucket_items
from gpuinfra.clouds.aws.lustre.faults import faults
from gpuinfra.clouds.aws.lustre.tiers import asked
from gpuinfra.clouds.footprint import Workload, logs_name, replica_name
from gpuinfra.model import Bucket, FileSystem, Item, Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training
    from gpuinfra.stackfile.storage import Bucket as BucketWish
    from gpuinfra.stackfile.storage import SharedStorage

LUSTRE: Final = "lustre"

KEY: Final = ("kms-key", "key-month")
KEY_REQUESTS: Final = ("kms-requests", "10k-requests")
"""A key by the month, and by its requests; a bucket key keeps those few."""

TRANSFER: Final = ("data-transfer-inter-region", "GB")
"""What a copy in a second region takes over the way there."""

TIERING: Final = (
    ("s3-intelligent-tiering-monitoring", "1k-objects-month"),
    ("s3-intelligent-tiering-transition", "1k-requests"),
)
"""What Intelligent-Tiering is paid by besides storage, which in its first tier costs what it did
before: https://aws.amazon.com/s3/pricing/. Nobody knows how many objects there are."""


def shared_storage(work: "Training | Inference") -> "SharedStorage | None":
    """The file system that a workload asks for; pools have none."""
    found: SharedStorage | None = getattr(work, "shared_storage", None)
    return found


def lustre_items(name: str, subject: str, work: "Training | Inference") -> tuple[Item, ...]:
    """What the file system beside a training workload costs."""
    wish = shared_storage(work)
    if wish is None:
        return ()
    beside = Workload(cloud="aws", name=name, subject=subject)
    return tuple(
        beside.item("file system", item, unit, quantity if isinstance(quantity, Decimal) else None)
        for item, unit, quantity in asked(wish).paid()
    )


def file_system(
    name: str, subject: str, work: "Training | Inference", rung: Rung
) -> FileSystem | None:
    """The file system beside a training workload; it stands in the machines' own subnet."""
    wish = shared_storage(work)
    if wish is None:
        return None
    wanted = asked(wish)
    return FileSystem(
        name=f"{name}-shared",
        subject=f"{subject}.shared_storage",
        cloud="aws",
        kind=LUSTRE,
        region=rung.region,
        size_gib=wanted.size,
        throughput_mbs=wanted.speed,
        group=name,
        encrypted=True,
        one_zone=True,
        faults=tuple(fault.message for fault in faults(wanted, rung.region)),
    )


def bucket_companions(
    name: str,
    subject: str,
    wanted: "BucketWish",
    *,
    region: str,
    size_gb: Decimal | None,
) -> tuple[tuple[Bucket, ...], tuple[Item, ...]]:
    """The copy and the log of a bucket, and what they, its keys and its tiers cost."""
    return (
        tuple(_beside(name, subject, wanted, region, size_gb)),
        tuple(_costs(name, subject, wanted, region, size_gb)),
    )


def _beside(
    name: str, subject: str, wanted: "BucketWish", region: str, size_gb: Decimal | None
) -> Iterator[Bucket]:
    if wanted.replicate_to is not None:
        yield bucket_facts(
            replica_name(name),
            subject,
            region=wanted.replicate_to,
            size_gb=size_gb,
            versioned=True,
        )
    if wanted.access_logs == "own":
        yield bucket_facts(logs_name(name), subject, region=region, size_gb=None, versioned=False)


def _costs(
    name: str, subject: str, wanted: "BucketWish", region: str, size_gb: Decimal | None
) -> Iterator[Item]:
    def item(kind: str, row: tuple[str, str], place: str, count: Decimal | None = None) -> Item:
        key, unit = row
        return Item(
            name=name,
            subject=subject,
            kind=kind,
            cloud="aws",
            item=key,
            unit=unit,
            quantity=count,
            region=place,
        )

    copied = wanted.replicate_to
    places = (region, copied) if copied is not None else (region,)
    for place in places if wanted.encryption != "managed" else ():
        if place != region or wanted.encryption == "kms":
            yield item("key", KEY, place, Decimal(1))
        yield item("key", KEY_REQUESTS, place)
    for place in places if wanted.tiering is not None else ():
        yield from (item("bucket", row, place) for row in TIERING)
    if copied is not None:
        yield item("replication", TRANSFER, region)
        yield from bucket_items(
            replica_name(name),
            subject,
            region=copied,
            size_gb=size_gb,
            writes=None if wanted.writes is None else Decimal(wanted.writes),
        )
    if wanted.access_logs == "own":
        yield from bucket_items(logs_name(name), subject, region=region, size_gb=None)
