from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuinfra.cli import run
from tests.cli.hints import hints_in, takes

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
