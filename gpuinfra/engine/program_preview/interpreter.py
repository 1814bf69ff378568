"""The Python of a checked program, its own, the active or ours, and the packages that it has."""

import json
import os
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from gpuinfra.engine.program_preview.project import Project
from gpuinfra.records import record

_UV: Final = "uv"
_UV_ENVIRONMENT: Final = ".venv"
_UV_ROOTS: Final = ("uv.lock", "pyproject.toml")
"""What marks the folder in which uv keeps the environment: the project's, or its workspace's.

https://www.pulumi.com/docs/iac/languages-sdks/python/#using-uv
"""


_PYTHON: Final = Path("bin/python")

NO_MODULE: Final = re.compile(r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'")
"""What Python says of a package that the program's environment lacks."""

OURS: Final = "run by gpuinfra's own Python and packages: "


@record(kw_only=False)
class Interpreter:
    """A Python interpreter, whether it is gpuinfra's, and a note on its choice."""

    path: Path
    is_own: bool
    note: str


def find(project: Project) -> Interpreter:
    """Return the Python for a program."""
    venv = _named_environment(project)
    path = project.folder / str(venv) / _PYTHON
    if venv and path.exists():
        return Interpreter(path, is_own=False, note=f"run by the Python of {venv}")
    reason = f"{project.file.name} names no virtual environment"
    if venv:
        reason = f"the virtual environment {venv}, which {project.file.name} names, does not exist"
    active = Path(os.environ.get("VIRTUAL_ENV", sys.prefix))
    if active != Path(sys.prefix) and _runs_pulumi(active, needs_pulumi=bool(venv)):
        note = f"run by the Python of the active environment {active}"
        return Interpreter(
            active / _PYTHON, is_own=False, note=f"{note}: {reason}" if venv else note
        )
    return Interpreter(Path(sys.executable), is_own=True, note=OURS + reason)


def _runs_pulumi(environment: Path, *, needs_pulumi: bool) -> bool:
    """Return whether an environment has Python, and Pulumi if it replaces another environment."""
    packages = environment.glob("lib/python*/site-packages/pulumi")
    return (environment / _PYTHON).exists() and (not needs_pulumi or any(packages))


def _named_environment(project: Project) -> str:
    """Return the environment of Pulumi.yaml or of its toolchain; empty if there is none."""
    environment = project.options.get("virtualenv")
    if environment or project.options.get("toolchain") != _UV:
        return str(environment or "")
    folders = (project.folder, *project.folder.parents)
    roots = (folder for mark in _UV_ROOTS for folder in folders if (folder / mark).is_file())
    root = next(roots, project.folder)
    return _UV_ENVIRONMENT if root == project.folder else str(root / _UV_ENVIRONMENT)


def packages_of(interpreter: Interpreter) -> tuple[Path, ...]:
    """Return the package folders of a Python; for another one, those of its environment."""
    if interpreter.is_own:
        return tuple(Path(folder) for folder in sys.path if folder)
    return tuple(sorted(interpreter.path.parents[1].glob("lib/python*/site-packages")))


def install(project: Project, module: str) -> str:
    """Return the command that installs a module that the program's environment lacks.

    Args:
        project: the program.
        module: what it imports, as the ModuleNotFoundError names it.
    """
    if project.options.get("toolchain") == _UV:
        return f"uv sync --project {shlex.quote(str(project.folder))}"
    interpreter_found = find(project)
    folder = project.options.get("virtualenv")
    path, command_before = interpreter_found.path, ""
    if interpreter_found.is_own and folder:
        path = project.folder / str(folder) / _PYTHON
        command_before = f"python3 -m venv {shlex.quote(str(path.parents[1]))} && "
    requirements = project.folder / "requirements.txt"
    if requirements.is_file():
        requirement = f"-r {shlex.quote(str(requirements))}"
    else:
        requirement = module.partition(".")[0].replace("_", "-")
    return f"{command_before}{shlex.quote(str(path))} -m pip install {requirement}"


DYNAMIC: Final = "pulumi-python"
"""What resources belong to that a Python program defines itself (pulumi.dynamic)."""

NO_VERSION: Final = "0.0.0"

_PLUGIN_FILE: Final = "pulumi-plugin.json"
"""The file in every SDK with its plugin's name and version.

https://github.com/pulumi/pulumi/blob/master/sdk/python/cmd/pulumi-language-python (plugins)
"""


def installed_sdks(folders: Iterable[Path]) -> dict[str, str]:
    """Return the versions of Pulumi SDKs in folders of Python packages, by name."""
    versions = {DYNAMIC: NO_VERSION}
    for folder in folders:
        for file in folder.glob(f"*/{_PLUGIN_FILE}"):
            try:
                metadata = json.loads(file.read_text("utf-8"))
            except (OSError, ValueError):
                continue  # a broken SDK shows when the program imports it
            name = metadata.get("name") if isinstance(metadata, dict) else None
            if isinstance(name, str) and _is_plain(name):
                version = metadata.get("version")
                versions.setdefault(name, version if isinstance(version, str) else NO_VERSION)
    return versions


def _is_plain(name: str) -> bool:
    """Return whether a name may be part of a file name."""
    return name.replace("-", "").replace("_", "").isalnum()
