"""Which Python runs a checked program: that of its own virtual environment, else ours."""

import os
import shlex
import sys
from pathlib import Path
from typing import Final

from gpuinfra.engine.program_preview.project import Project
from gpuinfra.records import record

_ENVIRONMENT: Final = {"uv": ".venv"}
"""Where a tool keeps the environment that no option names.

https://www.pulumi.com/docs/iac/languages-sdks/python/#using-uv
"""


_PYTHON: Final = Path("bin/python")

OURS: Final = "run by gpuinfra's own Python and packages: "


@record(kw_only=False)
class Interpreter:
    """A Python, whether it is ours, and what is to be said of it."""

    path: Path
    ours: bool
    note: str


def of(project: Project) -> Interpreter:
    """The Python for a program."""
    toolchain = str(project.options.get("toolchain", ""))
    named = project.options.get("virtualenv") or _ENVIRONMENT.get(toolchain)
    if not named:
        active = Path(os.environ.get("VIRTUAL_ENV", sys.prefix))
        if active != Path(sys.prefix) and (active / _PYTHON).exists():
            note = f"run by the Python of the active environment {active}"
            return Interpreter(active / _PYTHON, ours=False, note=note)
        why = f"{project.file.name} names no virtual environment"
        return Interpreter(Path(sys.executable), ours=True, note=OURS + why)
    path = project.folder / str(named) / _PYTHON
    if path.exists():
        return Interpreter(path, ours=False, note=f"run by the Python of {named}")
    why = f"the virtual environment {named}, which {project.file.name} names, does not exist"
    return Interpreter(Path(sys.executable), ours=True, note=OURS + why)


def packages_of(interpreter: Interpreter) -> tuple[Path, ...]:
    """The folders with the packages of a Python; of another one, those of its environment."""
    if interpreter.ours:
        return tuple(Path(folder) for folder in sys.path if folder)
    return tuple(sorted(interpreter.path.parents[1].glob("lib/python*/site-packages")))


def install(project: Project, module: str) -> str:
    """The line that installs what a program imports and its environment lacks.

    Args:
        project: the program.
        module: what it imports, as the ModuleNotFoundError names it.
    """
    runs = of(project)
    named = project.options.get("virtualenv")
    path, before = runs.path, ""
    if runs.ours and named:
        path = project.folder / str(named) / _PYTHON
        before = f"python3 -m venv {shlex.quote(str(path.parents[1]))} && "
    requirements = project.folder / "requirements.txt"
    if requirements.is_file():
        what = f"-r {shlex.quote(str(requirements))}"
    else:
        what = module.partition(".")[0].replace("_", "-")
    return f"{before}{shlex.quote(str(path))} -m pip install {what}"
