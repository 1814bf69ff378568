import json
import subprocess
from pathlib import Path

import pytest

from gpuinfra.errors import InputError
from gpuinfra.lock import text
from tests.lock.conftest import Stack, made

TRAINER = (("nodes: 2", "nodes: 3"), ("instance: g6.8xlarge", "instance: g6.12xlarge"))
CHAT = (("replicas: 1..3", "replicas: 1..2"), ("gpu: L4:1", "gpu: L4:4"))
DATA = (("500GB", "700GB"),)


def merged(folder: Path, base: str, ours: str, theirs: str) -> str:
    """What git makes of two branches' locks."""
    for name, content in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_text(content)
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode >= 0
    return done.stdout


def conflicting(content: str) -> set[str]:
    """The keys of the lines between conflict markers."""
    keys, inside = set(), False
    for line in content.splitlines():
        if line.startswith("<<<<<<<"):
            inside = True
        elif line.startswith(">>>>>>>"):
            inside = False
        elif inside and not line.startswith("======="):
            keys.add(line.strip().split('"')[1])
    return keys


@pytest.mark.parametrize(
    ("mine", "other"), [(TRAINER, CHAT), (CHAT, DATA), (TRAINER, DATA)], ids=str
)
def test_branches_that_lock_different_workloads_conflict_only_in_digests_and_totals(
    tmp_path: Path,
    stack: Stack,
    mine: tuple[tuple[str, str], ...],
    other: tuple[tuple[str, str], ...],
) -> None:
    base, ours, theirs = (text.write(made(stack(*changes))) for changes in ((), mine, other))

    result = merged(tmp_path, base, ours, theirs)

    assert conflicting(result) <= {"digest", "file", "stack", "per_hour", "per_month", "per_run"}
    assert "digest" in conflicting(result)
    with pytest.raises(InputError, match="merge conflict"):
        text.read(result, "gpuinfra.lock")


def test_a_merge_without_markers_is_still_no_lock(tmp_path: Path, stack: Stack) -> None:
    base, ours, theirs = (text.write(made(stack(*changes))) for changes in ((), TRAINER, CHAT))
    taken = [
        line
        for line in merged(tmp_path, base, ours, theirs).splitlines()
        if not line.startswith(("<<<<<<<", ">>>>>>>", "======="))
    ]
    once = list(dict.fromkeys(taken)) if len(set(taken)) == len(taken) else taken

    with pytest.raises(InputError):
        text.read("\n".join(once), "gpuinfra.lock")


def test_a_change_of_one_workload_touches_no_line_of_another(stack: Stack) -> None:
    before, after = (json.loads(text.write(made(stack(*changes)))) for changes in ((), TRAINER))

    assert before["workloads"]["chat"] == after["workloads"]["chat"]
    assert before["buckets"] == after["buckets"]
    assert before["workloads"]["trainer"] != after["workloads"]["trainer"]
