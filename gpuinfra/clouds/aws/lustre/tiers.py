"""The tiers of FSx for Lustre: their sizes, speeds and price items."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.billing import GIB
from gpuinfra.model import UNKNOWN, Unknown
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.storage import SharedStorage

Count = int | Unknown | None
"""A number that is stated, that is not known yet, or that is not stated (None)."""

INTELLIGENT_TIERING: Final = "INTELLIGENT_TIERING"
TIERED_STEP: Final = 4_000
TIERED_MOST: Final = 2_000_000
"""MB/s of a file system that sizes itself:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-throughput-capacity.html"""

NO_CACHE: Final = "NO_CACHE"
CACHE_PROPORTIONAL: Final = "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
CACHE_CUSTOM: Final = "USER_PROVISIONED"
_CACHE_STEP: Final = 20_000
"""GiB of SSD read cache for each TIERED_STEP of throughput, where it is proportional to it:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-ssd-read-cache.html (2026-11-26)"""

_DRIVES_CACHED: Final = "-cached"
"""How the price table calls drives with an SSD cache of 20% of their size:
https://aws.amazon.com/fsx/lustre/pricing/ (2026-11-26)"""

METADATA: Final = (1_500, 3_000, 6_000, *range(12_000, 192_001, 12_000))
METADATA_TIERED: Final = (6_000, 12_000)
"""Metadata operations a second that may be asked for:
https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreMetadataConfiguration.html"""

PERSISTENT_2: Final = "PERSISTENT_2"
"""The deployment that has a metadata configuration, and on which EFA is built."""

PORTS: Final = ((988, 988), (1018, 1023))
"""TCP ports between a file system and its clients, and inside of it:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"""

VERSION: Final = "2.15"
"""The Lustre version that all deployments take and today's clients speak."""

GIB_PER_LUSTRE_TIB: Final = 1_000
"""GiB of what AWS writes as a TiB of Lustre: its 4.8 TiB are 4,800 GiB, and carry 4.8 times the
throughput: https://repost.aws/knowledge-center/fsx-for-lustre-performance"""

_TOLERANCE: Final = 1e-6


@record
class LustreTier:
    """One kind of file system, as listed in data/lustre.json.

    Attributes:
        deployment: SCRATCH_1 to PERSISTENT_2.
        storage: SSD, HDD or INTELLIGENT_TIERING.
        efa: whether it is reached over EFA.
        throughput: MB/s for each TiB, where it is configurable.
        carries: MB/s for each TiB, where it is fixed.
        sizes: capacities in GiB that it takes besides the multiples of `step`.
        step: of capacity; None where it is not configurable.
        item: the price item of a GB.
        repository: whether it takes associations with buckets.
        backups: whether it takes backups.
        own_key: whether it takes a key of the customer's.
    """

    deployment: str
    storage: str
    efa: bool
    throughput: int | None
    carries: int | None
    sizes: tuple[int, ...]
    step: int | None
    item: str
    repository: bool
    backups: bool
    own_key: bool

    def offers_size(self, size: int) -> bool:
        """Return whether the tier offers a capacity in GiB."""
        return size in self.sizes or (self.step is not None and size > 0 and size % self.step == 0)

    def nearest_sizes(self, size: int) -> tuple[int, ...]:
        """Return the nearest offered capacities in GiB: one below, if any, and one above."""
        if self.step is None:
            return ()
        smaller_size = size // self.step * self.step
        capacities = sorted({*self.sizes, smaller_size, smaller_size + self.step} - {0})
        under = [gib for gib in capacities if gib < size]
        return (*under[-1:], *[gib for gib in capacities if gib > size][:1])


