"""`gpuinfra check` of a Pulumi program: previewed in separate processes, then judged."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from gpuinfra import pulumi_files
from gpuinfra.api import check_settings
from gpuinfra.cli import outputs
from gpuinfra.cli.commands import check_pulumi_file
from gpuinfra.cli.program_options import Program
from gpuinfra.cli.views.progress import show_waiting
from gpuinfra.cli.views.render import note
from gpuinfra.engine.program_preview import part_in, preview_of
from gpuinfra.errors import GpuinfraError, InputError, Problem

_NO_RESOURCES = (
    "let its code register resources: code that ends early, or that sets mocks of the Pulumi SDK, "
    "registers none"
)
PREVIEW_NOTE = "previewed by the sandbox's plugins, from an empty state"


def check(
    program: Program, options: check_pulumi_file.CheckOptions, rung: Sequence[str]
) -> outputs.CheckOutput:
    """Run a program for its preview, and judge that.

    Raises:
        InputError: the program can't be run or failed, or an option is wrong.
        CloudError: the sandbox refused a resource, or did not answer a question.
        EngineError: there is no engine, or it failed.
    """
    if rung:
        raise InputError([_one_rung(rung[0])])
    waivers = check_pulumi_file.waivers_of(program.folder, options)
    # faults are told before code runs
    check_settings.read(options.settings, options.stack, options.day, waivers)
    notes = [PREVIEW_NOTE]
    of_program = replace(options, source=program.folder, notes=notes)
    with TemporaryDirectory(prefix="gpuinfra-preview-") as name:
        preview_path = Path(name)
        try:
            path = _preview(program, notes, preview_path)
        except GpuinfraError as error:
            return _check_part(error, preview_path, of_program)
        of_program = replace(of_program, preview=_repeat_preview(program, preview_path))
        with _errors_of_program(program, preview_path):
            return check_pulumi_file.check(path, of_program)


@contextmanager
def _errors_of_program(program: Program, preview_path: Path) -> Generator[None]:
    """Report what is wrong with a program's preview, a temporary file, about the program.

    Raises:
        InputError: about the program's folder.
    """
    try:
        yield
    except InputError as error:
        problems = [
            _of_program(problem, program.folder, preview_path) for problem in error.problems
        ]
        raise InputError(problems) from None


def _of_program(problem: Problem, folder: Path, preview_path: Path) -> Problem:
    position = problem.position
    if position is None or preview_path not in Path(position.file).parents:
        return problem
    return replace(problem, position=None, value=str(folder), fix=_NO_RESOURCES)


def _check_part(
    error: GpuinfraError, path: Path, options: check_pulumi_file.CheckOptions
) -> outputs.CheckOutput:
    """Judge the resources that a program registered before it failed.

    Raises:
        GpuinfraError: the program registered nothing that can be judged.
    """
    partial_path = part_in(path)
    if partial_path is None or not _can_be_read(partial_path):
        raise error
    return check_pulumi_file.check(partial_path, replace(options, program_error=error))


def _can_be_read(partial_path: Path) -> bool:
    try:
        return bool(pulumi_files.read(partial_path, partial=True).resources)
    except InputError:
        return False


@contextmanager
def temporary_preview(program: Program, notes: list[str]) -> Generator[Path]:
    """Preview a program into a temporary file that is deleted at the end of the context.

    `notes` collects the notes on it.

    Raises:
        InputError: the program can't be run or failed.
        CloudError: the sandbox refused a resource, or did not answer a question.
        EngineError: there is no engine, or it failed.
    """
    with (
        TemporaryDirectory(prefix="gpuinfra-preview-") as name,
        _errors_of_program(program, Path(name)),
    ):
        yield _preview(program, notes, Path(name))


def _preview(program: Program, notes: list[str], folder_for_preview: Path) -> Path:
    with show_waiting("running the program for its preview"):
        return _preview_of(program, program.folder, notes.append, folder_for_preview)


def _repeat_preview(program: Program, path: Path) -> Callable[[Path], Path]:
    """Return a function that previews a program in another folder with its configuration."""
    return lambda folder: _preview_of(program, folder, note, Path(mkdtemp(dir=path)))


def _preview_of(
    program: Program, folder: Path, print_note: Callable[[str], None], folder_for_preview: Path
) -> Path:
    return preview_of(
        folder,
        program.config_of,
        program.config,
        print_note,
        target_folder=folder_for_preview,
        show_progress=note,
        config_unknown=program.config_unknown,
    )


def _one_rung(value: str) -> Problem:
    workload, _, rung = value.partition("=")
    return Problem(
        message="a program chooses its rungs itself",
        value=value,
        fix="remove --rung; a gpuinfra program takes it as configuration: --config "
        f"gpuinfra:rung.{workload}={rung or 'RUNG'}",
    )
