import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest

from gpuinfra.lock.text import write
from tests.lock.conftest import STACKS, made

ELSEWHERE = [
    {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1"},
    {"LANG": "C", "LC_ALL": "C", "TZ": "America/Los_Angeles", "PYTHONHASHSEED": "2"},
]
STRANGE = "# Überschrift – 価格\n"


def locked(path: Path, cwd: Path, named: str, **environment: str) -> bytes:
    """What a process of its own writes."""
    done = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli", "lock", named],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return (path / "gpuinfra.lock").read_bytes()


def copy(folder: Path, text: bytes) -> Path:
    folder.mkdir(parents=True)
    (folder / "stack.yaml").write_bytes(text)
    return folder


@pytest.mark.parametrize("name", ["quickstart", "anywhere"])
def test_the_same_stack_is_locked_to_the_same_bytes_anywhere(tmp_path: Path, name: str) -> None:
    text = (STACKS / name / "stack.yaml").read_text()
    sections = re.split(r"\n(?=[a-z]+:)", text)
    turned = "\n".join([*reversed(sections[1:]), *sections[:1]]).replace("\n", "\r\n")
    here = copy(tmp_path / "here", text.encode())
    first = locked(here, here, ".", TZ="UTC", PYTHONHASHSEED="0")

    windows = copy(tmp_path / "a folder" / "deep", turned.encode())
    other = locked(windows, tmp_path, "a folder/deep/stack.yaml", **ELSEWHERE[0])
    head, _, tail = text.partition("\ntraining:")
    commented = copy(
        tmp_path / "commented", f"{STRANGE}{head}\n{STRANGE}\ntraining:{tail}".encode()
    )
    third = locked(commented, commented, str(commented), **ELSEWHERE[1])

    assert first == other
    assert first == third
    assert b"\r" not in first


def test_a_lock_that_came_with_other_line_ends_still_matches(tmp_path: Path) -> None:
    here = tmp_path / "here"
    shutil.copytree(STACKS / "quickstart", here)
    first = locked(here, here, ".")
    (here / "gpuinfra.lock").write_bytes(first.replace(b"\n", b"\r\n"))

    assert locked(here, here, ".").replace(b"\r\n", b"\n") == first


WORKS = {
    "one": "{instance: g6.8xlarge, disk: 333GB, duration: 7h}",
    "two": "{instance: g6.12xlarge, disk: 777GB, duration: 11h}",
    "six": "{gpu: L4:1, disk: 1111GB, duration: 13h}",
    "ten": "{gpu: L4:4, disk: 919GB, duration: 17h}",
}


@pytest.mark.parametrize("order", list(permutations(WORKS))[::3], ids="-".join)
def test_the_order_of_workloads_and_buckets_is_no_input(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    def text(names: Iterable[str]) -> str:
        works = "".join(f"  {name}: {WORKS[name]}\n" for name in names)
        buckets = "".join(
            f"  {name}: {{size: {len(name) * 77 + ord(name[0])}GB}}\n" for name in names
        )
        where = "where: {cloud: aws, regions: [us-east-1]}"
        return f"version: 1\nname: four\nowner: me\n{where}\ntraining:\n{works}buckets:\n{buckets}"

    sorted_, turned = (copy(tmp_path / str(at), b"") for at in range(2))
    (sorted_ / "stack.yaml").write_text(text(WORKS))
    (turned / "stack.yaml").write_text(text(order))

    assert write(made(sorted_)) == write(made(turned))
