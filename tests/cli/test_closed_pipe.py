"""A reader that goes away, such as `head`, ends a command quietly."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "from gpuinfra.cli import main; main()"


@pytest.mark.parametrize("wrong", [[], ["--bogus"]])
def test_an_error_as_a_document_ends_quietly_when_its_reader_has_gone(
    tmp_path: Path, wrong: list[str]
) -> None:
    ended = into_a_closed_pipe("check", str(tmp_path / "nope"), "--json", *wrong)

    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "words",
    [["check", "stacks/training", "-v"], ["check", "stacks/training", "--json"], ["--help"]],
    ids=" ".join,
)
def test_a_result_ends_as_a_closed_pipe_ends_other_programs(words: list[str]) -> None:
    ended = into_a_closed_pipe(*words)

    assert ended.returncode == 128 + signal.SIGPIPE
    assert ended.stderr == ""


def into_a_closed_pipe(*words: str) -> subprocess.CompletedProcess[str]:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        return subprocess.run(
            [sys.executable, "-c", RUN, *words],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
