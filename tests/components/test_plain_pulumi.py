"""The shipped stacks as a user of plain Pulumi runs them, on the real engine in the sandbox."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STACKS = Path(__file__).parents[2] / "stacks"

pytestmark = pytest.mark.e2e


@pytest.fixture
def folder(
    tmp_path: Path, sandbox_home: Path, plain_pulumi: Callable[..., Any]
) -> Callable[[str], Any]:
    """Plain `pulumi` in a copy of a shipped stack, with a stack of its own."""
    from gpuinfra import sandbox

    def of(name: str) -> Any:
        copy = tmp_path / name
        shutil.copytree(STACKS / name, copy)
        pulumi = plain_pulumi(copy, sandbox.environment())
        pulumi("stack", "init", "dev")
        return pulumi

    return of


@pytest.mark.parametrize("name", sorted(one.parent.name for one in STACKS.glob("*/Pulumi.yaml")))
def test_a_shipped_stack_comes_up_stays_and_goes(folder: Callable[[str], Any], name: str) -> None:
    pulumi = folder(name)

    pulumi("up", "--yes", "--skip-preview")
    pulumi("preview", "--expect-no-changes")
    pulumi("destroy", "--yes", "--skip-preview")


def test_a_broken_file_ends_without_a_traceback(folder: Callable[[str], Any]) -> None:
    pulumi = folder("quickstart")
    file = pulumi.folder / "stack.yaml"
    file.write_text(file.read_text().replace("g6.8xlarge #", "g6.8xlrage #"))
    done = pulumi("preview", check=False)

    assert done.returncode != 0
    assert "did you mean g6.8xlarge?" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
