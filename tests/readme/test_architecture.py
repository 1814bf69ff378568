"""The page and the picture of the architecture name the packages that exist."""

import re

from tests.readme.transcripts import ROOT

PACKAGE = ROOT / "gpuinfra"
PAGE = ROOT / "docs/architecture.md"
PICTURE = ROOT / "docs/architecture.svg"


def test_the_page_lists_every_package() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    clouds = {path.parent.name for path in PACKAGE.glob("clouds/*/provider.py")}
    rows = re.findall(r"^\| (`.+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"\w+(?=[/,}])", row)}

    assert named == packages | clouds


def test_the_picture_names_packages_in_text() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    places = re.findall(r'<text class="package"[^>]*>([^<]+)</text>', picture)

    assert len(places) > 10
    assert [place for place in places if not (PACKAGE / place).exists()] == []
    assert "<image" not in picture
