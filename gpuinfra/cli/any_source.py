"""Planning and pricing of any SOURCE: a stack file, a preview, a state or a program's folder."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuinfra.api.source_kinds import is_pulumi_file, not_with_stack_file, rung_not_accepted
from gpuinfra.cli import program_options
from gpuinfra.cli.each_source import SETTINGS_OPTIONS
from gpuinfra.cli.options import Command
from gpuinfra.cli.source import load
from gpuinfra.errors import InputError
from gpuinfra.report.checkout import checkout
from gpuinfra.stackfile.file_names import PROJECT_FILES
from gpuinfra.today import today

if TYPE_CHECKING:
    from gpuinfra.api.checking import StackCheck
    from gpuinfra.api.pulumi_files import PulumiCheck


def options(command: Command) -> Command:
    """Add the options that apply to a preview, a state or a program."""
    return program_options.check_settings_options(program_options.options(command))


def check_source(
    source: Path, as_of: datetime | None, rung: tuple[str, ...], options: dict[str, Any]
) -> "StackCheck | PulumiCheck":
    """Return the plan and quote of a SOURCE; `options` are the decorator's values.

    Raises:
        InputError: it can't be read or planned, or an option is for another kind of SOURCE.
    """
    settings_options = {name: options.pop(name) for name in SETTINGS_OPTIONS}
    program = program_options.from_options(source, options)
    if program is None and not is_pulumi_file(source):
        refuse_check_settings(settings_options)
        program_options.note_other_program(source)
        return load(source, as_of=as_of, rung=rung, lock="note")
    if rung:
        raise InputError([rung_not_accepted(rung[0], "remove --rung")])
    from gpuinfra.api import check_settings  # noqa: PLC0415  (a stack file needs none of it)
    from gpuinfra.api.pulumi_files import check_file  # noqa: PLC0415

    day = as_of.date() if as_of else today()
    settings = check_settings.read_for(source, **settings_options, day=day)
    if program is None:
        return check_file(source, settings, day)
    from gpuinfra.cli.commands.check_program import temporary_preview  # noqa: PLC0415  (starts the engine)

    with temporary_preview(program, []) as path:
        checked = check_file(path, settings, day)
    file = program.folder / PROJECT_FILES[0]
    report = replace(checked.report, source=file, root=checkout(file))
    return replace(checked, report=report)


def refuse_check_settings(options: Mapping[str, Any]) -> None:
    """Refuse options that duplicate keys of a stack file.

    Raises:
        InputError: such an option is given.
    """
    for option in SETTINGS_OPTIONS:
        value = options[option]
        if value:
            raise InputError([not_with_stack_file(f"--{option}", value)])
