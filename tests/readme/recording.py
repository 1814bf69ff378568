"""A recording of a page's transcripts, which `asciinema play` shows: asciicast, version 2.

https://docs.asciinema.org/manual/asciicast/v2/
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.readme.transcripts import BLOCK

WIDTH, HEIGHT = 96, 30
KEY, LINE, PAUSE = 0.03, 0.06, 1.5
"""Seconds for a typed character, for a printed line, and between two steps."""

HEADING = re.compile(r"^##? (?P<heading>.+)$", re.MULTILINE)


def recording(page: Path) -> str:
    """The page's headings, files and transcripts, typed and printed at a readable speed."""
    text = page.read_text(encoding="utf-8")
    title = HEADING.search(text)
    header = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": title and title["heading"]}
    lines, time = [json.dumps(header)], 0.0
    for delay, output in _steps(text):
        time += delay
        lines.append(json.dumps([round(time, 2), "o", output], ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _steps(text: str) -> Iterator[tuple[float, str]]:
    """Each output with the seconds before it."""
    parts = sorted([*HEADING.finditer(text), *BLOCK.finditer(text)], key=lambda part: part.start())
    for part in parts:
        if part.re is HEADING:
            yield PAUSE, f"\r\n\x1b[1m# {part['heading']}\x1b[0m\r\n"
        elif part["kind"] == "file":
            yield from _typed(f"cat {part['what']}")
            yield from _printed(part["text"].splitlines())
        else:
            for line in part["text"].splitlines():
                yield from _typed(line[2:]) if line.startswith("$ ") else _printed([line])


def _typed(command: str) -> Iterator[tuple[float, str]]:
    yield PAUSE, "\x1b[32m$\x1b[0m "
    yield from ((KEY, key) for key in command)
    yield PAUSE / 3, "\r\n"


def _printed(lines: list[str]) -> Iterator[tuple[float, str]]:
    yield from ((LINE, f"{line}\r\n") for line in lines)
