"""The parameters and the common parts of the start-up scripts of all clouds."""

import hashlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Mount, ScaleOn, Training


JOB: Final = "gpuinfra-job.service"
DOCKER: Final = "docker.service"
"""The services that read the mounts, and so start after them and not without them."""

CHECKPOINT_FOLDER: Final = "/checkpoints"
DATA_FOLDER: Final = "/data"

MOST_GPUS: Final = 99
LONGEST_BUCKET: Final = 63
"""Characters of a bucket's name, at most, on every cloud."""

_SHELL: Final = Path(__file__).parent / "shell"


@record
class BucketMount:
    """A part of a bucket that a machine sees as a folder; `bucket` is its physical name."""

    name: str
    bucket: str
    prefix: str = ""
    writable: bool = False


@record
class TrainingStart:
    """The start-up parameters of a training machine.

    `environment` is what NCCL wants set on machines of its family.
    """

    workload: str
    region: str
    nodes: int
    gpus: int
    data: tuple[BucketMount, ...] = ()
    checkpoints: BucketMount | None = None
    every: timedelta | None = None
    command: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@record
class ServerStart:
    """The start-up parameters of a serving machine.

    `gpu_metrics` starts the agent, `gpu_errors` has it count errors too, and `exporter` answers
    Prometheus. `environment` is what the container is told beside its data, `args` what stands
    behind its image; without them it starts as the image says.
    """

    workload: str
    image: str
    port: int
    gpu_metrics: bool
    data: tuple[BucketMount, ...] = ()
    gpu_errors: bool = False
    exporter: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()


def training_start(
    name: str,
    region: str,
    workload: "Training",
    mounts: tuple[BucketMount, ...],
    *,
    gpus: int,
    environment: Mapping[str, str],
) -> TrainingStart:
    """Return the start-up settings of a training workload; its last share is for checkpoints."""
    checkpoints = workload.checkpoints
    return TrainingStart(
        workload=name,
        region=region,
        nodes=workload.nodes,
        gpus=gpus,
        data=mounts if checkpoints is None else mounts[:-1],
        checkpoints=None if checkpoints is None else mounts[-1],
        every=None if checkpoints is None else checkpoints.every,
        command=workload.command,
        environment=environment,
    )


def server_start(
    name: str, workload: "Inference", mounts: tuple[BucketMount, ...], image: str = ""
) -> ServerStart:
    """Return the start-up settings of a pool; the agent runs if the pool scales on its metrics.

    `image` is the container where it is another text than the workload's.
    """
    return ServerStart(
        workload=name,
        image=image or workload.image,
        port=workload.port,
        gpu_metrics=uses_gpu_metrics(workload.scale_on),
        data=mounts,
        args=workload.args or (),
    )


def uses_gpu_metrics(scale_on: "ScaleOn") -> bool:
    """Return whether the agent on the machines measures the scaling metric."""
    return scale_on.gpu_utilization is not None or scale_on.gpu_memory is not None


def training_environment(start: TrainingStart, address: str) -> dict[str, str]:
    """Return a training machine's variables; `address` is the URL of its checkpoints."""
    folders = data_folders(start.data)
    values = {
        "GPUINFRA_WORKLOAD": start.workload,
        "GPUINFRA_REGION": start.region,
        "GPUINFRA_NODES": str(start.nodes),
        "GPUINFRA_GPUS": str(start.gpus),
        **start.environment,
        **data_variables(folders),
    }
    if start.checkpoints is not None:
        values["CHECKPOINT_DIR"] = CHECKPOINT_FOLDER
        values["CHECKPOINT_URI"] = address
    if start.every is not None:
        values["CHECKPOINT_EVERY_SECONDS"] = f"{start.every.total_seconds():.0f}"
    return values


def training_mounts(start: TrainingStart) -> list[tuple[str, BucketMount]]:
    """Return the folders of a training machine, each with its share; checkpoints last."""
    mounts = list(zip(data_folders(start.data), start.data, strict=True))
    if start.checkpoints is not None:
        mounts.append((CHECKPOINT_FOLDER, start.checkpoints))
    return mounts


def data_folders(mounts: Sequence[BucketMount]) -> tuple[str, ...]:
    """Return where each share is seen: a folder of its own, as such mounts can't be nested."""
    folders: list[str] = []
    for share in mounts:
        slug = re.sub(r"[^a-z0-9]+", "-", f"{share.name}-{share.prefix}".lower()).strip("-")
        folder, count = f"{DATA_FOLDER}/{slug}", 1
        while folder in folders:
            count += 1
            folder = f"{DATA_FOLDER}/{slug}-{count}"
        folders.append(folder)
    return tuple(folders)


def data_variables(folders: Sequence[str]) -> dict[str, str]:
    """Return `DATA_DIR`, the first folder, and a variable for each folder."""
    variables = {
        f"DATA_DIR_{re.sub('[^A-Z0-9]', '_', Path(folder).name.upper())}": folder
        for folder in folders
    }
    return {"DATA_DIR": folders[0], **variables} if folders else {}


