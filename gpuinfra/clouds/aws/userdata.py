"""The start-up scripts of AWS machines, as plain text, for training and serving."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.agent import install as agent
from gpuinfra.clouds.aws.agent.install import AgentSettings
from gpuinfra.clouds.aws.script_host import Host, SharedFolder
from gpuinfra.clouds.startup import (
    DOCKER,
    JOB,
    ServerStart,
    TrainingStart,
    assignments,
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
from gpuinfra.records import record

FABRIC_ENVIRONMENT: Final[Mapping[str, str]] = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth"}
"""All that NCCL over EFA wants set: the interfaces that its bootstrap has to leave alone.

With libfabric 1.18 and aws-ofi-nccl 1.7 the older advice (FI_PROVIDER, FI_EFA_USE_DEVICE_RDMA,
NCCL_PROTO) is obsolete; aws-samples/awsome-distributed-training, efa-cheatsheet.md.
"""

XIDS: Final = (48, 64, 74, 79, 95, 119, 120, 140)
"""Errors of the driver after which a GPU has to be reset or replaced; others are the program's:
https://docs.nvidia.com/deploy/xid-errors/index.html"""

MAX_OBJECT_PARTS: Final = 10_000
"""Parts of an object, at most: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html"""
SMALLEST_PART: Final = 64 * 2**20
LARGEST_PART: Final = 5 * 2**30
"""Bytes of a part that Mountpoint writes: what serves checkpoints of up to 625 GiB, and what S3
takes."""

_STARTUP_FOLDER: Final = Path(__file__).parent / "startup"


@record
class ScriptSetup:
    """The settings of a training machine that are specific to AWS.

    Attributes:
        stack: the stack's name.
        host: the machine.
        checkpoint_size: bytes that a checkpoint has; None where it is not stated.
        shared: the file system to mount at `/shared`.
        interruptions: the agent that saves the run before its machine goes.
        preflight: whether the machine is examined before it joins.
        driver: the least driver that the job needs; empty for any.
        gpu_metrics: whether it sends what its GPUs do.
        exporter: whether Prometheus can ask for the same.
    """

    stack: str
    host: Host
    checkpoint_size: int | None = None
    shared: SharedFolder | None = None
    interruptions: AgentSettings | None = None
    preflight: bool = False
    driver: str = ""
    gpu_metrics: bool = False
    exporter: bool = False


def training_script(start: TrainingStart, setup: ScriptSetup) -> str:
    """Return the start-up script of one machine of a training run.

    It mounts the buckets, writes `/etc/gpuinfra/env` (`CHECKPOINT_DIR`, `DATA_DIR` and one
    `DATA_DIR_<BUCKET>` each, read by every login shell), and installs `gpuinfra-torchrun`, which
    gives `torchrun` its rendezvous at the machine with the lowest instance id, and
    `gpuinfra-docker-run`, which does the same for a container.
    """
    environment = {
        **training_environment(start, checkpoint_address(start)),
        "GPUINFRA_STACK": setup.stack,
    }
    if start.nodes > 1:
        environment |= FABRIC_ENVIRONMENT
    if setup.interruptions is not None:
        environment |= agent.ENVIRONMENT
    return script_of(
        [
            shell_part("base.sh"),
            environment_part(environment),
            *_storage(start, setup),
            shell_part("memlock.sh"),
            _part("limits.sh"),
            *([_part("hugepages.sh")] if setup.host.efa else []),
            _part("peers.sh"),
            shell_part("torchrun.sh"),
            _part("docker.sh"),
            *_watch(start, setup),
            *([] if setup.interruptions is None else agent.agent_parts(setup.interruptions)),
            *(_preflight(setup) if setup.preflight else []),
            *job_or_mounts(start),
        ]
    )


def server_script(start: ServerStart, *, targets: str = "") -> str:
    """Return the start-up script of a pool's machine: mounts, GPU metrics, container.

    `targets` is the ARN of the target group that a spot machine leaves before it is interrupted.
    """
    folders = data_folders(start.data)
    registry, region = ecr(start.image) or ("", "")
    parts = [
        shell_part("base.sh"),
        environment_part({"GPUINFRA_WORKLOAD": start.workload, **data_variables(folders)}),
        *mounting(_part("mounts.sh"), DOCKER, zip(folders, start.data, strict=True)),
    ]
    if start.gpu_metrics or start.gpu_errors:
        parts += _agent(metrics.pool_configuration(errors=start.gpu_errors))
    if start.gpu_errors:
        parts += _errors("")
    if start.exporter:
        parts += _exporter()
    if targets:
        parts += [file_part("/etc/gpuinfra/leave", assignments({"TARGETS": targets}))]
        parts += [_part("leave.sh")]
    started = mounts_started(start.data)
    return script_of(
        [
            *parts,
            *started,
            server_part(start, registry, REGISTRY_REGION=region),
            run_part(start, _part("server.sh")),
        ]
    )