@record
class FileSystemRequest:
    """The request for a file system: GiB, MB/s for each TiB (tiered: in all), IOPS.

    The cache is that of a tiered one: how its size is determined, and the size in GiB where it
    is stated. None: there is none. Drives with a cache, or of which it is not known whether they
    have one, are paid by an item of their own.
    """

    deployment: str
    storage: str = "SSD"
    size: Count = None
    throughput: Count = None
    efa: bool = False
    metadata: Count = None
    backups: bool = False
    cache: str | Unknown | None = None
    cache_size: Count = None
    drives_cached: bool = False

    @property
    def kinds(self) -> tuple[LustreTier, ...]:
        """The tiers of its deployment and storage."""
        return tuple(
            tier
            for tier in tiers()
            if (tier.deployment, tier.storage) == (self.deployment, self.storage)
        )

    @property
    def tier(self) -> LustreTier | None:
        """Its tier; None where there is none, or its throughput is unknown."""
        return next(
            (
                kind
                for kind in self.kinds
                if kind.efa is self.efa and (kind.throughput in {None, self.throughput})
            ),
            None,
        )

    @property
    def total_throughput(self) -> Decimal | Unknown | None:
        """Its total throughput in MB/s of 10^6 bytes."""
        if self.storage == INTELLIGENT_TIERING:
            throughput = self.throughput
            return Decimal(throughput) if isinstance(throughput, int) else throughput
        tier = self.tier
        if UNKNOWN in (self.size, self.throughput):
            return UNKNOWN
        throughput_per_disk = None if tier is None else tier.throughput or tier.carries
        if throughput_per_disk is None or not isinstance(self.size, int):
            return None
        return Decimal(self.size) * throughput_per_disk / GIB_PER_LUSTRE_TIB

    def price_items(self) -> Iterator[tuple[str, str, Decimal | Unknown | None]]:
        """Yield its price items, with unit and quantity; none where its tier is unknown.

        All IOPS of metadata that are asked for count, those that are included too, so never too
        few. How much an intelligent-tiering file system and the backups hold is not known; its
        cache is paid by its size, full or not.
        """
        tier = self.tier
        if tier is None:
            return
        is_tiered = self.storage == INTELLIGENT_TIERING
        item = f"{tier.item}{_DRIVES_CACHED}" if self.drives_cached else tier.item
        yield item, "GB-month", None if is_tiered else _stated_number(self.size)
        if is_tiered:
            item = "fsx-lustre-intelligent-tiering-throughput"
            yield item, "MBps-month", _stated_number(self.throughput)
        if self.cache not in {None, NO_CACHE}:
            yield "fsx-lustre-intelligent-tiering-cache", "GB-month", self._cache_size
        if self.metadata is not None:
            yield "fsx-lustre-metadata-iops", "IOPS-month", _stated_number(self.metadata)
        if self.backups:
            yield "fsx-lustre-backup", "GB-month", None

    @property
    def _cache_size(self) -> Decimal | Unknown:
        """The GiB of its cache; UNKNOWN where it is not known how the size is determined."""
        if self.cache == CACHE_CUSTOM:
            return _stated_number(self.cache_size)
        throughput = _stated_number(self.throughput)
        if self.cache != CACHE_PROPORTIONAL or isinstance(throughput, Unknown):
            return UNKNOWN
        return throughput * _CACHE_STEP / TIERED_STEP


def request_of(spec: "SharedStorage") -> FileSystemRequest:
    """Return the file system of a stack file as it is built: no automatic backups, which cost."""
    bare = FileSystemRequest(
        deployment=api_spelling(spec.deployment),
        storage=api_spelling(spec.storage),
        throughput=spec.throughput,
        efa=spec.efa,
    )
    is_tiered = bare.storage == INTELLIGENT_TIERING
    size = None if spec.size is None else capacity(spec.size, bare.kinds, efa=spec.efa)
    metadata = spec.metadata_iops
    if is_tiered and metadata is None:
        metadata = METADATA_TIERED[0]
    return FileSystemRequest(
        deployment=bare.deployment,
        storage=bare.storage,
        size=size,
        throughput=bare.throughput,
        efa=bare.efa,
        metadata=metadata,
        cache=CACHE_PROPORTIONAL if is_tiered else None,
    )


def capacity(size: int, kinds: Iterable[LustreTier], *, efa: bool = False) -> int:
    """Return the GiB of a size in bytes; AWS's 1.2 TiB for 1,200 GiB is accepted too.

    A size that no tier has is returned in GiB, rounded up.
    """
    for reading in (size / GIB, size * GIB_PER_LUSTRE_TIB / (1024 * GIB)):
        rounded_gib = round(reading)
        is_near = abs(reading - rounded_gib) < _TOLERANCE * reading
        if is_near and any(kind.offers_size(rounded_gib) for kind in kinds if kind.efa is efa):
            return rounded_gib
    return -(-size // GIB)


def api_spelling(stack_word: str) -> str:
    """Return the API's spelling of a word of the stack file."""
    return stack_word.upper().replace("-", "_")


def spell(name: str) -> str:
    """Return the stack file's spelling of a name of the API."""
    return name.lower().replace("_", "-")


@cache
def tiers() -> tuple[LustreTier, ...]:
    """Return every kind of file system."""
    return tuple(map(_tier, TABLES.rows("lustre")))


def _tier(row: Mapping[str, Any]) -> LustreTier:
    fields = {key: value for key, value in row.items() if key in LustreTier.__dataclass_fields__}
    return LustreTier(**dict[str, Any](fields, sizes=tuple(row["sizes"])))


def _stated_number(count: Count) -> Decimal | Unknown:
    """Return a number that the price depends on; UNKNOWN where it is not stated."""
    return Decimal(count) if isinstance(count, int) else UNKNOWN
