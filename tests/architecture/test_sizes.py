"""Modules stay short enough to be read in one sitting, and functions simple."""

import json
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import gpuinfra
from gpuinfra.model import Group

PACKAGE = Path(gpuinfra.__file__).parent
ROOT = PACKAGE.parent
MOST_LINES = 300
MOST_FIELDS = 20
TABLES = {"specs/values.py"}
"""What consists of assignments, one for each kind of value of the stack file."""


def test_only_the_listed_modules_are_long() -> None:
    long = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if len(path.read_text("utf-8").splitlines()) > MOST_LINES
    }

    assert long == TABLES, f"split a module of more than {MOST_LINES} lines"


def test_a_group_has_few_fields() -> None:
    names = [field.name for field in fields(Group)]

    assert len(names) <= MOST_FIELDS, "a new fact belongs into one of the parts of a group"


def test_every_exception_from_the_limits_of_the_linter_is_needed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    limits = {"C901", "PLR0913", "PLR0915", "PLR0917"}
    excepted = {
        (path.relative_to(ROOT).as_posix(), code)
        for pattern, codes in settings["per-file-ignores"].items()
        if not pattern.startswith("tests/**")
        for code in limits.intersection(codes)
        for path in files(pattern)
    }
    pylint = [f"lint.pylint.{key} = {most}" for key, most in settings["pylint"].items()]
    complexity = f"lint.mccabe.max-complexity = {settings['mccabe']['max-complexity']}"
    options = [f"--config={setting}" for setting in (complexity, *pylint)]
    paths = sorted({path for path, _ in excepted})
    command = (sys.executable, "-m", "ruff", "check", "--isolated", "--preview", "--no-cache")
    done = subprocess.run(
        [*command, "--output-format=json", f"--select={','.join(limits)}", *options, *paths],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    needed = {
        (Path(found["filename"]).relative_to(ROOT).as_posix(), found["code"])
        for found in json.loads(done.stdout)
    }

    assert sorted(excepted - needed) == [], "remove them from per-file-ignores of pyproject.toml"


def files(pattern: str) -> list[Path]:
    """The files of a pattern of ruff's, which has alternatives in braces."""
    if "{" not in pattern:
        return sorted(ROOT.glob(pattern))
    head, _, rest = pattern.partition("{")
    choices, _, tail = rest.partition("}")
    return [path for choice in choices.split(",") for path in files(f"{head}{choice}{tail}")]
