"""The folder of a Pulumi program: the parts of Pulumi.yaml that a preview needs."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from gpuinfra.errors import InputError
from gpuinfra.pulumi_files.preview_steps import SHOW_SAMES
from gpuinfra.records import record
from gpuinfra.stackfile.file_names import PROJECT_FILES, project_file_in
from gpuinfra.stackfile.files import text_in
from gpuinfra.stackfile.syntax import faults_of, lines_of

RUNTIMES: Final = ("python", "yaml")
RUN_HINT: Final = f"run `{SHOW_SAMES}` where the program runs, and check that file"

_NAME_ONE: Final = "use the folder of a Pulumi program, which has a Pulumi.yaml"


@record
class Project:
    """A program and the properties of its project.

    Attributes:
        folder: the absolute folder of its project file.
        file: the project's file.
        name: of the project.
        runtime: one of `RUNTIMES`.
        options: of the runtime.
        program: the folder or the file that is run, absolute.
        config: the project's own configuration: types and defaults.
        settings: the folder with the configuration of stacks.
    """

    folder: Path
    file: Path
    name: str
    runtime: str
    program: Path
    settings: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def working(self) -> Path:
        """The folder in which the program runs."""
        return self.program if self.program.is_dir() else self.program.parent


def read_project(folder: Path) -> Project:
    """Return the project of a folder.

    Raises:
        InputError: there is none, it is no project, or it can't be previewed here.
    """
    file = project_file_in(folder)
    if file is None:
        raise InputError.of(f"{folder} has no {PROJECT_FILES[0]}", fix=_NAME_ONE)
    settings = mapping_in(file)
    name, runtime = settings.get("name"), settings.get("runtime")
    runtime_mapping: dict[str, Any] = runtime if isinstance(runtime, dict) else {"name": runtime}
    runtime, options = runtime_mapping.get("name"), runtime_mapping.get("options") or {}
    if not isinstance(name, str) or not name:
        raise InputError.of(f"{file} has no project name", fix="add name: and the project's name")
    if not isinstance(runtime, str) or not isinstance(options, dict):
        raise InputError.of(
            f"{file} has no runtime", allowed=", ".join(RUNTIMES), fix="add runtime: python"
        )
    if runtime not in RUNTIMES:
        raise InputError.of(
            f"{file} is a program in {runtime}, and its preview is untested",
            value=runtime,
            allowed=", ".join(RUNTIMES),
            fix=RUN_HINT,
        )
    if "compiler" in options:
        raise InputError.of(
            f"{file} generates its program with a compiler (runtime.options.compiler), and a "
            "check does not run compilers",
            value=str(options["compiler"]),
            fix=f"check a folder that has the compiler's output as Pulumi.yaml, or {RUN_HINT}",
        )
    project_folder = folder.resolve()
    return Project(
        folder=project_folder,
        file=file,
        name=name,
        runtime=runtime,
        options=options,
        program=_program(project_folder, file, settings.get("main"), runtime),
        config=mapping(settings.get("config")),  # a folder in old projects
        settings=_settings(project_folder, settings),
    )


def mapping_in(file: Path) -> dict[str, Any]:
    """Return the mapping in a Pulumi file in YAML or JSON; empty for an empty file.

    Raises:
        InputError: it can't be read, or holds something else.
    """
    text = text_in(file, _NAME_ONE)
    try:
        value = YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise InputError([faults_of(error, str(file), lines_of(text))]) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError.of(
            f"{file} is not a mapping", fix="use the form that Pulumi writes: key: value"
        )
    return value


def _program(folder: Path, file: Path, main: Any, runtime: str) -> Path:
    """Return the program's path, per pulumi.com/docs/iac/concepts/projects/project-file."""
    if main is not None and not isinstance(main, str):
        raise InputError.of(
            f"main of {file} is not a path", value=str(main), fix="use a file or folder"
        )
    program = (folder / (main or ".")).resolve()
    entry = program / "__main__.py" if program.is_dir() and runtime == "python" else program
    if not entry.exists():
        raise InputError.of(
            f"{file} names a program that does not exist",
            value=str(entry),
            fix="create the program there, or correct main",
        )
    return program


def mapping(value: Any) -> dict[str, Any]:
    """Return a mapping unchanged; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _settings(folder: Path, settings: Mapping[str, Any]) -> Path:
    config_folder = settings.get("stackConfigDir") or settings.get("config")
    return folder / config_folder if isinstance(config_folder, str) else folder
