"""Checks that a run's target, backend, plugins and state match."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpuinfra.engine.contract import RunRequest, Target
from gpuinfra.errors import EngineError

LOCAL_PLUGIN_MARK = b"gpuinfra.sandbox"
"""Stands in every local plugin: it is a script that runs a module of this package."""

_PLUGIN = "pulumi-resource-"
_HEADER_BYTES = 4096


def check(request: RunRequest) -> None:
    """Check the target's backend and plugins before the run changes anything.

    Raises:
        EngineError: sandbox plugins with a backend that is not a folder, or a cloud run in an
            environment that has the sandbox's plugins.
    """
    if request.target.name == "sandbox":
        _check_backend(request.target)
    else:
        _check_plugins(request.target)


def check_state(request: RunRequest, built_on: str | None) -> None:
    """Refuse to work on a state that was built on the other target.

    Raises:
        EngineError: the state says that it belongs to the other target.
    """
    name = request.target.name
    if built_on is None or built_on == name:
        return
    raise EngineError(
        f"the state of stack {request.project}/{name} was built on target {built_on}, "
        f"and this run is for target {name}",
        why="nothing was changed",
        fix=f"use --target {built_on}, or a separate backend (PULUMI_BACKEND_URL) for each target",
    )


def built_on(outputs: Mapping[str, Any], output: str) -> str | None:
    """Return the target that a state's outputs name; None if it was built without gpuinfra."""
    name = outputs.get(output)
    return name if isinstance(name, str) else None


def variable(target: Target, name: str) -> str:
    """Return an environment variable as the engine sees it."""
    return target.environment.get(name, os.environ.get(name, ""))


def _check_backend(target: Target) -> None:
    backend = variable(target, "PULUMI_BACKEND_URL")
    if not backend.startswith("file://"):
        text = f"is {backend}" if backend else "is not set, so the backend you are logged in to"
        raise EngineError(
            f"PULUMI_BACKEND_URL {text}",
            why="the sandbox's plugins never run on a backend with real stacks",
            fix="use the variables of `gpuinfra sandbox env` (a file:// "
            "folder), or --target cloud",
        )


def _check_plugins(target: Target) -> None:
    path = _local_plugin(variable(target, "PATH"))
    if path is not None:
        raise EngineError(
            f"{path} is the sandbox's own plugin, and target cloud must never use it",
            fix="leave the shell that has the variables of `gpuinfra sandbox env`, or use "
            "--target sandbox",
        )


def _local_plugin(path: str) -> Path | None:
    """Return the sandbox's first provider plugin that the engine would find on PATH."""
    checked_folders: set[str] = set()
    for folder in path.split(os.pathsep):
        for plugin in sorted(Path(folder).glob(f"{_PLUGIN}*")) if folder else ():
            is_new_plugin = (
                plugin.name not in checked_folders
                and shutil.which(plugin.name, path=folder) is not None
            )
            checked_folders.add(plugin.name)
            if is_new_plugin and _is_local(plugin):
                return plugin
    return None


def _is_local(plugin: Path) -> bool:
    try:
        with plugin.open("rb") as file:
            return LOCAL_PLUGIN_MARK in file.read(_HEADER_BYTES)
    except OSError:
        return False
