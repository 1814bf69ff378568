"""The sizes, tiers and options that FSx for Lustre allows, and their checks.

Source: CreateFileSystem and CreateFileSystemLustreConfiguration of the FSx API reference
(docs.aws.amazon.com/fsx/latest/APIReference), read August 2026.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_validation import Failure

_INTELLIGENT_TIERING = "INTELLIGENT_TIERING"
_FIRST_SIZE = 1200
_IOPS = (1500, 3000, 6000, *range(12_000, 192_001, 12_000))
_TIERED_STEP = 4000


@dataclass(frozen=True, slots=True)
class _Kind:
    """A deployment type on one kind of disk.

    Attributes:
        small: sizes below the step, in GiB.
        step: GiB; each multiple is a size. For HDD by its throughput tier.
        tiers: MB/s per TiB to choose from; empty where there is no choice.
    """

    small: tuple[int, ...]
    step: Mapping[int, int]
    tiers: tuple[int, ...] = ()


_ANY_TIER = 0
_SSD_STEP = {_ANY_TIER: 2400}
_KINDS: Mapping[tuple[str, str], _Kind] = {
    ("SCRATCH_1", "SSD"): _Kind((_FIRST_SIZE, 2400), {_ANY_TIER: 3600}),
    ("SCRATCH_2", "SSD"): _Kind((_FIRST_SIZE,), _SSD_STEP),
    ("PERSISTENT_1", "SSD"): _Kind((_FIRST_SIZE,), _SSD_STEP, (50, 100, 200)),
    ("PERSISTENT_1", "HDD"): _Kind((), {12: 6000, 40: 1800}, (12, 40)),
    ("PERSISTENT_2", "SSD"): _Kind((_FIRST_SIZE,), _SSD_STEP, (125, 250, 500, 1000)),
}
# Inputs that only these deployment types have.
_DEPLOYMENTS_BY_INPUT: Mapping[str, tuple[str, ...]] = {
    "kmsKeyId": ("PERSISTENT_1", "PERSISTENT_2"),
    "automaticBackupRetentionDays": ("PERSISTENT_1", "PERSISTENT_2"),
    "importPath": ("SCRATCH_1", "SCRATCH_2", "PERSISTENT_1"),
    "exportPath": ("SCRATCH_1", "SCRATCH_2", "PERSISTENT_1"),
    "metadataConfiguration": ("PERSISTENT_2",),
    "efaEnabled": ("PERSISTENT_2",),
}


def problems(inputs: Inputs) -> Iterator[Failure]:
    """Yield the problems of sizes, tiers and options; unknown values are allowed."""
    deployment = inputs.get("deploymentType", "SCRATCH_1")
    disk = inputs.get("storageType", "SSD")
    if not isinstance(deployment, str) or not isinstance(disk, str):
        return
    for key, kinds in _DEPLOYMENTS_BY_INPUT.items():
        if inputs.get(key) and deployment not in kinds:
            yield Failure(
                key, f"{key} is not supported for {deployment}: {_comma_list(kinds)} only"
            )
    if disk == _INTELLIGENT_TIERING:
        yield from _tiering_failures(deployment, inputs)
    else:
        yield from _size_failures(deployment, disk, inputs)
    yield from _metadata(inputs)
    if inputs.get("efaEnabled") is True and inputs.get("metadataConfiguration") is None:
        yield Failure("efaEnabled", "an EFA-enabled file system needs metadataConfiguration")


def _size_failures(deployment: str, disk: str, inputs: Inputs) -> Iterator[Failure]:
    kind = _KINDS.get((deployment, disk))
    if kind is None:
        fits = [each for type_, each in _KINDS if type_ == deployment]
        yield Failure("storageType", f"{deployment} takes {_comma_list(fits)}, not {disk}")
        return
    if disk == "HDD" and not inputs.get("driveCacheType"):
        yield Failure("driveCacheType", "HDD needs driveCacheType: NONE or READ")
    tier, size = inputs.get("perUnitStorageThroughput"), inputs.get("storageCapacity")
    if tier is None and kind.tiers:
        message = f"{deployment} needs perUnitStorageThroughput: {_comma_list(kind.tiers)}"
        yield Failure("perUnitStorageThroughput", message)
    elif isinstance(tier, int) and tier not in kind.tiers:
        allowed = _comma_list(kind.tiers) or "none"
        message = f"perUnitStorageThroughput of {tier} for {deployment} on {disk}: {allowed}"
        yield Failure("perUnitStorageThroughput", message)
        return
    if size is None and not inputs.get("backupId"):
        yield Failure("storageCapacity", "missing required property 'storageCapacity'")
    step = kind.step.get(tier if isinstance(tier, int) else _ANY_TIER, kind.step.get(_ANY_TIER))
    if not isinstance(size, int) or step is None or size in kind.small:
        return
    if size <= 0 or size % step:
        sizes = _comma_list([*kind.small, f"a multiple of {step}"])
        yield Failure("storageCapacity", f"storageCapacity of {size} GiB: {sizes}")


def _tiering_failures(deployment: str, inputs: Inputs) -> Iterator[Failure]:
    if deployment != "PERSISTENT_2":
        yield Failure(
            "storageType", f"{_INTELLIGENT_TIERING} needs PERSISTENT_2, not {deployment}"
        )
    for key in ("storageCapacity", "perUnitStorageThroughput"):
        if inputs.get(key) is not None:
            yield Failure(key, f"{key} must not be set for {_INTELLIGENT_TIERING}")
    for key in ("throughputCapacity", "dataReadCacheConfiguration", "metadataConfiguration"):
        if inputs.get(key) is None:
            yield Failure(key, f"missing required property '{key}' for {_INTELLIGENT_TIERING}")
    rate = inputs.get("throughputCapacity")
    if isinstance(rate, int) and (rate <= 0 or rate % _TIERED_STEP):
        message = f"throughputCapacity of {rate} MB/s is not a multiple of {_TIERED_STEP}"
        yield Failure("throughputCapacity", message)


def _metadata(inputs: Inputs) -> Iterator[Failure]:
    metadata = inputs.get("metadataConfiguration")
    if not isinstance(metadata, Mapping):
        return
    iops, mode = metadata.get("iops"), metadata.get("mode", "AUTOMATIC")
    path = "metadataConfiguration.iops"
    if mode == "USER_PROVISIONED" and iops is None:
        yield Failure(path, f"USER_PROVISIONED needs iops: {_comma_list(_IOPS)}")
    elif mode == "AUTOMATIC" and iops is not None:
        yield Failure(path, "iops requires mode USER_PROVISIONED")
    elif isinstance(iops, int) and iops not in _IOPS:
        yield Failure(path, f"metadata iops of {iops}: {_comma_list(_IOPS)}")


def _comma_list(values: Any) -> str:
    return ", ".join(str(value) for value in values)
