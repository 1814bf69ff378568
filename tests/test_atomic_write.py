"""A file that is written in one step."""

import os
import stat
from pathlib import Path

import pytest

from gpuinfra.atomic_write import write_atomically


def test_a_replaced_file_keeps_its_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fchmod")  # Windows has it from Python 3.13 on
    file = tmp_path / "stack.yaml"
    file.write_text("old")
    file.chmod(0o640)

    write_atomically(file, b"new")

    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["stack.yaml"]
