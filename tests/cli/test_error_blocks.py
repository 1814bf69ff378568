"""An error that is none of the input is printed in the same block: what, why, and the fix."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import show_error
from gpuinfra.engine import install
from gpuinfra.errors import CloudError, EngineError, GpuinfraError, LockedError, Refusal
from tests.cli.conftest import Run

COMMAND = "export PULUMI_BACKEND_URL=file://~/.pulumi-state"


def test_what_is_wrong_its_why_and_its_fix_have_lines_of_their_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "62")
    show_error(EngineError("it failed", why="nothing was changed", fix=f"run `{COMMAND}` first"))

    assert capsys.readouterr().err.splitlines() == [
        "error: it failed",
        "  why:     nothing was changed",
        "  fix:     run",
        f"           `{COMMAND}`",
        "           first",
    ]


def test_what_a_cloud_refused_has_the_same_block(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(CloudError([Refusal(what="x", why="too long", fix="shorten it")]))

    lines = capsys.readouterr().err.splitlines()
    assert lines == ["error: refused: x", "  why:     too long", "  fix:     shorten it"]


@pytest.mark.parametrize(
    "error", [EngineError("a", why="b", fix="c"), LockedError("held by x", ended=True)]
)
def test_the_text_of_an_error_has_all_of_it(error: GpuinfraError) -> None:
    assert str(error) == f"{error.message}; {error.why}; {error.fix}"


def test_a_command_in_backquotes_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    lines = wrap_text("first of all run `mkdir -p a/very/long/path`, then go on", "  ").split("\n")
    assert "  `mkdir -p a/very/long/path`, then go" in lines


def test_a_refused_up_says_that_nothing_was_built(
    gpuinfra: Run, stack: Callable[..., Path]
) -> None:
    path = stack(("per_hour: 8", "per_hour: 1"))

    done = gpuinfra("up", path, "--target", "sandbox")
    assert done.code == 1
    assert done.err.endswith("nothing was built\n")
    assert "nothing was built" not in gpuinfra("up", path, "--target", "sandbox", "--json").err


def test_a_quickstart_without_an_engine_says_so_first(
    gpuinfra: Run, quickstart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing() -> None:
        raise EngineError("no Pulumi engine was found", fix="run `gpuinfra engine install`")

    monkeypatch.setattr(install, "find", nothing)
    done = gpuinfra("quickstart", quickstart)

    assert done.code == 3
    assert done.err.startswith("error: no Pulumi engine was found")
    assert "[1/7]" not in done.out
