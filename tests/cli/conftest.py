import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from gpuinfra.cli import COMMANDS, cli, run

STACKS = Path(__file__).parents[2] / "stacks"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def gpuinfra(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs one command in this process and gives what it printed."""

    def call(*arguments: object) -> Ran:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        document = captured.out.startswith(("{", "[", "<", "::", "#"))
        for hint in hints_in(captured.err if document else captured.out + captured.err):
            takes(hint)
        return Ran(code, captured.out, captured.err)

    return call


HINT = re.compile(r"(?<!Usage): gpuinfra ([a-z-]+(?: [^:;\n]*)?)$", re.MULTILINE)


def hints_in(text: str) -> list[str]:
    """The commands that a text ends a line with, for its reader to run as they stand."""
    return [hint for hint in HINT.findall(text) if hint.split()[0] in dict(COMMANDS)]


def takes(hint: str) -> None:
    """Fail unless the command line takes a hint: its command, options and arguments are there."""
    context, arguments = click.Context(cli, info_name="gpuinfra"), shlex.split(hint)
    while isinstance(context.command, click.Group) and arguments:
        name, *arguments = arguments
        command = context.command.get_command(context, name)
        assert command is not None, hint
        context = command.make_context(name, list(arguments), parent=context)


@pytest.fixture
def quickstart() -> Path:
    return STACKS / "quickstart"


@pytest.fixture
def stack(tmp_path: Path, quickstart: Path) -> Callable[..., Path]:
    """Writes the quickstart's stack file with some of its text replaced."""

    def write(*replaced: tuple[str, str]) -> Path:
        text = (quickstart / "stack.yaml").read_text()
        for old, new in replaced:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / "stack.yaml"
        path.write_text(text)
        return path

    return write
