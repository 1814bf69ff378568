"""The pictures of terminals in docs/ are what the commands print."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytest.importorskip("pty", reason="needs a terminal of POSIX")
_SPEC = importlib.util.spec_from_file_location("images", ROOT / "docs/site/images.py")
assert _SPEC
assert _SPEC.loader
images = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(images)


@pytest.mark.parametrize("name", images.TERMINALS)
def test_a_picture_of_a_terminal_is_what_the_command_prints(name, monkeypatch, tmp_path):
    monkeypatch.setenv("GPUINFRA_CATALOG_HOME", str(tmp_path))
    columns, command = images.TERMINALS[name]

    drawn = images.terminal(columns, command, name)

    assert drawn == (images.FOLDER / f"{name}.svg").read_text(), "make images writes it anew"
    assert "@font-face" not in drawn
    assert "url(http" not in drawn


@pytest.mark.parametrize("name", [*images.TERMINALS, *images.SHOTS])
def test_each_picture_is_shown_on_a_page(name):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]

    assert any(f"images/{name}." in page.read_text() for page in pages)


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_command_is_printed_as_wide_as_its_terminal():
    narrow, wide = (
        max(map(len, plain(images.printed(columns, "cost", "stacks/quickstart")).splitlines()))
        for columns in (80, 120)
    )

    assert narrow <= 80 < wide
