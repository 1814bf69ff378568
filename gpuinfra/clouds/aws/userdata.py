"""The start-up scripts of AWS machines: plain text from plain values, for training and serving."""

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

FABRIC_ENVIRONMENT: Final[Mapping[str, str]] = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth"}
"""All that NCCL over EFA wants set: the interfaces that its bootstrap has to leave alone.

With libfabric 1.18 and aws-ofi-nccl 1.7 the older advice (FI_PROVIDER, FI_EFA_USE_DEVICE_RDMA,
NCCL_PROTO) is obsolete; aws-samples/awsome-distributed-training, efa-cheatsheet.md.
"""

JOB: Final = "gpuinfra-job.service"
DOCKER: Final = "docker.service"
"""The services that read the mounts, and so start after them and not without them."""

CHECKPOINTS: Final = "/checkpoints"
DATA: Final = "/data"

_PARTS: Final = Path(__file__).parent / "startup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A part of a bucket that a machine sees as a folder; `bucket` is its physical name."""

    name: str
    bucket: str
    prefix: str = ""
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStart:
    """What a training machine has to know when it starts.

    `environment` is what NCCL wants set on machines of its family.
    """

    workload: str
    region: str
    nodes: int
    gpus: int
    data: tuple[Share, ...] = ()
    checkpoints: Share | None = None
    every: timedelta | None = None
    command: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStart:
    """What a serving machine has to know when it starts; `gpu_metrics` starts the agent."""

    workload: str
    image: str
    port: int
    gpu_metrics: bool
    data: tuple[Share, ...] = ()


def training_script(start: TrainingStart) -> str:
    """The start-up script of one machine of a training run.

    It mounts the buckets, writes `/etc/gpuinfra/env` (`CHECKPOINT_DIR`, `DATA_DIR` and one
    `DATA_DIR_<BUCKET>` each, read by every login shell), and installs `gpuinfra-torchrun`, which
    gives `torchrun` its rendezvous at the machine with the lowest instance id.
    """
    folders = data_folders(start.data)
    mounts = [(folder, share) for folder, share in zip(folders, start.data, strict=True)]
    environment = {
        "GPUINFRA_WORKLOAD": start.workload,
        "GPUINFRA_REGION": start.region,
        "GPUINFRA_NODES": str(start.nodes),
        "GPUINFRA_GPUS": str(start.gpus),
        **start.environment,
        **_data_variables(folders),
    }
    if start.checkpoints is not None:
        mounts.append((CHECKPOINTS, start.checkpoints))
        environment["CHECKPOINT_DIR"] = CHECKPOINTS
        environment["CHECKPOINT_URI"] = (
            f"s3://{start.checkpoints.bucket}/{start.checkpoints.prefix}"
        )
    if start.every is not None:
        environment["CHECKPOINT_EVERY_SECONDS"] = f"{start.every.total_seconds():.0f}"
    if start.nodes > 1:
        environment |= FABRIC_ENVIRONMENT
    parts = [
        _part("base.sh"),
        _environment(environment),
        *_mounting(JOB, mounts),
        _part("training.sh"),
    ]
    if start.command is not None:
        parts += [_file("/etc/gpuinfra/command", f"{start.command}\n"), _part("job.sh")]
    return _script(parts)


def server_script(start: ServerStart) -> str:
    """The start-up script of one machine of an inference pool: mounts, GPU metrics, container."""
    folders = data_folders(start.data)
    variables = _data_variables(folders)
    registry = ecr(start.image)
    writes = any(share.writable for share in start.data)
    options = [f"--volume={DATA}:{DATA}:{'' if writes else 'ro,'}rslave"] if folders else []
    options += [f"--env={name}={value}" for name, value in variables.items()]
    facts = {
        "IMAGE": start.image,
        "PORT": str(start.port),
        "REGISTRY": registry[0] if registry else "",
        "REGISTRY_REGION": registry[1] if registry else "",
    }
    parts = [
        _part("base.sh"),
        _environment({"GPUINFRA_WORKLOAD": start.workload, **variables}),
        *_mounting(DOCKER, zip(folders, start.data, strict=True)),
    ]
    if start.gpu_metrics:
        agent = json.dumps(agent_configuration(), indent=1)
        parts += [_file("/etc/gpuinfra/cloudwatch-agent.json", f"{agent}\n"), _part("agent.sh")]
    assignments = [f"{name}={shlex.quote(value)}" for name, value in facts.items()]
    quoted = " ".join(f'"{option}"' for option in options)  # plain folders, names and flags
    assignments.append(f"OPTIONS=({quoted})")
    parts += ["\n".join(assignments) + "\n", _part("server.sh")]
    return _script(parts)


def agent_configuration() -> dict[str, Any]:
    """The CloudWatch agent's configuration that a pool's machines start with."""
    configuration: dict[str, Any] = json.loads(_part("cloudwatch-agent.json"))
    return configuration


def data_folders(shares: Sequence[Share]) -> tuple[str, ...]:
    """Where each share is seen: a folder of its own, since S3 mounts can't stand in each other."""
    folders: list[str] = []
    for share in shares:
        slug = re.sub(r"[^a-z0-9]+", "-", f"{share.name}-{share.prefix}".lower()).strip("-")
        folder, count = f"{DATA}/{slug}", 1
        while folder in folders:
            count += 1
            folder = f"{DATA}/{slug}-{count}"
        folders.append(folder)
    return tuple(folders)


def ecr(image: str) -> tuple[str, str] | None:
    """The Amazon ECR registry and region that an image comes from, if it does.

    https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
    """
    match = re.match(r"([0-9]{12}\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?)/", image)
    return (match[1], match[2]) if match else None


def _data_variables(folders: Sequence[str]) -> dict[str, str]:
    """`DATA_DIR`, the first folder, and a variable for each."""
    named = {
        f"DATA_DIR_{re.sub('[^A-Z0-9]', '_', folder.removeprefix(f'{DATA}/').upper())}": folder
        for folder in folders
    }
    return {"DATA_DIR": folders[0], **named} if folders else {}


def _mounting(reader: str, mounts: Iterable[tuple[str, Share]]) -> list[str]:
    """The part that mounts buckets before the service that reads them; nothing for none."""
    calls = [
        shlex.join(
            [
                "mount_bucket",
                folder,
                share.bucket,
                share.prefix,
                "write" if share.writable else "read",
            ]
        )
        for folder, share in mounts
    ]
    return [_part("mounts.sh"), "\n".join([f"reader={reader}", *calls]) + "\n"] if calls else []


def _environment(values: Mapping[str, str]) -> str:
    """The part that writes the environment, for services and for login shells."""
    lines = "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items())
    profile = "set -a\n. /etc/gpuinfra/env\nset +a\n"
    return "\n".join(
        [_file("/etc/gpuinfra/env", lines), _file("/etc/profile.d/gpuinfra.sh", profile)]
    )


def _file(path: str, text: str) -> str:
    """A here-document that writes a file as it is; its end mark is no line of the text."""
    mark, lines = "END", text.splitlines()
    while mark in lines:
        mark += "_"
    return f"cat >{path} <<'{mark}'\n{text}{mark}\n"


@cache
def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _script(parts: Sequence[str]) -> str:
    """The parts as one script, ended by the mark that it went through."""
    return "\n".join([*parts, "touch /var/lib/gpuinfra/started\n"])
