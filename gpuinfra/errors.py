"""The error classes; each error has an exit code and a location.

GpuinfraError (3)
├── InputError (2)        the stack file, an option or a setting is wrong; has every problem
├── NotYetError (2)       the grammar knows the word, this version does not build it
├── RefusedError (1)      a rule, a cap or a price refuses, or a file changed meanwhile
├── EngineError (3)       no Pulumi engine, or it failed
├── RefreshError (3)      a price interface failed or is not understood; nothing was changed
├── SandboxError (3)      the local cloud is not there or broke
└── CloudError (3)        a cloud refused; carries what, why and what to change
"""

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, Self

from gpuinfra.records import record
from gpuinfra.similar_words import nearest

PathPart = str | int


def printable(text: str) -> str:
    """Return text with all terminal control and invisible characters escaped, line breaks too."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


@record(kw_only=False)
class Position:
    """A place in a file: line and column count from 1; `text` is that line for the caret."""

    file: str
    line: int
    column: int
    text: str = ""

    def __str__(self) -> str:
        return f"{printable(self.file)}:{self.line}:{self.column}"


@record
class Problem:
    """One thing wrong with the input, in the user's words.

    Attributes:
        message: what is wrong; names the subject, lower case, no full stop.
        path: where in the stack, for example ("training", "trainer", "gpu").
        value: what was given, as written; empty when something is missing.
        allowed: what would be accepted, in words or as a list.
        suggestion: the "did you mean", one word of `allowed`.
        fix: what to change, as an instruction.
        position: where in the file, when it is known.
        structural: the JSON Schema can refuse it too (else only planning can).
        lacks: the end of the message that says what a mapping has not, for example "no 'port'".
    """

    message: str
    path: tuple[PathPart, ...] = ()
    value: str = ""
    allowed: str = ""
    suggestion: str = ""
    fix: str = ""
    position: Position | None = None
    structural: bool = False
    lacks: str = ""


def unknown_word(
    message: str,
    word: str,
    accepted_words: Collection[str],
    path: tuple[PathPart, ...] = (),
    fix: str = "",
) -> Problem:
    """Return the problem of a word that is none of the known ones, which are all allowed."""
    return Problem(
        message=message,
        path=path,
        value=word,
        allowed=", ".join(accepted_words),
        suggestion=nearest(word, accepted_words),
        fix=fix,
    )


PROGRAM: Final = "gpuinfra"


def shown_path(path: Path) -> Path:
    """Return a path as short as it can be written here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


_NAMES_AS_GIVEN: Final[dict[Path, Path]] = {}
"""Files by the folder that their reader named instead; the first one counts."""


def named_as(file: Path, user_path: Path) -> Path:
    """Return the file; later messages name it as the user did, by its folder.

    What is read again later, by the file's own name, changes nothing.
    """
    _NAMES_AS_GIVEN.setdefault(file, user_path)
    return file


def forget_names() -> None:
    """Forget how files were named: another command begins."""
    _NAMES_AS_GIVEN.clear()


def command_line(*arguments: object) -> str:
    """Return a command line for a message, quoted for the shell."""
    shown_words = (
        _NAMES_AS_GIVEN.get(argument, argument) if isinstance(argument, Path) else argument
        for argument in arguments
    )
    return shlex.join((PROGRAM, *map(str, shown_words)))


def lock_update(source: object = "SOURCE") -> str:
    """Return the command that writes the lock of a stack file again, for a message."""
    return command_line("lock", source, "--update")


class GpuinfraError(Exception):
    """Base of everything gpuinfra raises on purpose; its fix has commands in backquotes."""

    exit_code = 3

    def __init__(self, message: str = "", *, why: str = "", fix: str = "") -> None:
        self.message, self.why, self.fix = message, why, fix
        super().__init__("; ".join(filter(None, (message, why, fix))))


class InputError(GpuinfraError):
    """The input is wrong; `problems` has all of them, in the order of the file."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.message for problem in self.problems))

    @classmethod
    def of(
        cls,
        message: str,
        *,
        path: tuple[PathPart, ...] = (),
        value: str = "",
        allowed: str = "",
        suggestion: str = "",
        fix: str = "",
    ) -> Self:
        """Return the error of one problem, whose fields are those of `Problem`."""
        problem = Problem(
            message=message,
            path=path,
            value=value,
            allowed=allowed,
            suggestion=suggestion,
            fix=fix,
        )
        return cls([problem])


class NotYetError(GpuinfraError):
    """The grammar reserves this, and this version does not build it."""

    exit_code = 2


class RefusedError(GpuinfraError):
    """A rule, a cap, an unknown or an outdated price refuses."""

    exit_code = 1


class ChangedFileError(RefusedError):
    """A file was changed after it was read, so that it is not written; no verdict on the input."""


class EngineError(GpuinfraError):
    """The Pulumi engine is missing, unfit, or failed."""


class LockedError(EngineError):
    """Another run holds the stack, or was killed and left it locked.

    `holder` says which run holds it; `ended`: that process no longer runs; `command` is the
    one to run then.
    """

    def __init__(
        self, holder: str, *, ended: bool, command: str = "the command again with --unlock"
    ) -> None:
        self.holder, self.ended = holder, ended
        condition = "that process no longer runs here; if no other machine of that name runs it"
        fix_text = f"{condition}, run {command}"
        if not ended:
            fix_text = f"wait until that run ends, or, if it was killed, run {command}"
        super().__init__(holder, why="nothing was changed", fix=fix_text)


class RefreshError(GpuinfraError):
    """The error for a price API that is unavailable or returns an undocumented response."""


class SandboxError(GpuinfraError):
    """The local cloud is not running, lost its state, or broke."""


@record
class Refusal:
    """A cloud's refusal, translated: what was refused, why, and what to change."""

    what: str
    why: str
    fix: str
    code: str = ""
    urn: str = ""


class CloudError(GpuinfraError):
    """A cloud (or the sandbox in its place) refused one or more resources."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        self.refusals = tuple(refusals)
        super().__init__("; ".join(f"{refusal.what}: {refusal.why}" for refusal in self.refusals))
