"""`gpuinfra check` of a Pulumi program: previewed in processes of its own, then judged."""

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gpuinfra.api import check_settings
from gpuinfra.cli import outputs
from gpuinfra.cli.commands import check_pulumi_file
from gpuinfra.cli.programs import Program
from gpuinfra.cli.views.progress import waiting
from gpuinfra.cli.views.render import note
from gpuinfra.engine.program_preview import preview_of
from gpuinfra.errors import InputError, Problem

HOW = "previewed by the sandbox's plugins, from an empty state"


def check(
    program: Program,
    chosen_outputs: Sequence[outputs.Output],
    options: check_pulumi_file.CheckOptions,
    rung: Sequence[str],
) -> int:
    """Run a program for its preview, and judge that in every format asked for; the exit code.

    Raises:
        InputError: the program can't be run or failed, or what was given beside it is wrong.
        CloudError: the sandbox refused a resource, or did not answer a question.
        EngineError: there is no engine, or it failed.
    """
    if rung:
        raise InputError([_one_rung(rung[0])])
    waivers = check_pulumi_file.waivers_of(program.folder, options)
    # faults are told before code runs
    check_settings.read(options.settings, options.stack, options.day, waivers)
    notes = [HOW]
    with previewed(program, notes) as (path, again):
        of_program = replace(options, source=program.folder, notes=notes, preview=again)
        return check_pulumi_file.check(path, chosen_outputs, of_program)


@contextmanager
def previewed(
    program: Program, notes: list[str]
) -> Generator[tuple[Path, Callable[[Path], Path]]]:
    """A program's preview, as a file that stays for as long as it is needed.

    Gives the file, and what makes one of another folder; `notes` takes what is said of it.

    Raises:
        InputError: the program can't be run or failed.
        CloudError: the sandbox refused a resource, or did not answer a question.
        EngineError: there is no engine, or it failed.
    """
    with tempfile.TemporaryDirectory(prefix="gpuinfra-preview-") as name:
        place = Path(name)

        def preview(folder: Path, say_of_verdict: Callable[[str], None], into: Path) -> Path:
            return preview_of(
                folder,
                program.config_of,
                program.config,
                say_of_verdict,
                into=into,
                say=note,
                config_unknown=program.config_unknown,
            )

        def again(folder: Path) -> Path:
            into = Path(tempfile.mkdtemp(dir=place))
            return preview(folder, note, into)

        with waiting("running the program for its preview"):
            path = preview(program.folder, notes.append, place)
        yield path, again


def _one_rung(given: str) -> Problem:
    workload, _, rung = given.partition("=")
    return Problem(
        message="a program chooses its rungs itself",
        value=given,
        fix="remove --rung; a gpuinfra program takes it as configuration: --config "
        f"gpuinfra:rung.{workload}={rung or 'RUNG'}",
    )
