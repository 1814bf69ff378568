"""What an interrupted or kept run tells its reader to do next is a whole command."""

from pathlib import Path

import pytest

from gpuinfra.cli.commands import quickstart as tour
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome
from gpuinfra.errors import LockedError
from tests.cli.conftest import Run


@pytest.mark.parametrize("verb", ["refresh", "destroy"])
@pytest.mark.parametrize("ended", [True, False])
def test_a_locked_stack_is_unlocked_by_the_same_command(
    verb: str, ended: bool, gpuinfra: Run, quickstart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise LockedError("the stack is locked by ann", ended=ended)

    monkeypatch.setattr(lifecycle, "current_status", locked)

    ran = gpuinfra(verb, quickstart, "--target", "sandbox")

    told = " ".join(ran.err.split())
    assert ran.code == 3
    assert "the stack is locked by ann why: nothing was changed fix: " in told
    assert told.endswith(f"run gpuinfra {verb} {quickstart} --target sandbox --unlock")


def test_a_tour_that_keeps_its_resources_names_the_commands_to_look_and_to_delete(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = Outcome(verb="up", ending="fine")
    monkeypatch.setattr(lifecycle, "preview", lambda *_: fine)
    monkeypatch.setattr(lifecycle, "up", lambda *_: fine)
    monkeypatch.setattr(tour, "deployed_resources", lambda _: [])
    monkeypatch.setattr(tour, "request", lambda *_: None)

    ran = gpuinfra("quickstart", "--keep")

    assert ran.code == 0
    assert "look: gpuinfra status stacks/quickstart --target sandbox" in ran.out
    assert "delete: gpuinfra destroy stacks/quickstart --target sandbox" in ran.out


@pytest.mark.parametrize("typed", [".", "stack.yaml"])
def test_a_command_names_the_stack_as_it_was_typed(gpuinfra: Run, stack, typed: str) -> None:
    path = stack(("per_hour: 8", "per_hour: 1"))
    source = path.parent / typed

    ran = gpuinfra("check", source, "-v", "--as-of", "2026-10-05")
    told = gpuinfra("lock", source, "--check")

    assert f"gpuinfra check {source} " in ran.out
    assert f"fix:     `gpuinfra lock {source}`" in told.err
