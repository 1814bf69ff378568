"""The program options of `gpuinfra check`; `check_program` previews and judges the program."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.cli.options import Command
from gpuinfra.cli.views.render import note
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.records import record
from gpuinfra.stackfile.file_names import FILE_NAME, PROJECT_FILES, project_file_in

OPTIONS: Final = ("program", "config_of", "config", "config_unknown")


@record
class Program:
    """A Pulumi program to judge, with its configuration."""

    folder: Path
    config_of: str | None
    config: Mapping[str, str]
    config_unknown: bool = False


def options(command: Command) -> Command:
    """Add --program, --config-of, --config and --config-unknown."""
    command = click.option(
        "--config-unknown",
        is_flag=True,
        help="For a program: take required configuration without a value as unknown.",
    )(command)
    command = click.option(
        "--config",
        multiple=True,
        metavar="KEY=VALUE",
        help="For a program: set a configuration value, in place of the stack's. Repeatable.",
    )(command)
    command = click.option(
        "--config-of",
        metavar="STACK",
        help="For a program: use the configuration in Pulumi.STACK.yaml.",
    )(command)
    return click.option(
        "--program",
        is_flag=True,
        help="Treat SOURCE as a Pulumi program and run it, even if its folder has a stack file.",
    )(command)


def check_settings_options(command: Command) -> Command:
    """Add --settings, --stack and --waivers."""
    path = click.Path(path_type=Path)
    for option, option_help in (
        ("--waivers", "the waivers file; default gpuinfra.waivers.yaml in its folder."),
        ("--stack", "the stack file that has these settings."),
        ("--settings", "YAML with budget, prices, usage, rules, waivers."),
    ):
        help_text = f"For a preview or a state: {option_help}"
        command = click.option(option, type=path, help=help_text)(command)
    return command


def from_options(source: Path, options: dict[str, Any]) -> Program | None:
    """Return the program at SOURCE, its options removed from `options`; None if there is none.

    Raises:
        InputError: it is none, and an option says that it is; or an option is misspelt.
    """
    forced, config_of, config, config_unknown = (options.pop(name) for name in OPTIONS)
    folder = program_folder(source, forced=forced)
    if folder is not None:
        return Program(
            folder=folder,
            config_of=config_of,
            config=_pairs(config),
            config_unknown=config_unknown,
        )
    if forced:
        message = f"{source} is not a Pulumi program: it has no {PROJECT_FILES[0]}"
        raise InputError.of(message, fix="use the program's folder")
    for option, value in (
        ("--config-of", config_of),
        ("--config", ", ".join(config)),
        ("--config-unknown", "given" if config_unknown else ""),
    ):
        if value:
            raise InputError.of(
                f"{option} applies to a program, and {source} is not one",
                value=value,
                fix=f"remove {option}, or add --program if a stack file is beside a program",
            )
    return None


def program_folder(source: Path, *, forced: bool = False) -> Path | None:
    """Return the folder of the program that SOURCE is; None where it is none.

    `forced` says that it is one although a stack file is beside it.
    """
    folder = source.parent if source.name in PROJECT_FILES and source.is_file() else source
    if project_file_in(folder) is None:
        return None
    is_project_file = folder != source
    return folder if forced or is_project_file or not (folder / FILE_NAME).exists() else None


def stacks_with_configuration(folder: Path) -> tuple[str, ...]:
    """Return the names of the stacks whose Pulumi.STACK.yaml is in a program's folder."""
    return tuple(sorted(file.name.split(".", 1)[1][:-5] for file in folder.glob("Pulumi.*.yaml")))


def options_to_configure(folder: Path, of_program: bool) -> tuple[str, ...]:
    """Return the options of a check that choose one of a program's several configurations."""
    stacks = stacks_with_configuration(folder) if of_program else ()
    return ("--config-of", stacks[0]) if len(stacks) > 1 else ()


def note_configuration(folder: Path, pipeline: str) -> None:
    """Print which configuration a new pipeline gives to a program, or that it gives none."""
    stacks = stacks_with_configuration(folder)
    if not stacks:
        note(
            f"{folder} has no Pulumi.STACK.yaml: if its program needs configuration, add it to the"
            f" next command and to OPTIONS in {pipeline}, for example"
            " --config aws:region=us-east-1"
        )
    elif len(stacks) > 1:
        note(
            f"OPTIONS in {pipeline} takes the configuration of {stacks[0]}, one of"
            f" {', '.join(stacks)}"
        )


def note_other_program(source: Path) -> None:
    """Print a note if the folder has another program, which the stack file's check excludes.

    A program of its own deploys the stack file: `gpuinfra.deploy("stack.yaml")`.
    """
    folder = source if source.is_dir() else source.parent
    project_file = project_file_in(folder)
    if project_file is None or _DEPLOY_CALL.search(_main_of(project_file)):
        return
    context = click.get_current_context(silent=True)
    verb = context.info_name if context and context.info_name else "check"
    note(f"not judged: the program of {project_file}: {command_line(verb, folder, '--program')}")


_DEPLOY_CALL: Final = re.compile(r"\bgpuinfra\b[\s\S]*\bdeploy\s*\(")
"""The pattern of a Python program that builds a stack file."""

_MAX_SCANNED_LENGTH: Final = 200_000


def _main_of(project: Path) -> str:
    """Return the text of a Python program's main file; empty if there is none or on an error."""
    try:
        main = _MAIN_KEY.search(project.read_text("utf-8")[:_MAX_SCANNED_LENGTH])
        project_folder = project.parent / (main[1].strip("\"'") if main else ".")
        file = project_folder / "__main__.py" if project_folder.is_dir() else project_folder
        return file.read_text("utf-8")[:_MAX_SCANNED_LENGTH]
    except (OSError, ValueError):
        return ""


_MAIN_KEY: Final = re.compile(r"^main:[ \t]*([^\s#]+)", re.MULTILINE)
"""The `main` key of a project file, with the program's path:
https://www.pulumi.com/docs/iac/concepts/projects/project-file/"""


def _pairs(assignments: tuple[str, ...]) -> dict[str, str]:
    wrong = [pair for pair in assignments if not pair.partition("=")[1] or pair.startswith("=")]
    if wrong:
        fix = "for example --config aws:region=us-east-1"
        message = "--config takes KEY=VALUE"
        raise InputError([Problem(message=message, value=pair, fix=fix) for pair in wrong])
    return dict(pair.split("=", 1) for pair in assignments)
