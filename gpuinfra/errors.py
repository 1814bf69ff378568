"""The error classes; each error has an exit code and a location.

GpuinfraError (3)
├── InputError (2)        the stack file, an option or a setting is wrong; has every problem
├── NotYetError (2)       the grammar knows the word, this version does not build it
├── RefusedError (1)      a rule, a cap or a price refuses to go on
├── EngineError (3)       no Pulumi engine, or it failed
├── RefreshError (3)      a price interface failed or is not understood; nothing was changed
├── SandboxError (3)      the local cloud is not there or broke
└── CloudError (3)        a cloud refused; carries what, why and what to change
"""

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from gpuinfra.records import record

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


def nearest(given: str, accepted: Iterable[str]) -> str:
    """Return the accepted word closest to a wrong one; empty if none is close.

    Letter case counts for nothing, and a hyphen as much as an underscore. A word that begins with
    the given one comes first: p5 means p5.48xlarge, not P4. Of words that look alike, those that
    begin with its first part come first; then it is the one that the fewest slips of a typist lead
    from; at a tie, the one of the same letters.
    """
    plain = _normalize_word(given[:_MAX_COMPARED_LENGTH])
    words: dict[str, str] = {}
    for word in accepted:
        words.setdefault(_normalize_word(word), word)
    longer = [word for word in words if len(plain) > 1 and word.startswith(plain)]
    if longer and plain not in words:
        return words[min(longer, key=lambda word: _continuation(plain, word))]
    first = _FIRST_PART.match(plain)
    family = [word for word in words if first and word.startswith(first[0])]
    alike = (
        _close(plain, family)
        or _close(plain, words)
        or [word for word in words if word[:1] == plain[:1] and _edits(plain, word) == 1]
    )
    letters = sorted(plain)
    best = words.get(
        min(alike, key=lambda word: (_edits(plain, word), sorted(word) != letters), default=""), ""
    )
    return "" if best == given else best


def close_matches(given: str, accepted: Iterable[str]) -> list[str]:
    """Return the accepted words that are one typing error from a wrong one, in their order."""
    plain = _normalize_word(given[:_MAX_COMPARED_LENGTH])
    return [word for word in accepted if _edits(plain, _normalize_word(word)) == 1]


def _continuation(plain: str, word: str) -> tuple[bool, bool]:
    """Return how a word extends another: by a few letters, by a new part, or not at all."""
    rest = word[len(plain) :]
    return (len(rest) > _ENDING, rest[:1].isalnum())


def _close(plain: str, words: Iterable[str]) -> list[str]:
    """Return the words that look like another one."""
    from difflib import get_close_matches  # noqa: PLC0415  (only a wrong word needs it)

    return get_close_matches(plain, list(words), n=_MOST_SIMILAR, cutoff=0.6)


def closest(given: str, accepted: Iterable[str]) -> list[str]:
    """Return the accepted words in the order of how much they look like another word.

    Those that begin with it are first. All stay in their own order where none looks like it.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415  (only a wrong word needs it)

    words = list(accepted)
    plain = _normalize_word(given[:_MAX_COMPARED_LENGTH])
    matcher = SequenceMatcher(b=plain, autojunk=False)

    def likeness(word: str) -> float:
        matcher.set_seq1(_normalize_word(word[:_MAX_COMPARED_LENGTH]))
        return matcher.ratio() + _normalize_word(word).startswith(plain)

    alike = {word: likeness(word) for word in words}
    if max(alike.values(), default=0) < _LIKE:
        return words
    return sorted(words, key=lambda word: -alike[word])


_LIKE = 0.5
"""From which likeness on a word may be meant."""

_MAX_COMPARED_LENGTH = 64
"""The compared length of an unknown word, and the maximum number of words compared in full."""

_MOST_SIMILAR = 10

_ENDING = 2
"""How many letters are still an ending of the same word: node, nodes."""

_FIRST_PART = re.compile(r"[a-z]+[a-z0-9]*(?=[-.])")
"""The text before the first dot or hyphen: the family of a machine type."""


def _normalize_word(word: str) -> str:
    return word.lower().replace("_", "-")


def _edits(left: str, other: str) -> int:
    """Return the edit distance of two words; swapped neighbours count as one edit.

    The distance of optimal string alignment:
    https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
    """
    above: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(left):
        before, above, row = above, row, [i + 1]
        for j, expected in enumerate(other):
            least = min(above[j + 1] + 1, row[j] + 1, above[j] + (letter != expected))
            if i and j and letter == other[j - 1] and left[i - 1] == expected:
                least = min(least, before[j - 1] + 1)
            row.append(least)
    return row[-1]


@record(kw_only=False)
class Position:
    """A place in a file: line and column count from 1; `text` is that line for the caret."""

    file: str
    line: int
    column: int
    text: str = ""


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
    """

    message: str
    path: tuple[PathPart, ...] = ()
    value: str = ""
    allowed: str = ""
    suggestion: str = ""
    fix: str = ""
    position: Position | None = None
    structural: bool = False


def unknown_word(
    message: str, word: str, known: Collection[str], path: tuple[PathPart, ...] = (), fix: str = ""
) -> Problem:
    """Return the problem of a word that is none of the known ones, which are all allowed."""
    return Problem(
        message=message,
        path=path,
        value=word,
        allowed=", ".join(known),
        suggestion=nearest(word, known),
        fix=fix,
    )


PROGRAM: Final = "gpuinfra"


def shown_path(path: Path) -> Path:
    """Return a path as short as it can be written here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


_NAMES_AS_GIVEN: Final[dict[Path, Path]] = {}
"""Files by the folder that their reader named instead; the first one counts."""


def named_as(file: Path, named: Path) -> Path:
    """Return the file; later messages name it as the user did, by its folder.

    What is read again later, by the file's own name, changes nothing.
    """
    _NAMES_AS_GIVEN.setdefault(file, named)
    return file


def forget_names() -> None:
    """Forget how files were named: another command begins."""
    _NAMES_AS_GIVEN.clear()


def command_line(*words: object) -> str:
    """Return a command line for a message, quoted for the shell."""
    named = (_NAMES_AS_GIVEN.get(word, word) if isinstance(word, Path) else word for word in words)
    return shlex.join((PROGRAM, *map(str, named)))


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


class NotYetError(GpuinfraError):
    """The grammar reserves this, and this version does not build it."""

    exit_code = 2


class RefusedError(GpuinfraError):
    """A rule, a cap, an unknown or an outdated price refuses."""

    exit_code = 1


class EngineError(GpuinfraError):
    """The Pulumi engine is missing, unfit, or failed."""


class LockedError(EngineError):
    """Another run holds the stack, or was killed and left it locked.

    `held` says by whom; `ended`: that process no longer runs; `command` is the one to run then.
    """

    def __init__(
        self, held: str, *, ended: bool, command: str = "the command again with --unlock"
    ) -> None:
        self.held, self.ended = held, ended
        alone = "that process no longer runs here; if no other machine of that name runs it"
        way_out = f"{alone}, run {command}"
        if not ended:
            way_out = f"wait until that run ends, or, if it was killed, run {command}"
        super().__init__(held, why="nothing was changed", fix=way_out)


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
