"""Hooks of MkDocs: the pages that code generates, and links to files outside of docs/."""

import os
import posixpath
import re
from pathlib import Path

import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<=\]\()(?!https?:)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?(?=\))")
MOVED = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "docs/site/iframe-worker.js": "assets/iframe-worker.js",
    "docs/site/tables.css": "assets/tables.css",
}
"""Files that the site has under another name: the repository's README is its home."""

OUTSIDE = (
    "CHANGELOG.md",
    "LICENSE",
    "gpuinfra/provider/schema.json",
    "policies/README.md",
)
"""Further files outside of docs/ that the site has, at the same place."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and the files outside of docs/."""
    index = files.get_file_from_path("README.md")
    if index is not None:
        files.remove(index)
    for path in (*MOVED, *OUTSIDE):
        files.append(_copied(path, config))
    for name, text in reference.pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for rule, text in reference.rules().items():
        files.append(File.generated(config, f"rules/{rule}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Point links to where the site has the file that they name; the home page has no menu."""
    here = page.file.src_uri
    if here == "index.md":
        page.meta["hide"] = ["navigation"]  # a menu of one entry
    origin = next((old for old, new in MOVED.items() if new == here), None)
    if origin is None:
        origin = here if here in OUTSIDE else f"docs/{here}"
    return LINK.sub(lambda link: _link(link, origin, here), markdown)


def _link(link: re.Match[str], origin: str, here: str) -> str:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link["path"]))
    path = posixpath.relpath(_place(target), posixpath.dirname(here) or ".")
    return path + (link["anchor"] or "")


def _place(path: str) -> str:
    """Where the site has a file of the repository."""
    return MOVED.get(path, path.removeprefix("docs/"))


def _copied(path: str, config: MkDocsConfig) -> File:
    return File.generated(config, _place(path), abs_src_path=os.fspath(ROOT / path))
