"""The look-ups of a preview whose answers are unknown, since only the account has them."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from gpuinfra.engine.program_preview.failures import MEND
from gpuinfra.engine.program_preview.project import RUN_HINT
from gpuinfra.errors import GpuinfraError, InputError
from gpuinfra.sandbox.sandbox_folder import LOOKUPS_FILE

_NOTE: Final = "unknown, since only the account has the answer: the look-up {}"


def unknown_lookups(sandbox: Path) -> tuple[str, ...]:
    """Return the tokens of a preview's look-ups with unknown answers, each once, in order."""
    file = sandbox / LOOKUPS_FILE
    return tuple(dict.fromkeys(file.read_text("utf-8").split())) if file.exists() else ()


def note_text(lookups: tuple[str, ...]) -> str:
    """Return the note on a verdict of a program that had unknown answers."""
    return _NOTE.format(" and ".join(lookups))


def with_hint(error: GpuinfraError, lookups: tuple[str, ...]) -> GpuinfraError:
    """Return the error of a program, which may have failed by an unknown answer alone."""
    if not lookups or not isinstance(error, InputError):
        return error
    if all(problem.fix != MEND for problem in error.problems):
        return error
    fix = f"the program may need what the account answers to {', '.join(lookups)}: {RUN_HINT}"
    return InputError(
        [
            replace(problem, fix=fix) if problem.fix == MEND else problem
            for problem in error.problems
        ]
    )
