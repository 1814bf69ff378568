"""The page of the guides in Chinese."""

import json
import re
from pathlib import Path

import pytest

import gpuinfra.catalog
from gpuinfra.cli.pages import chinese_guides

ROOT = Path(__file__).parents[3]
TABLE = json.loads(Path(gpuinfra.catalog.__file__).with_name("claims.json").read_bytes())
FIGURE = re.compile(r"\d[\d,.]*\d|\d")
WRITTEN_OTHERWISE = ("GPT-3 (175 B", "object storage keeps", "load data with one")
"""175 B is 1750 亿, and two figures are words in English."""


def test_the_page_is_what_the_table_says() -> None:
    assert (ROOT / "docs/zh/guides.md").read_text("utf-8") == chinese_guides.page(), (
        "run make docs"
    )


@pytest.mark.parametrize("row", [*TABLE["claims"], *TABLE["advice"]], ids=lambda row: row["says"])
def test_both_languages_have_the_same_figures(row: dict[str, str]) -> None:
    if not row["says"].startswith(WRITTEN_OTHERWISE):
        assert set(FIGURE.findall(row["zh"])) == set(FIGURE.findall(row["says"]))
