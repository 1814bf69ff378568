import json
import sys

import pytest

from gpuinfra.engine.program_preview import yaml_host
from gpuinfra.errors import EngineError


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A PATH and a cache of the test's own, and a `go` that answers as it is told."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "source").mkdir()
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def go(answer, *, builds=True):
        code = (
            f"#!{sys.executable}\nimport pathlib, sys\n"
            "if sys.argv[1] == 'mod':\n"
            f"    print({json.dumps(answer)!r})\n    sys.exit()\n"
            f"if not {builds}:\n    sys.exit('no compiler')\n"
            "made = pathlib.Path(sys.argv[sys.argv.index('-o') + 1])\n"
            "made.parent.mkdir(parents=True)\nmade.write_text('host')\n"
        )
        (tools / "go").write_text(code)
        (tools / "go").chmod(0o755)

    return tmp_path, go


def ensure(folder, messages=None):
    messages = [] if messages is None else messages
    return yaml_host.ensure(folder / "engine" / "pulumi", messages.append)


def answer(folder, **more):
    return {"Dir": str(folder / "source"), "Sum": yaml_host.SUM, **more}


@pytest.mark.parametrize("place", ["tools", "engine"])
def test_it_is_found_on_path_or_beside_the_engine(place, machine):
    folder, _ = machine
    (folder / place).mkdir(exist_ok=True)
    host = folder / place / yaml_host.NAME
    host.touch(0o755)

    assert ensure(folder) == host


def test_it_is_built_once_and_said(machine):
    folder, go = machine
    go(answer(folder))
    messages = []

    first = ensure(folder, messages)
    (folder / "tools" / "go").unlink()

    assert first.read_text() == "host"
    assert ensure(folder) == first
    assert len(messages) == 1
    assert messages[0].startswith("building the host of YAML programs")
    assert not list(first.parents[2].glob(".building*"))


@pytest.mark.parametrize(
    ("more", "builds", "message"),
    [
        ({"Sum": "h1:other"}, True, "has the checksum h1:other; expected: "),
        ({"Error": "x\nnot found"}, True, "go mod download failed: not found"),
        ({}, False, "no compiler"),
    ],
)
def test_why_it_can_not_be_built_and_what_to_do(more, builds, message, machine):
    folder, go = machine
    go(answer(folder, **more), builds=builds)

    with pytest.raises(EngineError) as caught:
        ensure(folder)

    assert message in str(caught.value)
    assert "pulumi preview --json --show-sames" in str(caught.value)


def test_without_go_there_is_a_way_out(machine):
    with pytest.raises(EngineError, match="there is no go on PATH"):
        ensure(machine[0])


def test_a_cache_that_can_not_be_written(machine, monkeypatch):
    folder, _ = machine
    (folder / "cache").write_text("")

    with pytest.raises(EngineError, match="can't be built"):
        ensure(folder)
