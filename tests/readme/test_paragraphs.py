"""The pages that a person writes have short paragraphs, and begin with what they are for."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 5
GENERATED = re.compile(r"[Gg]enerated by `make|Made by `make|Written by `make|由 `make")
PAGES = sorted(
    path
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "decisions" not in path.parts and not GENERATED.search(path.read_text("utf-8")[:800])
)
ITEM = re.compile(r" *(?:[-*]|\d+\.) ")


def paragraphs(text: str) -> Iterator[list[str]]:
    """The paragraphs and list items of a page, each as its lines; no code, table or heading."""
    prose = re.sub(r"```.*?```|<!--.*?-->", "\n", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n", prose):
        lines: list[str] = []
        for line in block.strip("\n").splitlines():
            if ITEM.match(line) or line.startswith(("|", "#")):
                yield lines
                lines = []
            if not line.startswith(("|", "#")):
                lines.append(line)
        yield lines


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_paragraph_is_longer_than_a_reader_takes(page: Path) -> None:
    long = [lines[0] for lines in paragraphs(page.read_text("utf-8")) if len(lines) > MOST_LINES]

    assert long == []


def test_a_long_paragraph_and_a_long_item_are_found() -> None:
    text = "# A\n\none\ntwo\n\n```\na\nb\n```\n- x\n  y\n- z\n\n| t |\n| - |\n"

    assert [lines for lines in paragraphs(text) if lines] == [
        ["one", "two"],
        ["- x", "  y"],
        ["- z"],
    ]
