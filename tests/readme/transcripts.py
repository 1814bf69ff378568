"""Pages whose files are written, whose commands are run, and whose output is compared.

In a page, a comment before a fenced block says what it is:

    <!-- file: my-stack/stack.yaml -->    the block is this file
    <!-- transcript: 8+2 -->              commands and what they print: of each the first 8 lines
                                          and the last 2, with … for what is between
    <!-- transcript e2e: 8 -->            the same, run with the engine and the sandbox
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuinfra.engine.versions import cache_folder

ROOT = Path(__file__).parents[2]
DAY = "2026, 11, 23"
"""The day of the transcripts: prices age, and a page must not."""

BLOCK = re.compile(
    r"^<!-- (?P<kind>file|transcript|transcript e2e): (?P<what>.+?) -->\n"
    r"(?P<head>```\w+\n)(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
VARYING = (
    (re.compile(r"\b\d+\.\d s\b"), "… s"),
    (re.compile(r"(?<=^Duration: )\w+"), "…"),
    (re.compile(r"\bid=[0-9a-f]{8}\b"), "id=…"),
    # What else was under way when a resource was refused may be done or not.
    (re.compile(r"(?<=-group; )\d+ created in"), "… created in"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d\b(?!:)"), "2026-11-23 09:00"),
)
"""What differs from run to run, and what stands in its place."""

WRAPPED_TIME = re.compile(r"\d{4}-\d\d-\d\d( *\n.* )\d\d:\d\d$", re.MULTILINE)
"""A day and a time that a narrow table has on two lines."""

RUN = (
    "import gpuinfra.today, gpuinfra.cli.views.progress, datetime\n"
    # what a slow machine is told while it waits
    "gpuinfra.cli.views.progress.FIRST_NOTICE_SECONDS = 3600\n"
    f"gpuinfra.today.today = lambda: datetime.date({DAY})\n"
    "from gpuinfra.cli import main\n"
    "main()\n"
)


PULUMI = """eval "$("$0" "$1" "$2" sandbox env)"; shift 2; pulumi "$@" """
"""Plain `pulumi`, as in a shell with the environment of the sandbox."""

PATH = os.pathsep.join([os.environ["PATH"], *map(str, cache_folder().glob("*/bin"))])
"""The user's PATH, then where gpuinfra keeps the engine and the host of YAML programs."""


@dataclass(frozen=True)
class Page:
    """A page that is played in a folder of its own, from top to bottom."""

    path: Path
    folder: Path

    def played(self, *, engine: bool) -> str:
        """The text of the page with what its commands print now."""
        (self.folder / "stacks").symlink_to(ROOT / "stacks")
        text = self.path.read_text(encoding="utf-8")
        return BLOCK.sub(lambda block: self._block(block, engine=engine), text)

    def _block(self, block: re.Match[str], *, engine: bool) -> str:
        if block["kind"] == "file":
            file = self.folder / block["what"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], encoding="utf-8")
            return block[0]
        if block["kind"] == "transcript e2e" and not engine:
            return block[0]
        first, _, last = block["what"].partition("+")
        commands = [line for line in block["text"].splitlines() if line.startswith("$ ")]
        shown = (
            f"{command}\n{_cut(self._run(command[2:]), int(first), int(last or 0))}"
            for command in commands
        )
        head = f"<!-- {block['kind']}: {block['what']} -->\n{block['head']}"
        return f"{head}{''.join(shown)}```"

    def _run(self, command: str) -> list[str]:
        program, *words = shlex.split(command)
        ours = [sys.executable, "-c", RUN]
        programs = {"gpuinfra": ours, "pulumi": ["bash", "-c", PULUMI, *ours]}
        done = subprocess.run(
            [*programs[program], *words],
            cwd=self.folder,
            env={
                **os.environ,
                "COLUMNS": "80",
                "PATH": PATH,
                "PYTHONPATH": str(ROOT),
                "GPUINFRA_SANDBOX_HOME": str(self.folder / ".sandbox"),
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "user.email",
                "GIT_CONFIG_VALUE_0": "jane@example.com",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed = WRAPPED_TIME.sub(r"2026-11-23\g<1>09:00", done.stdout)
        return [_steady(line) for line in printed.splitlines()]


def _steady(line: str) -> str:
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    return line.rstrip()


def _cut(lines: list[str], first: int, last: int) -> str:
    """Return the first and the last of some lines, with one blank line where there are several."""
    lines = re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip("\n")).splitlines()
    if len(lines) > first + last + 1:
        lines = [*lines[:first], "…", *(lines[-last:] if last else [])]
    return "".join(f"{line}\n" for line in lines)


def pages() -> list[Path]:
    """Every page of the project that people read."""
    return sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])


def consoles(path: Path) -> Iterator[str]:
    """The transcripts of a page that are not generated."""
    yield from re.findall(
        r"^```console$", BLOCK.sub("", path.read_text(encoding="utf-8")), re.MULTILINE
    )
