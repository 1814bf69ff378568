"""The faults of a file system that FSx for Lustre refuses, in stack files and programs."""

from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.aws.lustre.tiers import (
    INTELLIGENT_TIERING,
    METADATA,
    METADATA_TIERED,
    PERSISTENT_2,
    TIERED_MOST,
    TIERED_STEP,
    FileSystemRequest,
    LustreTier,
    spell,
    tiers,
)
from gpuinfra.clouds.aws.tables import PRICES
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.units import format_money

_LIST: Final = "list"


def faults(request: FileSystemRequest, region: str) -> Iterator[KeyFault]:
    """Yield the settings that are refused; a value that is not known yet is no fault.

    Args:
        request: the requested file system.
        region: for the price shown where EFA needs a larger file system.
    """
    kinds = request.kinds
    if not kinds:
        yield _no_storage(request)
        return
    if request.efa and not any(kind.efa for kind in kinds):
        yield KeyFault(
            key=("shared_storage", "efa"),
            message=f"{_name(request)} does not support EFA",
            allowed=f"on {spell(PERSISTENT_2)}",
            fix="remove efa, or use persistent-2",
        )
        return
    yield from _throughput(request, kinds, region)
    yield from _size(request, region)
    yield from _metadata(request)


def smallest_over_efa(region: str) -> str:
    """Return the monthly cost of the smallest EFA-enabled file systems, smallest first.

    EFA makes the steps of the capacity, and so the smallest one, four to thirty-two times larger.
    """
    kinds = [tier for tier in tiers() if tier.efa and tier.step is not None]
    return "; ".join(
        f"{kind.step}GiB at throughput {kind.throughput}: {_month(kind, region)}"
        for kind in sorted(kinds, key=lambda tier: tier.step or 0)
    )


def _month(tier: LustreTier, region: str) -> str:
    prices = [row for row in PRICES.rows(tier.item, region, _LIST) if row.zone is None]
    if not prices or tier.step is None:
        return f"its price in {region} is unknown"
    (price, *_) = prices
    return f"{format_money(price.per_unit * tier.step, price.currency)} a month"


def _no_storage(request: FileSystemRequest) -> KeyFault:
    storage_kinds = {
        tier.storage: None for tier in tiers() if tier.deployment == request.deployment
    }
    if not storage_kinds:
        names = dict.fromkeys(spell(tier.deployment) for tier in tiers())
        return KeyFault(
            key=("shared_storage", "deployment"),
            message=f"unknown deployment {spell(request.deployment)}",
            allowed=", ".join(names),
        )
    deployments = dict.fromkeys(
        spell(tier.deployment) for tier in tiers() if tier.storage == request.storage
    )
    return KeyFault(
        key=("shared_storage", "storage"),
        message=f"{spell(request.deployment)} does not support {spell(request.storage)} storage",
        allowed=", ".join(spell(storage) for storage in storage_kinds),
        fix=f"use {' or '.join(deployments)}" if deployments else "",
    )


def _throughput(
    request: FileSystemRequest, kinds: Sequence[LustreTier], region: str
) -> Iterator[KeyFault]:
    speed = request.throughput
    if request.storage == INTELLIGENT_TIERING:
        allowed = f"multiples of {TIERED_STEP:,} MB/s, at most {TIERED_MOST:,}"
        if speed is None or (
            isinstance(speed, int) and (speed % TIERED_STEP or not 0 < speed <= TIERED_MOST)
        ):
            yield KeyFault(
                key=("shared_storage", "throughput"),
                message=_request_text(request, speed),
                allowed=allowed.replace(",", ""),
                fix=_throughput_fix(TIERED_STEP, speed),
            )
        return
    speeds = sorted({kind.throughput for kind in kinds if kind.throughput is not None})
    if not speeds:
        if isinstance(speed, int):
            carries = next((kind.carries for kind in kinds if kind.carries), 0)
            yield KeyFault(
                key=("shared_storage", "throughput"),
                message=f"{_name(request)} always has {carries} MB/s per TiB",
                fix="remove throughput, or use a persistent deployment",
            )
        return
    if speed is None or (isinstance(speed, int) and speed not in speeds):
        yield KeyFault(
            key=("shared_storage", "throughput"),
            message=_request_text(request, speed),
            allowed=f"{', '.join(map(str, speeds))} (MB/s per TiB)",
            fix=f"with EFA the smallest are {smallest_over_efa(region)}"
            if request.efa
            else _throughput_fix(speeds[0], speed),
        )


def _throughput_fix(least: int, speed: object) -> str:
    """Return how to name the least throughput; empty where another one is named."""
    return f"add throughput: {least}" if speed is None else ""


def _request_text(request: FileSystemRequest, speed: object) -> str:
    if speed is None:
        return f"{_name(request)} requires a throughput"
    return f"{_name(request)} does not support a throughput of {speed} MB/s"


def _size(request: FileSystemRequest, region: str) -> Iterator[KeyFault]:
    size, tier = request.size, request.tier
    if request.storage == INTELLIGENT_TIERING:
        if isinstance(size, int):
            yield KeyFault(
                key=("shared_storage", "size"),
                message=f"{_name(request)} grows with its content and has no size setting",
                fix="remove size",
            )
        return
    if size is None:
        yield KeyFault(
            key=("shared_storage", "size"),
            message=f"{_name(request)} requires a size",
            allowed=_sizes(request.kinds),
        )
    elif isinstance(size, int) and tier is not None and not tier.offers_size(size):
        nearest_sizes = " or ".join(f"{gib}GiB" for gib in tier.nearest_sizes(size))
        throughput_text = f" over EFA at throughput {tier.throughput}" if tier.efa else ""
        yield KeyFault(
            key=("shared_storage", "size"),
            message=f"{_name(request)}{throughput_text} can't have {size:,} GiB",
            allowed=f"{nearest_sizes} ({_steps(tier)})",
            fix=f"with EFA the smallest are {smallest_over_efa(region)}" if tier.efa else "",
        )


def _sizes(kinds: Sequence[LustreTier]) -> str:
    return "; ".join(dict.fromkeys(_steps(kind) for kind in kinds if not kind.efa))


def _steps(tier: LustreTier) -> str:
    first = "".join(f"{size}GiB, " for size in tier.sizes)
    return f"{first}or multiples of {tier.step}GiB" if first else f"multiples of {tier.step}GiB"


def _metadata(request: FileSystemRequest) -> Iterator[KeyFault]:
    operations = request.metadata
    if not isinstance(operations, int):
        return
    if request.deployment != PERSISTENT_2:
        yield KeyFault(
            key=("shared_storage", "metadata_iops"),
            message=f"{_name(request)} does not support metadata_iops",
            fix="remove it, or use persistent-2",
        )
        return
    metadata_steps = METADATA_TIERED if request.storage == INTELLIGENT_TIERING else METADATA
    if operations not in metadata_steps:
        yield KeyFault(
            key=("shared_storage", "metadata_iops"),
            message=f"{_name(request)} does not support {operations:,} metadata operations "
            "per second",
            allowed="6000 or 12000"
            if request.storage == INTELLIGENT_TIERING
            else "1500, 3000, 6000, 12000 and multiples of 12000 up to 192000",
        )


def _name(request: FileSystemRequest) -> str:
    kind = "" if request.storage == "SSD" else f" on {spell(request.storage)}"
    return f"{spell(request.deployment)}{kind}"
