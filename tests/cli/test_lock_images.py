"""Images of a lock: resolved once, and refused by a cloud without an id."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import lock, sandbox
from gpuinfra.api.targets import refuse_unresolved
from gpuinfra.cli.source import load
from gpuinfra.errors import RefusedError
from tests.cli.conftest import Run
from tests.lock.forging import forge

Stack = Callable[..., Path]
AMI = "ami-0123456789abcdef0"


def test_resolving_what_is_resolved_writes_nothing(gpuinfra: Run, locked: Path) -> None:
    place = lock.lock_path(locked)
    forge(place, own_images)
    before = place.stat().st_mtime_ns

    ran = gpuinfra("lock", locked, "--resolve-images")

    assert ran.code == 0, ran.err
    assert f"unchanged: {place}" in ran.out
    assert place.stat().st_mtime_ns == before


def own_images(content: dict[str, Any]) -> None:
    for work in content["workloads"].values():
        for rung in work["rungs"]:
            rung["image"] = {"found_by": "id", "name": AMI, "id": AMI}


@pytest.mark.slow
def test_images_are_filled_in_a_scratch_folder_by_what_aws_answers(
    gpuinfra: Run,
    locked: Path,
    sandbox_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sandbox.start()
    for name, value in sandbox.environment().items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    before, scratch = lock.lock_path(locked).read_bytes(), tmp_path / "scratch"

    ran = gpuinfra("lock", locked, "--resolve-images", "--output", scratch)

    assert ran.code == 0, ran.err
    filled = lock.read_lock(scratch / lock.FILE_NAME)
    assert not filled.unresolved_images
    assert all((rung.image.id or "").startswith("ami-") for _, rung in filled.rungs())
    assert lock.lock_path(locked).read_bytes() == before

    assert gpuinfra("lock", locked, "--resolve-images").code == 0
    assert lock.read_lock(lock.lock_path(locked)) == filled
    assert gpuinfra("lock", locked, "--update").code == 0
    assert lock.read_lock(lock.lock_path(locked)) == filled


def test_resolving_without_a_lock_says_how_to_make_one(gpuinfra: Run, stack: Stack) -> None:
    ran = gpuinfra("lock", stack(), "--resolve-images")

    assert ran.code == 1
    assert "writes it" in ran.err


def test_a_cloud_refuses_images_without_an_id(gpuinfra: Run, locked: Path) -> None:
    with pytest.raises(RefusedError, match="--resolve-images` fills them"):
        refuse_unresolved(load(locked))

    lock.write(
        lock.with_image_ids(lock.read_lock(lock.lock_path(locked)), lambda *_: AMI),
        lock.lock_path(locked),
    )
    refuse_unresolved(load(locked))


def test_without_a_lock_a_cloud_refuses_nothing_for_it(stack: Stack) -> None:
    refuse_unresolved(load(stack()))