def agent_configuration() -> dict[str, Any]:
    """Return the CloudWatch agent's configuration that a pool's machines start with."""
    return metrics.pool_configuration()


def checkpoint_address(start: TrainingStart) -> str:
    """Return the S3 address of checkpoints, for programs without a mount; empty for none."""
    checkpoints = start.checkpoints
    return "" if checkpoints is None else f"s3://{checkpoints.bucket}/{checkpoints.prefix}"


def part_size(checkpoint: int | None) -> int:
    """Return the part size in bytes that lets Mountpoint write a checkpoint as one object."""
    mebibytes = -(-(checkpoint or 0) // (MAX_OBJECT_PARTS * 2**20))
    return min(LARGEST_PART, max(SMALLEST_PART, mebibytes * 2**20))


def ecr(image: str) -> tuple[str, str] | None:
    """Return the Amazon ECR registry and region of an image; None for other registries.

    https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
    """
    match = re.match(r"([0-9]{12}\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?)/", image)
    return (match[1], match[2]) if match else None


def _storage(start: TrainingStart, setup: ScriptSetup) -> list[str]:
    """Return the script parts of the local disks, the buckets, and the shared file system."""
    local, shared = setup.host.local_disks, setup.shared
    parts = [_part("packages.sh")] if local or shared is not None else []
    parts += [_part("disks.sh")] if local else []
    mounts = training_mounts(start)
    if any(share.writable for _, share in mounts):
        parts.append(assignments({"WRITE_PART_SIZE": str(part_size(setup.checkpoint_size))}))
    parts += mounting(_part("mounts.sh"), JOB, mounts)
    if shared is not None:
        facts = {
            "LUSTRE_DNS": shared.dns_name,
            "LUSTRE_NAME": shared.mount_name,
            "LUSTRE_EFA": "yes" if shared.efa and setup.host.efa else "no",
        }
        parts += [assignments(facts), _part("shared.sh")]
    return parts


def _watch(start: TrainingStart, setup: ScriptSetup) -> list[str]:
    """Return the script parts that send GPU metrics; only NVIDIA's GPUs have such tools."""
    parts: list[str] = []
    if setup.host.accelerator != "nvidia":
        return parts
    if setup.gpu_metrics:
        parts += _agent(metrics.run_configuration(setup.stack, start.workload))
        parts += _errors(metrics.error_tags(setup.stack, start.workload))
    return [*parts, *_exporter()] if setup.exporter else parts


def _agent(configuration: Mapping[str, Any]) -> list[str]:
    text = json.dumps(configuration, indent=1)
    return [file_part("/etc/gpuinfra/cloudwatch-agent.json", f"{text}\n"), _part("agent.sh")]


def _errors(tags: str) -> list[str]:
    facts = {
        "XID_ERRORS": metrics.XID_ERRORS,
        "ECC_ERRORS": metrics.ECC_ERRORS,
        "ERRORS_PORT": str(metrics.ERRORS_PORT),
        "TAGS": tags,
    }
    return [file_part("/etc/gpuinfra/errors", assignments(facts)), _part("errors.sh")]


def _exporter() -> list[str]:
    facts = {"EXPORTER": metrics.EXPORTER, "EXPORTER_PORT": str(metrics.EXPORTER_PORT)}
    return [assignments(facts), _part("exporter.sh")]


def _preflight(setup: ScriptSetup) -> list[str]:
    host = setup.host
    facts = {
        "ACCELERATOR": host.accelerator,
        "DEVICES": str(host.gpus),
        "NVLINK": host.nvlink,
        "EFA": str(host.efa),
        "DRIVER": setup.driver,
        "XIDS": " ".join(str(xid) for xid in XIDS),
    }
    return [file_part("/etc/gpuinfra/preflight", assignments(facts)), _part("preflight.sh")]


def _part(name: str) -> str:
    return part_of(_STARTUP_FOLDER, name)
