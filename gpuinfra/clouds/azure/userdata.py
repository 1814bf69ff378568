"""The start-up scripts of Azure machines, as plain text, for training and serving.

They are the custom data that cloud-init runs. What the HPC image does for InfiniBand stays its
own: at every boot it writes /etc/nccl.conf with the topology file of the machine's size
(Azure/azhpc-images, components/setup_sku_customizations.sh).
"""

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
    file_part,
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

AGENT: Final = "/etc/gpuinfra/agent.py"
IDENTITY: Final = "/etc/gpuinfra/identity"

METRIC_NAMESPACE: Final = "gpuinfra"
GPU_UTILIZATION: Final = "gpu_utilization"
GPU_MEMORY: Final = "gpu_memory"
"""What the machines push to their scale set each minute, in percent, over all of their GPUs."""

_PACKAGE_FOLDER: Final = Path(__file__).parent
_STARTUP_FOLDER: Final = _PACKAGE_FOLDER / "startup"


def training_script(start: TrainingStart, client: str) -> str:
    """Return the start-up script of a training machine; `client` is its identity's id.

    It mounts the buckets, writes `/etc/gpuinfra/env` (`CHECKPOINT_DIR`, `DATA_DIR` and one
    `DATA_DIR_<BUCKET>` each, read by every login shell), and installs `gpuinfra-torchrun`, which
    gives `torchrun` its rendezvous at the machine with the lowest instance id. Before a machine is
    taken away the job is ended and what it wrote is flushed.
    """
    checkpoints = start.checkpoints
    address = (
        blob_address(checkpoints.bucket, checkpoints.prefix) if checkpoints is not None else ""
    )
    return script_of(
        [
            shell_part("base.sh"),
            environment_part({**training_environment(start, address), "GPUINFRA_READER": JOB}),
            *_agent(client),
            *mounting(_part("mounts.sh"), JOB, training_mounts(start)),
            shell_part("memlock.sh"),
            _part("peers.sh"),
            shell_part("torchrun.sh"),
            _part("leave.sh"),
            *([] if start.command is None else [_part("job.sh")]),
            *job_or_mounts(start),
        ]
    )


def server_script(start: ServerStart, client: str) -> str:
    """Return the start-up script of a pool's machine: mounts, GPU metrics, container.

    `client` is its identity's id.
    """
    folders = data_folders(start.data)
    environment = {
        "GPUINFRA_WORKLOAD": start.workload,
        "GPUINFRA_READER": DOCKER,
        **data_variables(folders),
    }
    return script_of(
        [
            shell_part("base.sh"),
            environment_part(environment),
            *_agent(client),
            *mounting(_part("mounts.sh"), DOCKER, zip(folders, start.data, strict=True)),
            *(_metrics() if start.gpu_metrics else []),
            _part("leave.sh"),
            *mounts_started(start.data),
            server_part(start, registry(start.image)),
            shell_part("access.sh"),
            run_part(start, _part("server.sh")),
        ]
    )


def blob_address(bucket: str, prefix: str) -> str:
    """Return the URL of a part of a bucket (account/container), for programs without a mount."""
    account, _, container = bucket.partition("/")
    return f"https://{account}.blob.core.windows.net/{container}/{prefix}"


def registry(image: str) -> str | None:
    """Return the Azure container registry of an image; None for other registries.

    https://learn.microsoft.com/azure/container-registry/container-registry-concepts
    """
    match = re.match(r"([a-z0-9][a-z0-9-]{4,}\.azurecr\.(?:io|cn|us))/", image)
    return match[1] if match else None


def _metrics() -> list[str]:
    names = f"METRICS=({METRIC_NAMESPACE} {GPU_UTILIZATION} {GPU_MEMORY})\n"
    return [names, _part("metrics.sh")]


def _agent(client: str) -> list[str]:
    return [
        file_part(IDENTITY, f"{client}\n"),
        file_part(AGENT, part_of(_PACKAGE_FOLDER, "agent.py")),
        _part("service.sh"),
    ]


def _part(name: str) -> str:
    return part_of(_STARTUP_FOLDER, name)
