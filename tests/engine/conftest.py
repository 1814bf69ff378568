"""A preview of a small program, which leaves nothing behind."""

import tempfile
import time
from pathlib import Path

import pytest

from gpuinfra import pulumi_files
from gpuinfra.engine.program_preview import preview_of
from tests.engine.previews import PROJECT, REGION


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where temporary folders are made; it is empty again at the end, and nobody works there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []
    deadline = time.monotonic() + 10
    while left := working_in(folder):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def working_in(folder):
    """The commands of processes that have to do with a folder."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words:
            commands.append(words[:200])
    return commands


@pytest.fixture
def preview(place, tmp_path):
    """Writes a program and previews it: preview(code, config) gives what the file shows."""
    folder, into = tmp_path / "town", tmp_path / "into"
    folder.mkdir()
    into.mkdir()

    class Preview:
        def __init__(self):
            self.folder = folder

        def __call__(self, code=None, config=REGION, project=PROJECT, **more):
            (folder / "Pulumi.yaml").write_text(project)
            if code is not None:
                (folder / "__main__.py").write_text(code)
            before = sorted(folder.rglob("*"))
            self.notes, self.messages = [], []
            try:
                path = preview_of(
                    folder,
                    config=config,
                    note=self.notes.append,
                    target_folder=into,
                    show_progress=self.messages.append,
                    **more,
                )
            finally:
                assert sorted(folder.rglob("*")) == before
            return pulumi_files.read(path)

    return Preview()
