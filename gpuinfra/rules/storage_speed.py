"""A parallel file system is fast enough for the GPUs that read from it."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.model import FileSystem, Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    Setting,
    each_file_system,
    fine,
    not_knowable,
    violated,
)

GPU_READ_SPEED: Final = 58
"""The required read throughput per GPU, in MB/s, while datasets fit into the machines' caches: 15
GB/s for the 256 GPUs of a scalable unit, which NVIDIA calls good; 40 GB/s (156 each) is better,
125 GB/s (488) best. DGX SuperPOD with DGX H100, reference architecture, table 6, read on
2026-11-21 in a public copy:
https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-h100/latest/storage-architecture.html
"""


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare every file system with the GPUs that use it."""
    groups = {group.name: group for group in rule_input.plan.groups}
    need = Decimal(settings["mb_per_gpu"])
    return each_file_system(
        rule_input, lambda files: _judge(rule_input, files, groups.get(files.group or ""), need)
    )


def _judge(
    rule_input: RuleInput, files: FileSystem, group: Group | None, gpu_rate: Decimal
) -> Finding:
    speed = files.throughput_mbs
    if group is None:
        return not_knowable(files.subject, "the machines that mount it are unknown")
    gpus = _gpus(rule_input, group)
    if speed is None or gpus is None or isinstance(speed, Unknown):
        return not_knowable(files.subject, "its throughput or its machines are unknown")
    need = gpu_rate * gpus
    statement = (
        f"it delivers {speed:,.0f} MB/s; {gpus:,.0f} GPUs need {need:,.0f} at {gpu_rate:f} each"
    )
    return fine(files.subject, statement) if speed >= need else violated(files.subject, statement)


def _gpus(rule_input: RuleInput, group: Group) -> Decimal | None:
    """Return the GPUs of a group at its maximum size; None if its machines are unknown."""
    gpus_per_machine = rule_input.gpus_each(group)
    return (
        None
        if gpus_per_machine is None or isinstance(group.maximum, Unknown)
        else gpus_per_machine * group.maximum
    )


RULE = Rule(
    id="storage-speed",
    family="hygiene",
    title="Parallel file systems are fast enough for their GPUs",
    why="GPUs that wait for data are billed like GPUs that work.",
    fix="use a larger file system or a higher throughput, or set the rate that the GPUs need",
    source="https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-h100/latest/storage-architecture.html",
    check=check,
    level="advisory",
    settings=(
        Setting(
            name="mb_per_gpu",
            kind="whole",
            default=GPU_READ_SPEED,
            why='MB/s per GPU; the default is NVIDIA\'s "good" for a DGX SuperPOD with H100.',
        ),
    ),
)
