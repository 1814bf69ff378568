"""Judging a preview grows with its resources, not faster, and stays in a bounded memory."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import twins

SMALL, LARGE = 10_000, 100_000
LIMIT = 12.0
SECONDS = 25
MEMORY = 640


def previews_of_any_size() -> Iterator[tuple[str, float, float, str]]:
    """A cold check of 100,000 resources in terms of 10,000, of 25 s and of 640 MiB."""
    with tempfile.TemporaryDirectory() as folder:
        small, _, _ = measure(Path(folder), SMALL)
        large, mebibytes, written = measure(Path(folder), LARGE)
    details = f"{large:.1f} s / {small:.1f} s"
    yield f"check, preview of {LARGE:,} resources / {SMALL:,}", large / small, LIMIT, details
    yield f"check of {LARGE:,} resources / {SECONDS} s", large / SECONDS, 1.0, f"{large:.1f} s"
    name = f"memory of {LARGE:,} resources / {MEMORY} MiB"
    yield name, mebibytes / MEMORY, 1.0, f"{mebibytes:.0f} MiB for {written >> 20} MiB of JSON"


def measure(folder: Path, count: int) -> tuple[float, float, int]:
    """Seconds of the processor, peak MiB, and the bytes of the preview."""
    path = folder / f"{count}.json"
    if twins.preview(path, count) != count:
        raise AssertionError("the preview is of another size")
    command = [sys.executable, "-m", "gpuinfra.cli", "check", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 1:
        raise AssertionError(f"check ended with {process.returncode}, not with 1: violated")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, path.stat().st_size
