"""What a database of RDS costs: its instance, its storage and its IOPS, in one zone.

Backups are free up to the size of the database; what is beyond is paid by use.
https://aws.amazon.com/rds/pricing/ (2026-11-27, not re-read: unverified)
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import locations, resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.prices import PRICES
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.rows import rows_without_machines, service_item, unpriced_rows
from gpuinfra.clouds.observing.values import amount, is_on, text
from gpuinfra.model import UNKNOWN, Item, Resource, Rows, Unknown, Usage
from gpuinfra.today import today

_CLASS: Final = "db."
_NEVER_EXTENDED: Final = "open-source-rds-extended-support-disabled"
_GENERAL_PURPOSE: Final = "gp2"
_PROVISIONED: Final = "io1"
"""The type of a storage whose type is not stated, without and with IOPS:
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
(2026-11-27, not re-read: unverified)"""
_FREE_INSIGHTS_DAYS: Final = 7
_TWO_ZONES: Final = "a database in two zones"
_IOPS: Final = "the IOPS or the throughput that it states"
_LOG_VOLUME: Final = "a log volume of its own"
_INSIGHTS: Final = "Performance Insights kept for more than 7 days"
_EXTENDED: Final = (
    "Extended Support, in which its version is or may be; use a newer version or set "
    "engineLifecycleSupport to open-source-rds-extended-support-disabled"
)


def database(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a database's hours and storage; the reason where no table has its class or engine."""
    engine = text(resource.inputs.get("engine"))
    size = text(resource.inputs.get("instanceClass"))
    item = f"rds-{engine}-{str(size).removeprefix(_CLASS)}"
    if not PRICES.rows_in_all_regions(item):
        kind = resource_types.canonical(resource.type)
        return rows_without_machines(resource, kind, known=False)
    region = locations.region_of(resource, index)
    hours = service_item("aws", resource, "database", item, "hour", Decimal(1), region)
    items = (hours, *_storage(resource, region))
    unpriced = ", ".join(_unpriced(resource, str(engine)))
    return replace(unpriced_rows(resource, unpriced) if unpriced else Rows(), items=items)


def _storage(resource: Resource, region: str) -> Iterator[Item]:
    """Yield the storage of a database at the most that it grows to, and its IOPS."""
    kind = _storage_type(resource)
    sizes = [amount(resource.inputs.get(f"{key}llocatedStorage")) for key in ("a", "maxA")]
    stated = [size for size in sizes if size is not None]
    known = [size for size in stated if isinstance(size, Decimal)]
    most = max(known) if known and len(known) == len(stated) else UNKNOWN
    item = f"rds-{kind}-storage"
    yield service_item("aws", resource, "database", item, "GB-month", most, region)
    iops = amount(resource.inputs.get("iops"))
    if kind == _PROVISIONED:
        item, stated_iops = f"rds-{kind}-iops", UNKNOWN if iops is None else iops
        yield service_item("aws", resource, "database", item, "IOPS-month", stated_iops, region)


def _storage_type(resource: Resource) -> str:
    kind = text(resource.inputs.get("storageType"))
    if isinstance(kind, str):
        return kind
    return _GENERAL_PURPOSE if resource.inputs.get("iops") is None else _PROVISIONED


def _unpriced(resource: Resource, engine: str) -> Iterator[str]:
    """Yield what a database costs more than the tables have."""
    inputs = resource.inputs
    if is_on(inputs.get("multiAz")) is not False:
        yield _TWO_ZONES
    speed = (inputs.get("iops"), inputs.get("storageThroughput"))
    if _storage_type(resource) != _PROVISIONED and speed != (None, None):
        yield _IOPS
    if is_on(inputs.get("dedicatedLogVolume")) is not False:
        yield _LOG_VOLUME
    days = amount(inputs.get("performanceInsightsRetentionPeriod"))
    if isinstance(days, Unknown) or (days is not None and days > _FREE_INSIGHTS_DAYS):
        yield _INSIGHTS
    if _may_be_extended(resource, engine):
        yield _EXTENDED


def _may_be_extended(resource: Resource, engine: str) -> bool:
    """Return whether a database may pay for Extended Support; by default its version is current.

    https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support.html
    """
    version = text(resource.inputs.get("engineVersion"))
    if version is None or resource.inputs.get("engineLifecycleSupport") == _NEVER_EXTENDED:
        return False
    ends = (
        row["standard_until"]
        for row in TABLES.rows("rds_versions")
        if row["engine"] == engine
        and isinstance(version, str)
        and f"{version}.".startswith(f"{row['version']}.")
    )
    return today().isoformat() > next(ends, "")
