"""The recording of the first commands shows what the commands print today, times aside."""

import importlib.util
import json
import re
import sys
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytest.importorskip("pty", reason="needs a terminal of POSIX")
_SPEC = importlib.util.spec_from_file_location("recording", ROOT / "docs/site/recording.py")
assert _SPEC
assert _SPEC.loader
recording = importlib.util.module_from_spec(_SPEC)
sys.modules["recording"] = recording  # where its dataclass looks for itself
_SPEC.loader.exec_module(recording)

HEADER, *EVENTS = map(json.loads, recording.CAST.read_text("utf-8").splitlines())
SHOWN = "".join(text for _, _, text in EVENTS)

DAY = datetime.fromtimestamp(HEADER["timestamp"], UTC).date()

CONTROL = re.compile(r"\x1b\[(?P<numbers>[\d;?]*)(?P<what>[A-Za-z])|(?P<text>[^\x1b])", re.DOTALL)
VARYING = (
    (re.compile(r"\(?\b\d+\.\d s\b\)?"), "… s"),
    (re.compile(r"\s+\d+\.\d$"), " …"),  # the seconds of a step
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z"), "moment"),
    (re.compile(r"(?<=\d{4}-\d\d-\d\d )\d\d:\d\d(?: UTC)?"), "time"),
    (
        re.compile(r"(?<=ends: )\d{4}-\d\d-\d\d"),
        "day",
    ),  # some hours later: of that day or the next
    (re.compile(r"(?<=  )\d\d:\d\d$"), "time"),  # below its day, in a narrow table
    (re.compile(r"\b[0-9a-f]{7,17}\b"), "id"),
    (re.compile(r"[ ─]{2,}"), "  "),
)
"""What differs from run to run, and what stands in its place; columns are as wide as that."""


def screen(printed: str) -> list[str]:
    """The lines that stay of what is printed: a terminal's, without colours and what it erased."""
    lines, row, column = [""], 0, 0
    for match in CONTROL.finditer(printed):
        text, number = match["text"], int(re.sub(r"\D", "", match["numbers"] or "") or 1)
        if text == "\r":
            column = 0
        elif text == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif match["what"] == "A":
            row = max(0, row - number)
        elif match["what"] == "K":
            lines[row] = "" if match["numbers"] == "2" else lines[row][:column]
        elif text and text != "\a":
            lines[row] = f"{lines[row][:column].ljust(column)}{text}{lines[row][column + 1 :]}"
            column += 1
    return [line.rstrip() for line in lines if line.strip()]


def steady(lines: list[str], *days: date) -> list[str]:
    """Lines without what differs from run to run, these days among it."""
    for pattern, word in (*VARYING, *((re.compile(day.isoformat()), "today") for day in days)):
        lines = [pattern.sub(word, line) for line in lines]
    return lines


def test_what_was_erased_is_not_shown() -> None:
    spinner = "⠋ building\r\x1b[2K⠙ building: 1\r\n\r\x1b[1A\x1b[2K"
    printed = f"\x1b[32m$\x1b[0m up\r\n{spinner}done\r\n"

    assert screen(printed) == ["$ up", "done"]


def test_times_and_ids_are_left_out() -> None:
    lines = ["7 created in 12.3 s", "step   4.5", f"0123abcd {DAY} 03:19 UTC", "$4.12/h"]
    lines.append("spot  09:15")

    assert steady(lines, DAY) == [
        *("7 created in … s", "step …", "id today time", "$4.12/h", "spot  time")
    ]


def test_it_is_a_recording_of_a_terminal_of_80_columns() -> None:
    assert (HEADER["version"], HEADER["width"], HEADER["height"]) == (2, 80, 24)
    assert "idle_time_limit" not in HEADER, "a player shortens no wait"
    assert all(earlier[0] <= later[0] for earlier, later in pairwise(EVENTS))
    assert {kind for _, kind, _ in EVENTS} == {"o"}
    assert max(map(len, screen(SHOWN))) <= 80
    assert [line for line in screen(SHOWN) if re.search("[\u2800-\u28ff]", line)] == [], (
        "a spinner"
    )
    assert 30 < EVENTS[-1][0] < 120, "with the times at which it came; docs/tour.md: a minute"


def test_it_shows_each_command_and_no_place_of_a_machine() -> None:
    typed = [line[2:] for line in screen(SHOWN) if line.startswith("$ ")]

    assert typed == [line for line, _ in recording.STEPS]
    assert re.findall(r"/(?:tmp|home|root|work|usr|var)/\S*", SHOWN) == []


@pytest.mark.e2e
@pytest.mark.timeout(900)
def test_the_recording_shows_what_the_commands_print() -> None:
    """`make recording` records it anew."""
    played = "".join(
        text for _, events in recording.played(DAY, pace=0.0, pause=0.0) for _, text in events
    )

    now = datetime.now(UTC).date()
    assert steady(screen(played), DAY, now) == steady(screen(SHOWN), DAY)
