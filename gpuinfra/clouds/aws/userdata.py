"""The start-up scripts of AWS machines: plain text from plain values, for training and serving."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds.startup import (
    DOCKER,
    JOB,
    ServerStart,
    TrainingStart,
    data_folders,
    data_variables,
    environment_part,
    file_part,
    job_parts,
    mounting,
    part_of,
    script_of,
    server_part,
    shell_part,
    training_environment,
    training_mounts,
)

FABRIC_ENVIRONMENT: Final[Mapping[str, str]] = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth"}
"""All that NCCL over EFA wants set: the interfaces that its bootstrap has to leave alone.

With libfabric 1.18 and aws-ofi-nccl 1.7 the older advice (FI_PROVIDER, FI_EFA_USE_DEVICE_RDMA,
NCCL_PROTO) is obsolete; aws-samples/awsome-distributed-training, efa-cheatsheet.md.
"""

_PARTS: Final = Path(__file__).parent / "startup"


def training_script(start: TrainingStart) -> str:
    """The start-up script of one machine of a training run.

    It mounts the buckets, writes `/etc/gpuinfra/env` (`CHECKPOINT_DIR`, `DATA_DIR` and one
    `DATA_DIR_<BUCKET>` each, read by every login shell), and installs `gpuinfra-torchrun`, which
    gives `torchrun` its rendezvous at the machine with the lowest instance id.
    """
    kept = start.checkpoints
    address = f"s3://{kept.bucket}/{kept.prefix}" if kept is not None else ""
    environment = training_environment(start, address)
    if start.nodes > 1:
        environment |= FABRIC_ENVIRONMENT
    return script_of(
        [
            shell_part("base.sh"),
            environment_part(environment),
            *mounting(_part("mounts.sh"), JOB, training_mounts(start)),
            shell_part("memlock.sh"),
            _part("peers.sh"),
            shell_part("torchrun.sh"),
            *job_parts(start.command),
        ]
    )


def server_script(start: ServerStart) -> str:
    """The start-up script of one machine of an inference pool: mounts, GPU metrics, container."""
    folders = data_folders(start.data)
    registry = ecr(start.image)
    facts = {
        "IMAGE": start.image,
        "PORT": str(start.port),
        "REGISTRY": registry[0] if registry else "",
        "REGISTRY_REGION": registry[1] if registry else "",
    }
    parts = [
        shell_part("base.sh"),
        environment_part({"GPUINFRA_WORKLOAD": start.workload, **data_variables(folders)}),
        *mounting(_part("mounts.sh"), DOCKER, zip(folders, start.data, strict=True)),
    ]
    if start.gpu_metrics:
        agent = json.dumps(agent_configuration(), indent=1)
        parts += [
            file_part("/etc/gpuinfra/cloudwatch-agent.json", f"{agent}\n"),
            _part("agent.sh"),
        ]
    return script_of([*parts, server_part(start, facts), _part("server.sh")])


def agent_configuration() -> dict[str, Any]:
    """The CloudWatch agent's configuration that a pool's machines start with."""
    configuration: dict[str, Any] = json.loads(_part("cloudwatch-agent.json"))
    return configuration


def ecr(image: str) -> tuple[str, str] | None:
    """The Amazon ECR registry and region that an image comes from, if it does.

    https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
    """
    match = re.match(r"([0-9]{12}\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?)/", image)
    return (match[1], match[2]) if match else None


def _part(name: str) -> str:
    return part_of(_PARTS, name)
