"""Inline programs of the tests on the real engine, in the test's own sandbox."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi import automation

from gpuinfra import sandbox
from gpuinfra.engine.contract import Engine, Target
from gpuinfra.engine.program import GuardedProgram

Stacks = Callable[..., automation.Stack]


def stacks(
    engine: Engine, folder: Path, patch: pytest.MonkeyPatch, *, region: str, project: str
) -> Iterator[Stacks]:
    """Give what makes a stack of a program and a name.

    What the engine leaves in the middle ends before the next program starts, or with the test:
    it would hang, or be complained of in some later one.
    """
    for key, value in sandbox.environment(region=region).items():
        patch.setenv(key, value)
    patch.setenv("PATH", f"{engine.path.parent}{os.pathsep}{os.environ['PATH']}")
    patch.setenv("PULUMI_HOME", str(folder / "pulumi-home"))
    started: list[GuardedProgram] = []

    def settle() -> None:
        for each in started:
            each.settle()

    def make(program: Callable[[], Any], name: str = "dev") -> automation.Stack:
        def run() -> None:
            settle()
            started.append(GuardedProgram(program, Target(name="sandbox")))
            started[-1]()

        return automation.create_or_select_stack(
            stack_name=name,
            project_name=project,
            program=run,
            opts=automation.LocalWorkspaceOptions(work_dir=str(folder)),
        )

    yield make
    settle()
