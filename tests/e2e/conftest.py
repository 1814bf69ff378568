"""Shipped stacks in the sandbox, driven by plain Pulumi."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.e2e.lives")
STACKS = Path(__file__).parents[2] / "stacks"


def printed_environment() -> dict[str, str]:
    """What a shell has after eval "$(gpuinfra sandbox env)"."""
    lines = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli", "sandbox", "env"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    shown = subprocess.run(
        ["bash", "-c", f"{lines}\nenv -0"], check=True, capture_output=True, text=True
    ).stdout
    return dict(part.split("=", 1) for part in shown.split("\0") if part)


@pytest.fixture
def folder(
    tmp_path: Path, sandbox_home: Path, plain_pulumi: Callable[[Path, Mapping[str, str]], Any]
) -> Callable[[str], Any]:
    """Plain `pulumi` in a copy of a shipped stack, with a Pulumi stack of its own."""

    def of(name: str) -> Any:
        copy = tmp_path / name
        shutil.copytree(STACKS / name, copy)
        pulumi = plain_pulumi(copy, printed_environment())
        pulumi("stack", "init", "sandbox")
        return pulumi

    return of


@pytest.fixture(scope="class")
def life(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    module_sandbox_home: Path,
) -> Path:
    """The stack file of a `lives.Life`, always at one place, in a sandbox of its module's own."""
    file = tmp_path_factory.mktemp("life") / "stack.yaml"
    file.write_text(request.cls.text)
    return file
