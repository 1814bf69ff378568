"""Start-up scripts of a training run and of a pool, and how one runs without a machine."""

import gzip
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path

from gpuinfra.clouds.startup import BucketMount, ServerStart, TrainingStart

GZIP = b"\x1f\x8b"
FOLDERS = ("etc/systemd/system", "etc/profile.d", "etc/security/limits.d", "usr/local/bin")


def unpacked(data: bytes) -> bytes:
    """User data as cloud-init reads it."""
    return gzip.decompress(data) if data.startswith(GZIP) else data


def cluster(region: str, bucket: str, environment: Mapping[str, str]) -> TrainingStart:
    return TrainingStart(
        workload="trainer",
        region=region,
        nodes=4,
        gpus=8,
        data=(BucketMount(name="data", bucket=bucket, prefix="tokens/"),),
        checkpoints=BucketMount(name="data", bucket=bucket, prefix="checkpoints/", writable=True),
        every=timedelta(minutes=10),
        command="gpuinfra-torchrun train.py --epochs 3\n",
        environment=environment,
    )


def pool(bucket: str) -> ServerStart:
    return ServerStart(
        workload="chat",
        image="vllm/vllm-openai:v0.11.0",
        port=8000,
        gpu_metrics=True,
        data=(BucketMount(name="data", bucket=bucket, prefix="tokens/"),),
    )


def private_pool(image: str) -> ServerStart:
    return ServerStart(workload="chat", image=image, port=9000, gpu_metrics=False)


def program(root: Path, name: str, text: str) -> None:
    """Write a stand-in for a program of the system."""
    path = root / "programs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def noted(root: Path, name: str) -> str:
    """The line of a stand-in that notes how it is called."""
    return f'echo {name} "$@" >>{root / "calls"}\n'


def folders(root: Path, names: Iterable[str]) -> None:
    for name in names:
        (root / name).mkdir(parents=True, exist_ok=True)


def run(script: str, root: Path, **variables: str) -> str:
    """Run a script whose paths are of the folder, and return what it called."""
    here = script.replace("/usr/local/bin/gpuinfra", f"{root}/usr/local/bin/gpuinfra")
    here = here.replace("mkdir -p", "true")
    call(["bash", "-c", here], root, **variables)
    calls = root / "calls"
    return calls.read_text() if calls.exists() else ""


def call(
    words: list[str | Path], root: Path, *, check: bool = True, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Call something by the programs of the folder."""
    return subprocess.run(
        words,
        env={"PATH": f"{root}/programs:/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        check=check,
        timeout=30,
    )


def launched(launcher: Path, root: Path) -> str:
    """What a mount's launcher calls."""
    calls = root / "calls"
    calls.write_text("")
    call([launcher], root)
    (line,) = calls.read_text().splitlines()
    return line


def launchers(root: Path) -> dict[str, str]:
    """What each mount's launcher calls, by the mount's name, after the script has run."""
    scripts = sorted((root / "etc/gpuinfra").glob("gpuinfra-mount-*"))
    return {script.name: launched(script, root) for script in scripts}


def environment(root: Path) -> set[str]:
    """What a shell reads of the environment, after the script has run."""
    shown = call(["bash", "-c", f"set -a; . {root}/etc/gpuinfra/env; env"], root)
    return set(shown.stdout.splitlines())


def torchrun(root: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What gpuinfra-torchrun does, after the script has run."""
    program(root, "torchrun", 'echo "$MASTER_ADDR $MASTER_PORT $@"\n')
    for name in ("gpuinfra-peers", "gpuinfra-torchrun"):
        shutil.copy(root / "usr/local/bin" / name, root / "programs")
    started = root / "programs" / "gpuinfra-torchrun"
    return call([started, "train.py", *words], root, check=False, **variables)
