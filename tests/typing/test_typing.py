"""What users write against the package is checked strictly, as its `py.typed` promises."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpuinfra

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def checked(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy as a user does, with no setting of this repository."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "", str(path)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(gpuinfra.__file__).with_name("py.typed").is_file()


@pytest.mark.parametrize("path", sorted(HERE.glob("right/*.py")), ids=lambda path: path.stem)
def test_what_is_right_has_no_error(path: Path, tmp_path: Path) -> None:
    done = checked(path, tmp_path)

    assert (done.stdout, done.stderr, done.returncode) == (
        "Success: no issues found in 1 source file\n",
        "",
        0,
    )


@pytest.mark.parametrize("path", sorted(HERE.glob("wrong/*.py")), ids=lambda path: path.stem)
def test_what_is_wrong_is_an_error_where_it_stands(path: Path, tmp_path: Path) -> None:
    errors = re.findall(
        rf"{path.name}:(\d+): error: .*\[([\w-]+)\]$", checked(path, tmp_path).stdout, re.MULTILINE
    )
    lines = path.read_text().splitlines()

    assert dict(errors) == {
        str(number): line.split("# error: ")[1]
        for number, line in enumerate(lines, start=1)
        if "# error: " in line
    }
