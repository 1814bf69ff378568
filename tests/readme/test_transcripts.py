"""The transcripts of the pages are what the commands print.

GPUINFRA_GOLDEN=update python -m pytest tests/readme    writes them anew; e2e ones with -m e2e.
The number of rules, which four pages state, is written in the same way.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from gpuinfra.engine.program_preview.yaml_host import NAME
from gpuinfra.report.rule_text import EXPLAINED_RULES
from tests.money_forms import other_forms
from tests.readme.transcripts import BLOCK, PATH, ROOT, Page, consoles, pages

UPDATE = os.environ.get("GPUINFRA_GOLDEN") == "update"
TRANSLATED = {
    ROOT / "docs/zh/README.md": ROOT / "README.md",
    ROOT / "docs/zh/guides.md": ROOT / "docs/guides.md",
    ROOT / "docs/zh/quickstart.md": ROOT / "docs/tutorials/cluster.md",
}
"""Pages in Chinese, each with the page whose files and transcripts it shows."""

KINDS = {
    path: {block["kind"] for block in BLOCK.finditer(path.read_text(encoding="utf-8"))}
    for path in pages()
    if path not in TRANSLATED
}
QUICK = [path for path, kinds in KINDS.items() if "transcript" in kinds]
ENGINE = [path for path, kinds in KINDS.items() if "transcript e2e" in kinds]
README = ROOT / "README.md"


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def compare(path: Path, played: str) -> None:
    assert other_forms(played) == []
    if UPDATE:
        path.write_text(played, encoding="utf-8")
    assert played == path.read_text(encoding="utf-8"), "if it is meant: make transcripts"


@pytest.mark.slow
@pytest.mark.parametrize("path", QUICK, ids=name)
def test_a_page_shows_what_is_printed(path: Path, tmp_path: Path) -> None:
    compare(path, Page(path, tmp_path).played(engine=False))


@pytest.mark.e2e
@pytest.mark.parametrize("path", ENGINE, ids=name)
def test_a_page_shows_what_the_sandbox_does(path: Path, tmp_path: Path) -> None:
    page = Page(path, tmp_path)
    if (
        "runtime: yaml" in path.read_text(encoding="utf-8")
        and shutil.which(NAME, path=PATH) is None
    ):
        pytest.skip(f"no {NAME}: gpuinfra engine install --yaml")
    try:
        played = page.played(engine=True)
    finally:
        page._run("gpuinfra sandbox stop")
    compare(path, played)


@pytest.mark.parametrize("path", pages(), ids=name)
def test_no_transcript_is_written_by_hand(path: Path) -> None:
    assert list(consoles(path)) == []


@pytest.mark.parametrize("path", pages(), ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w/.-]+\.md)\)", index))
    shipped = {str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md")}

    assert len(text.splitlines()) <= 150
    assert "(docs/README.md)" in text
    assert shipped - {"README.md"} - {
        page for page in shipped if page.startswith("decisions/")
    } <= (named)
    assert "decisions/README.md" in named


@pytest.mark.parametrize(
    ("page", "counted"),
    [
        ("README.md", "{} rules on budget"),
        ("docs/comparison.md", "| Built-in checks | {} |"),
        ("docs/zh/README.md", " {} 条规则"),
        ("docs/how-to/check-any-stack.md", "{} rules on budget"),
    ],
)
def test_a_page_counts_the_rules(page: str, counted: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    form = re.escape(counted).replace(re.escape("{}"), r"\d+")

    assert len(re.findall(form, text)) == 1
    compare(ROOT / page, re.sub(form, counted.format(len(EXPLAINED_RULES)), text))


def test_the_first_stack_has_seven_lines() -> None:
    (block,) = (match for match in BLOCK.finditer(README.read_text()) if match["kind"] == "file")

    assert len(block["text"].splitlines()) == 7


@pytest.mark.parametrize("path", TRANSLATED, ids=name)
def test_a_translation_shows_the_same_transcripts(path: Path) -> None:
    blocks = BLOCK.finditer(TRANSLATED[path].read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")

    compare(path, BLOCK.sub(lambda _: next(blocks)[0], text))
    assert list(blocks) == []


def test_every_chinese_page_is_compared_with_its_original() -> None:
    assert set(TRANSLATED) == set(ROOT.glob("docs/zh/*.md"))


def test_a_link_to_the_page_of_keys_says_keys() -> None:
    links = [
        link
        for page in pages()
        for link in re.findall(r"\[([^]]+)\]\((?:[./\w]*/)?keys\.md\)", page.read_text("utf-8"))
    ]

    assert links
    assert [link for link in links if "word" in link.lower()] == []
