"""The look-ups of a preview whose answers are unknown, since only the account has them."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from gpuinfra.engine.program_preview.failures import MEND
from gpuinfra.engine.program_preview.project import RUN_HINT
from gpuinfra.errors import GpuinfraError, InputError
from gpuinfra.model import STACK_REFERENCE
from gpuinfra.pulumi_special_values import shown_unknown
from gpuinfra.sandbox.sandbox_folder import LOOKUPS_FILE

_NOTE: Final = "unknown, since only the account has the answer: the look-up {}"
_STACKS_NOTE: Final = "unknown, since a check does not read other stacks: the outputs of {}"


def unknown_lookups(sandbox: Path) -> tuple[str, ...]:
    """Return the tokens of a preview's look-ups with unknown answers, each once, in order."""
    file = sandbox / LOOKUPS_FILE
    return tuple(dict.fromkeys(file.read_text("utf-8").split())) if file.exists() else ()


def stack_references(digest: Path) -> tuple[str, ...]:
    """Return the other stacks to which a previewed program refers, each once, by name.

    The engine asks for several at a time, so that their order in a preview is not the program's.
    """
    with suppress(OSError, ValueError):
        steps = json.loads(digest.read_text("utf-8")).get("steps") or ()
        states = (step.get("newState") or {} for step in steps)
        names = {
            shown_unknown(state["inputs"]["name"])
            for state in states
            if state.get("type") == STACK_REFERENCE
        }
        return tuple(sorted(names))
    return ()


def notes(lookups: tuple[str, ...], stacks: tuple[str, ...]) -> Iterable[str]:
    """Yield the notes on a verdict of a program that had unknown answers."""
    for names, text in ((lookups, _NOTE), (stacks, _STACKS_NOTE)):
        if names:
            yield text.format(" and ".join(names))


def with_hint(
    error: GpuinfraError, lookups: tuple[str, ...], stacks: tuple[str, ...] = ()
) -> GpuinfraError:
    """Return the error of a program, which may have failed by an unknown answer alone."""
    unanswered = (*lookups, *(f"the stack reference {name}" for name in stacks))
    if not unanswered or not isinstance(error, InputError):
        return error
    if all(problem.fix != MEND for problem in error.problems):
        return error
    fix = f"the program may need what the account answers to {', '.join(unanswered)}: {RUN_HINT}"
    return InputError(
        [
            replace(problem, fix=fix) if problem.fix == MEND else problem
            for problem in error.problems
        ]
    )
