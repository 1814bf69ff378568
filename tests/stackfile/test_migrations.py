"""Steps from version to version: in order, comments kept, unknown versions refused."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli.commands import migrate as command
from gpuinfra.errors import InputError
from gpuinfra.stackfile.migrations import MIGRATIONS, Migration, migrate_text
from tests.cli.conftest import Run
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414

TEXT = """\
# Ours.
name: demo # the team's
training:
  box: {gpu: L4:1}   # one machine
"""


def _hour(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield ("budget", "per_hour"), 2 * len(value["training"])


def _doubled(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield ("budget", "per_hour"), 2 * value["budget"]["per_hour"]
    yield ("training", "box", "gpu"), "L4:2"


TOY = (
    Migration(version=2, summary="budget is required", edits=_hour),
    Migration(version=3, summary="machines have two GPUs", edits=_doubled),
)


def test_the_steps_are_applied_in_order_and_comments_stay() -> None:
    done = migrate_text(TEXT, "stack.yaml", TOY)

    assert [step.version for step in done.steps] == [2, 3]
    assert done.version == 3
    assert "# Ours.\nname: demo # the team's\n" in done.text
    assert "box: {gpu: L4:2}   # one machine\n" in done.text
    assert "per_hour: 4" in done.text
    assert "version: 3" in done.text


def test_only_the_steps_above_its_version_are_applied() -> None:
    second = f"version: 2 # ours\nbudget: {{per_hour: 5}}\n{TEXT}"

    done = migrate_text(second, "stack.yaml", TOY)

    assert [step.version for step in done.steps] == [3]
    assert done.text.startswith("version: 3 # ours\nbudget: {per_hour: 10}\n")
    assert migrate_text(done.text, "stack.yaml", TOY).steps == ()


@pytest.mark.parametrize("version", ["4", "0", "two", "true", "1.5"])
def test_an_unknown_version_is_refused(version: str) -> None:
    with pytest.raises(InputError) as caught:
        migrate_text(f"version: {version}\n{TEXT}", "stack.yaml", TOY)

    (problem,) = caught.value.problems
    assert problem.message.startswith("stack.yaml has the unknown version ")
    assert (problem.allowed, problem.fix[:23]) == ("1 to 3", "install a newer gpuinfr")


def test_the_steps_that_are_shipped_are_in_order() -> None:
    assert [step.version for step in MIGRATIONS] == [
        number for number, _ in enumerate(MIGRATIONS, start=2)
    ]


def test_the_command_says_that_version_1_is_the_newest(gpuinfra: Run, tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(TEXT)

    ran = gpuinfra("migrate", tmp_path)

    assert (ran.code, ran.out) == (0, f"{tmp_path / 'stack.yaml'} is version 1, the newest\n")
    assert (tmp_path / "stack.yaml").read_text() == TEXT
    (tmp_path / "stack.yaml").write_text(f"version: 2\n{TEXT}")
    newer = gpuinfra("migrate", tmp_path)
    assert newer.code == 2
    assert "has the unknown version 2" in " ".join(newer.err.split())


@pytest.mark.parametrize("yes", [True, False])
def test_the_command_writes_where_it_is_told_to(
    yes: bool, gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stack.yaml").write_text(TEXT)
    monkeypatch.setattr(command, "migrate_text", lambda text, file: migrate_text(text, file, TOY))

    ran = gpuinfra("migrate", tmp_path, *(["--yes"] if yes else []))

    assert ran.code == (0 if yes else 1)
    assert "-  box: {gpu: L4:1}   # one machine\n+  box: {gpu: L4:2}   # one machine\n" in ran.out
    assert "version 2: budget is required\nversion 3: machines have two GPUs\n" in ran.out
    text = (tmp_path / "stack.yaml").read_text()
    assert text == (migrate_text(TEXT, "stack.yaml", TOY).text if yes else TEXT)