def mounting(part: str, reader: str, mounts: Iterable[tuple[str, BucketMount]]) -> list[str]:
    """Return the parts that write the mounts of buckets, before the service that reads them.

    A job starts its mounts; for others `mounts_started` does. There is nothing for no mounts.

    Args:
        part: the cloud's own, which defines `mount_bucket FOLDER BUCKET PREFIX read|write` on the
            shared `mount_service`.
        reader: the service.
        mounts: folders and their shares.
    """
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
    if not calls:
        return []
    return [shell_part("mount.sh"), part, "\n".join([f"reader={reader}", *calls]) + "\n"]


def mounts_started(mounts: Iterable[BucketMount | None]) -> list[str]:
    """Return the part that starts the mounts, where no unit of ours does; nothing for none."""
    return [shell_part("mounted.sh")] if any(mounts) else []


def server_part(start: ServerStart, registry: str | None, **facts: str) -> str:
    """Return the variables of the part that runs a container, of `registry` or of any other."""
    facts = {"IMAGE": start.image, "PORT": str(start.port), "REGISTRY": registry or "", **facts}
    folders = data_folders(start.data)
    writes_data = any(share.writable for share in start.data)
    volume = f"--volume={DATA_FOLDER}:{DATA_FOLDER}:{'' if writes_data else 'ro,'}rslave"
    options = [volume] if folders else []
    environment = {**data_variables(folders), **start.environment}
    options += [f"--env={name}={value}" for name, value in environment.items()]
    quoted = " ".join(f'"{option}"' for option in options)  # plain folders, names and addresses
    arguments = f"ARGS=({shlex.join(start.args)})\n" if start.args else ""
    return f"{assignments(facts)}OPTIONS=({quoted})\n{arguments}"


def run_part(start: ServerStart, run_lines: str) -> str:
    """Return the part that ends with `docker run`'s image, and its arguments, if any."""
    return run_lines.rstrip("\n") + ' "${ARGS[@]}"\n' if start.args else run_lines


def assignments(facts: Mapping[str, str]) -> str:
    """Return variables that the following parts read."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in facts.items())


def environment_part(values: Mapping[str, str]) -> str:
    """Return the part that writes the environment, for services and for login shells."""
    lines = assignments(values)
    profile = "set -a\n. /etc/gpuinfra/env\nset +a\n"
    return "\n".join(
        [
            file_part("/etc/gpuinfra/env", lines),
            file_part("/etc/profile.d/gpuinfra.sh", profile),
        ]
    )


def job_parts(command: str | None) -> list[str]:
    """Return the parts that run the job; nothing without a command."""
    if command is None:
        return []
    return [file_part("/etc/gpuinfra/command", f"{command}\n"), shell_part("job.sh")]


def job_or_mounts(start: TrainingStart) -> list[str]:
    """Return the parts that run the job and its mounts, or the mounts alone without a job."""
    if start.command is not None:
        return job_parts(start.command)
    return mounts_started([*start.data, start.checkpoints])


def file_part(path: str, text: str) -> str:
    """Return a here-document that writes a file; its end mark is no line of the text."""
    mark, lines = "END", text.splitlines()
    while mark in lines:
        mark += "_"
    return f"cat >{path} <<'{mark}'\n{text}{mark}\n"


def shell_part(name: str) -> str:
    """Return a shell part that all clouds share."""
    return part_of(_SHELL, name)


@cache
def part_of(folder: Path, name: str) -> str:
    """Return a shell part of a folder."""
    return (folder / name).read_text(encoding="utf-8")


def script_of(parts: Sequence[str]) -> str:
    """Return the parts as one script that ends with the mark of its success."""
    return "\n".join([*parts, "touch /var/lib/gpuinfra/started\n"])


def stand_ins(data: Iterable["Mount"], length: int = LONGEST_BUCKET) -> list[BucketMount]:
    """Return placeholder bucket mounts with names of `length` characters."""
    return [stand_in(mount.bucket, mount.prefix, mount.mode == "write", length) for mount in data]


def every_stand_in(workload: "Training", length: int = LONGEST_BUCKET) -> tuple[BucketMount, ...]:
    """Return placeholders for all mounts of a training workload; checkpoints come last."""
    mounts = stand_ins(workload.data, length)
    if workload.checkpoints is not None:
        checkpoints = workload.checkpoints
        mounts.append(stand_in(checkpoints.bucket, checkpoints.prefix, True, length))
    return tuple(mounts)


def stand_in(name: str, prefix: str, writable: bool, length: int = LONGEST_BUCKET) -> BucketMount:
    """Return a placeholder bucket mount with a name of `length` characters."""
    bucket = hashlib.sha512(name.encode()).hexdigest()[:length]
    return BucketMount(name=name, bucket=bucket, prefix=prefix, writable=writable)
