"""The start-up scripts of Google Cloud machines, as plain text."""

import re
from pathlib import Path
from typing import Final

from gpuinfra.clouds.startup import (
    DOCKER,
    JOB,
    ServerStart,
    TrainingStart,
    data_folders,
    data_variables,
    environment_part,
    job_or_mounts,
    mounting,
    mounts_started,
    part_of,
    run_part,
    script_of,
    server_part,
    shell_part,
    training_environment,
    training_mounts,
)

UTILIZATION: Final = "agent.googleapis.com/gpu/utilization"
MEMORY_USED: Final = "agent.googleapis.com/gpu/memory/bytes_used"
"""What the Ops Agent emits by NVML where it finds a GPU, one series per GPU: percent, and bytes
with the label memory_state. GoogleCloudPlatform/ops-agent@588c4b9 apps/hostmetrics.go."""

MAX_SCRIPT: Final = 256 * 1024
"""Bytes of one metadata value, for example startup-script:
https://docs.cloud.google.com/compute/docs/metadata/setting-custom-metadata#limitations"""

_STARTUP_FOLDER: Final = Path(__file__).parent / "startup"


def training_script(start: TrainingStart, *, gib: bool = False) -> str:
    """Return the start-up script of a training machine; `gib` installs NCCL's RoCE plugin.

    It mounts the buckets, writes `/etc/gpuinfra/env` (`CHECKPOINT_DIR`, `DATA_DIR` and one
    `DATA_DIR_<BUCKET>` each, read by every login shell), and installs `gpuinfra-torchrun`, which
    gives `torchrun` its rendezvous at the group's first machine by name.
    """
    checkpoints = start.checkpoints
    address = f"gs://{checkpoints.bucket}/{checkpoints.prefix}" if checkpoints is not None else ""
    return script_of(
        [
            shell_part("base.sh"),
            _part("apt.sh"),
            environment_part(training_environment(start, address)),
            *mounting(_part("mounts.sh"), JOB, training_mounts(start)),
            shell_part("memlock.sh"),
            *([_part("gib.sh")] if gib else []),
            _part("peers.sh"),
            shell_part("torchrun.sh"),
            *([_part("service.sh")] if start.command is not None else []),
            *job_or_mounts(start),
        ]
    )


def server_script(start: ServerStart) -> str:
    """Return the start-up script of a pool's machine: mounts, GPU metrics, container."""
    folders = data_folders(start.data)
    return script_of(
        [
            shell_part("base.sh"),
            _part("apt.sh"),
            environment_part({"GPUINFRA_WORKLOAD": start.workload, **data_variables(folders)}),
            *mounting(_part("mounts.sh"), DOCKER, zip(folders, start.data, strict=True)),
            *([_part("agent.sh")] if start.gpu_metrics else []),
            *mounts_started(start.data),
            server_part(start, registry(start.image)),
            shell_part("access.sh"),
            run_part(start, _part("server.sh")),
        ]
    )


def registry(image: str) -> str | None:
    """Return the Artifact Registry host of an image; None for other registries.

    https://docs.cloud.google.com/artifact-registry/docs/docker/names
    """
    match = re.match(r"((?:[a-z0-9-]+-docker\.pkg\.dev)|(?:(?:[a-z]+\.)?gcr\.io))/", image)
    return match[1] if match else None


def _part(name: str) -> str:
    return part_of(_STARTUP_FOLDER, name)
