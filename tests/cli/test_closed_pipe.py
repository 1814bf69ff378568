"""A reader that goes away, such as `head`, ends a command quietly."""

import os
import subprocess
import sys
from pathlib import Path

RUN = "import sys; from gpuinfra.cli import run; sys.exit(run(sys.argv[1:]))"


def test_an_error_as_a_document_ends_quietly_when_its_reader_has_gone(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        ended = subprocess.run(
            [sys.executable, "-c", RUN, "check", str(tmp_path / "nope"), "--json"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
