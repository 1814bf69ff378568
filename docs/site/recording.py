"""Records docs/tour.cast: the first commands, typed into a shell on a terminal of 80 columns.

`make recording` runs it. Nothing is cut, and no wait is shortened: each piece of output
has the time at which it came.
https://docs.asciinema.org/manual/asciicast/v2/
"""

import codecs
import fcntl
import json
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CAST: Final = ROOT / "docs" / "tour.cast"
WIDTH, HEIGHT = 80, 24
TITLE: Final = "gpuinfra: from quickstart to destroy, in the local cloud"

KEY, PAUSE = 0.04, 1.5
"""Seconds between two keys, and before a command."""

PATIENCE: Final = 600.0
"""Seconds until a command that does not end is given up."""

PROMPT: Final = "\x1b[32m$\x1b[0m "

STACK: Final = "my-stack"
SANDBOX: Final = f"{STACK} --target sandbox"
STEPS: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("gpuinfra quickstart", {}),
    (
        f"gpuinfra init {STACK}",
        {"What to build?": "fine-tune", "How big?": "L4:1", "Where?": "us-east-1"},
    ),
    (f"cat {STACK}/stack.yaml", {}),
    (f"gpuinfra check {STACK}", {}),
    (f"gpuinfra cost {STACK}", {}),
    (f"gpuinfra plan {STACK}", {}),
    (f"gpuinfra preview {SANDBOX}", {}),
    (f"gpuinfra up {SANDBOX}", {}),
    (f"gpuinfra status {SANDBOX}", {}),
    (f"gpuinfra destroy {SANDBOX}", {}),
)
"""What is typed: each command, and the answers to what it asks."""

SHELL: Final = """\
import fcntl, os, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
"""
"""Makes the terminal that of a shell, so that its line editor and Ctrl-C work as for a user."""

COMMAND: Final = """\
#!{python}
import datetime
import gpuinfra.today
gpuinfra.today.today = lambda: datetime.date({day.year}, {day.month}, {day.day})
from gpuinfra.cli import main
main()
"""
"""`gpuinfra`, as an installation puts it on PATH, on the day of the recording."""

APART: Final = ("AWS_", "CI", "COLUMNS", "GITHUB_", "GITLAB_", "LINES", "NO_COLOR", "PYTEST_")
"""What a user's own environment may have that would change what is shown."""


@dataclass
class Terminal:
    """A shell on a terminal, and what it printed: pieces with the second at which each came."""

    leader: int
    events: list[tuple[float, str]] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    decoder: codecs.IncrementalDecoder = field(
        default_factory=codecs.getincrementaldecoder("utf-8")
    )

    def read(self, seconds: float) -> None:
        """Take what is printed within some seconds."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.leader], [], [], left)[0]:
                text = self.decoder.decode(os.read(self.leader, 65_536))
                self.events.append((round(time.monotonic() - self.begun, 3), text))

    def wait(self, for_: Sequence[str], since: int) -> str:
        """Wait until the output of the events since one ends a prompt, and return that prompt.

        Raises:
            TimeoutError: it never does.
        """
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            printed = "".join(text for _, text in self.events[since:])
            for prompt in for_:
                if printed.endswith(prompt) if prompt == PROMPT else prompt in printed:
                    return prompt
            self.read(0.05)
        raise TimeoutError(f"no {' or '.join(for_)} within {PATIENCE:.0f} s")

    def type(self, line: str, pace: float) -> None:
        """Type a line and Enter."""
        for key in f"{line}\r":
            os.write(self.leader, key.encode())
            self.read(pace)


def played(
    day: date, *, pace: float = KEY, pause: float = PAUSE
) -> Iterator[tuple[str, list[tuple[float, str]]]]:
    """Each step with what the terminal shows from its typing to the next prompt, and when.

    The checkout is a copy, its sandbox a new one: no path of this machine is shown.
    """
    with TemporaryDirectory() as made:
        checkout = Path(made, "gpuinfra")
        _copied(checkout)
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        shell = subprocess.Popen(
            [sys.executable, "-c", SHELL],
            cwd=checkout,
            env=_environment(Path(made), day),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        terminal = Terminal(leader)
        try:
            terminal.wait([PROMPT], 0)
            begin = 0
            for line, answers in STEPS:
                terminal.read(pause)
                _answered(terminal, line, dict(answers), pace)
                yield line, terminal.events[begin:]
                begin = len(terminal.events)
        finally:
            subprocess.run(
                [Path(made, "bin", "gpuinfra"), "sandbox", "stop"],
                env=_environment(Path(made), day),
                capture_output=True,
                check=False,
            )
            shell.kill()
            shell.wait()
            os.close(leader)


def _answered(terminal: Terminal, line: str, answers: dict[str, str], pace: float) -> None:
    """Type a command and the answers to what it asks, until the shell asks for the next one."""
    begin = len(terminal.events)
    terminal.type(line, pace)
    while (prompt := terminal.wait([*answers, PROMPT], begin)) != PROMPT:
        terminal.read(pace and PAUSE)
        begin = len(terminal.events)
        terminal.type(answers.pop(prompt), pace)


def _copied(checkout: Path) -> None:
    """What git has of the checkout, as a clone of it would."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "gpuinfra", "policies", "stacks", "pyproject.toml"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)


def _environment(made: Path, day: date) -> dict[str, str]:
    """A new user's environment: `gpuinfra` on PATH, a mail address for git, no cloud."""
    command = made / "bin" / "gpuinfra"
    command.parent.mkdir(exist_ok=True)
    command.write_text(COMMAND.format(python=sys.executable, day=day), encoding="utf-8")
    command.chmod(0o755)
    keys = made / "inputrc"
    keys.write_text("set enable-bracketed-paste off\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(APART)}
    return {
        **kept,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(made / "gpuinfra"),
        "PS1": f"\\[{PROMPT[:5]}\\]$\\[\x1b[0m\\] ",
        "INPUTRC": str(keys),
        "HISTFILE": "",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "GPUINFRA_SANDBOX_HOME": str(made / "sandbox"),
        "GPUINFRA_CATALOG_HOME": str(made / "catalog"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.email",
        "GIT_CONFIG_VALUE_0": "jane@example.com",
    }


def main() -> None:
    """Record, and write the file."""
    now = datetime.now(UTC)
    header = {
        "version": 2,
        "width": WIDTH,
        "height": HEIGHT,
        "timestamp": int(now.timestamp()),
        "title": TITLE,
    }
    lines = [json.dumps(header)]
    for line, events in played(now.date()):
        sys.stderr.write(f"{line}\n")
        lines += (json.dumps([at, "o", text], ensure_ascii=False) for at, text in events)
    CAST.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
