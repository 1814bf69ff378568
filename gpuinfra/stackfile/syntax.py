"""Faults in the text and YAML of a file, worded for the user who writes it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from gpuinfra.errors import Position, Problem

LONGEST_FILE: Final = 4 * 2**20
LONGEST_LINE: Final = 10_000

PULUMI_READERS: Final = (
    "if it is a preview or a state of Pulumi, only check, plan, cost and report read it"
)
"""The fix for JSON where a stack file is expected."""

_BREAK: Final = re.compile(r"\r\n|[\n\r]")
_FORBIDDEN: Final = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]",
    "[\ud800-\udfff\ufffe\uffff]",
)
"""What YAML 1.2 calls not printable (https://yaml.org/spec/1.2.2/#51-character-set); in one, the
two take twenty times as long to compile."""

_YAML_FAULTS: Final[Sequence[Sequence[str]]] = json.loads(
    Path(__file__).with_name("yaml_faults.json").read_bytes()
)
"""A piece of the parser's complaint, what it means, and the fix."""


_COMPRESSED: Final = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ": "xz",
}
"""The first bytes of compressed files, with the format."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, split as by the YAML parser."""
    return _BREAK.split(text)


def text_of(data: bytes, file: str) -> tuple[str, Problem | None]:
    """Return the text of a file's bytes, and the first problem that makes it invalid."""
    if len(data) > LONGEST_FILE:
        return "", _file_fault(
            f"the file is larger than {LONGEST_FILE // 2**20} MiB",
            file,
            f"{LONGEST_FILE // 2**20} MiB of text",
            "use a stack file, not a data file",
        )
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "", _file_fault("the file is UTF-16", file, "UTF-8", "save it as UTF-8")
    for magic, kind in _COMPRESSED.items():
        if data.startswith(magic):
            message, fix = f"the file is compressed ({kind})", "unpack it, and name what it held"
            return "", _file_fault(message, file, "text in UTF-8", fix)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return "", _not_utf8(data, error, file)
    return text, _forbidden(text, file)


def faults_of(error: YAMLError, file: str, lines: Sequence[str]) -> Problem:
    """Return a parser's error as a problem."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        reason = error.reason if isinstance(error, ReaderError) else str(error)
        return _file_fault(f"the file is not YAML: {reason}", file, "", "write plain YAML 1.2")
    mark = error.problem_mark
    line, column = mark.line, mark.column
    complaint = f"{error.context or ''}; {error.problem or ''}"
    faults = [(message, fix) for piece, message, fix in _YAML_FAULTS if piece in complaint]
    message, fix = faults[0] if faults else _character_problem(str(error.problem))
    tab = _tab_before(lines, line, column)
    if tab is not None:
        line, column = tab
        message, fix = "a line is indented with a tab", "YAML indents with spaces; replace the tab"
    else:
        line, column = _unclosed_position(error, lines, line, column)
    text = lines[line] if line < len(lines) else ""
    return Problem(message=message, fix=fix, position=Position(file, line + 1, column + 1, text))


def _character_problem(problem: str) -> tuple[str, str]:
    """Return the message and fix for a complaint about a character, or for an unknown one."""
    match = re.search(r"found character (['\"].{1,6}['\"]) that cannot start any token", problem)
    if match:
        return f"a text can't start with {match[1]}", "quote the text"
    return f"invalid YAML: {problem}", "write plain YAML 1.2: `key: value`, lists and mappings"


def _unclosed_position(
    error: MarkedYAMLError, lines: Sequence[str], line: int, column: int
) -> tuple[int, int]:
    """Return where an unclosed quote, bracket or key begins, else the given place."""
    start_mark = error.context_mark
    if start_mark is None:
        return line, column
    complaint = str(error.problem)
    is_unfinished = any(
        phrase in complaint for phrase in ("end of stream", "stream end", "expected ':'")
    )
    # What stands in brackets is indented more than the line that opens them.
    is_unclosed = (
        "while parsing a flow" in str(error.context)
        and (first := int(start_mark.line)) < line < len(lines)
        and _indentation(lines[line]) <= _indentation(lines[first])
    )
    return (start_mark.line, start_mark.column) if is_unfinished or is_unclosed else (line, column)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _tab_before(lines: Sequence[str], line: int, column: int) -> tuple[int, int] | None:
    """Return the place of a tab in an indentation at or before a line; None if there is none."""
    for number in range(max(0, line - 1), min(line + 1, len(lines))):
        match = re.match(r" *\t", lines[number])
        if match:
            return number, match.end() - 1
    at_tab = line < len(lines) and lines[line][column : column + 1] == "\t"
    return (line, column) if at_tab else None


def _forbidden(text: str, file: str) -> Problem | None:
    """Return the problem of the first character or line that is refused before parsing."""
    forbidden_matches = (match for pattern in _FORBIDDEN if (match := re.search(pattern, text)))
    first = min(forbidden_matches, key=re.Match.start, default=None)
    if first:
        lines_before = lines_of(text[: first.start()])
        line = lines_of(text)[len(lines_before) - 1]
        return Problem(
            message="the file contains a control character",
            value=first.group(),
            fix="remove it, or write it as an escape in double quotes",
            position=Position(file, len(lines_before), len(lines_before[-1]) + 1, line),
        )
    for number, line in enumerate(lines_of(text)):
        if len(line) > LONGEST_LINE:
            return Problem(
                message=f"the line is longer than {LONGEST_LINE:,} characters",
                allowed=f"{LONGEST_LINE:,} characters in a line",
                fix=PULUMI_READERS
                if text.lstrip().startswith("{")
                else "split the line; keep data in a bucket",
                position=Position(file, number + 1, 1, line),
            )
    return None


def _not_utf8(data: bytes, error: UnicodeDecodeError, file: str) -> Problem:
    if b"\0" in data:
        return _file_fault("the file is binary", file, "text in UTF-8", "name a text file")
    lines_before = lines_of(data[: error.start].decode("utf-8-sig", "replace"))
    line = lines_of(data.decode("utf-8-sig", "replace"))[len(lines_before) - 1]
    return Problem(
        message="the file is not UTF-8",
        value=f"byte 0x{data[error.start]:02x}",
        allowed="UTF-8",
        fix="save it as UTF-8",
        position=Position(file, len(lines_before), len(lines_before[-1]) + 1, line),
    )


def _file_fault(message: str, file: str, allowed: str, fix: str) -> Problem:
    return Problem(message=message, allowed=allowed, fix=fix, position=Position(file, 1, 1))
