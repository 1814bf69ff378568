"""A reader that goes away, such as `head`, ends a command quietly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys; from gpuinfra.cli import run; sys.exit(run(sys.argv[1:]))"


@pytest.mark.parametrize("wrong", [[], ["--bogus"]])
def test_an_error_as_a_document_ends_quietly_when_its_reader_has_gone(
    tmp_path: Path, wrong: list[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        ended = subprocess.run(
            [sys.executable, "-c", RUN, "check", str(tmp_path / "nope"), "--json", *wrong],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
