"""The form of a page: safe whatever it shows, read by a screen reader, and of enough contrast."""

import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from gpuinfra.errors import printable
from gpuinfra.report.html.content import PageContent
from gpuinfra.report.html.page import write
from tests.report.cases import HOSTILE, full
from tests.report.html.conftest import Written
from tests.report.html.pages import page_of, source
from tests.report.html.parsing import Parsed, parsed
from tests.report.html.plans import content_named

SINGULAR = re.compile(
    r"(?<![\d.,×])(?!1 )\d[\d,.]* (?:(?!per |an? )\w+[ -])?"
    r"(?:hour|month|day|machine|GPU|zone)\b(?!-)"
)
"""A number other than 1 before a word for one thing."""


def test_words_after_numbers_are_plural(written: Written) -> None:
    assert SINGULAR.findall("4 hour, 2 metric-month, 3 spot machine") != []
    texts = (tag.text for tag in written.page.named("td", "p", "li", "summary", "figcaption"))
    assert [match[0] for text in texts for match in SINGULAR.finditer(text)] == []


def test_nothing_is_fetched_and_nothing_runs(written: Written) -> None:
    page = written.page

    assert not page.named("script", "link", "img", "iframe", "object", "embed", "image", "form")
    assert not [
        element
        for element in page.tags
        if "src" in element.attributes or "onload" in element.attributes
    ]
    linking = [
        element for element in page.tags if any("href" in name for name in element.attributes)
    ]
    assert {element.name for element in linking} <= {"a", "use"}
    inner = [it for it in linking if it.attributes["href"].startswith("#")]
    assert all(
        it.name == "a" and it.attributes["href"].startswith("https://")
        for it in linking
        if it not in inner
    )
    ids = {element.attributes.get("id") for element in page.tags}
    assert {it.attributes["href"][1:] for it in inner} <= ids
    (policy,) = [element for element in page.named("meta") if "http-equiv" in element.attributes]
    assert policy.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert not re.search(r"@import|url\((?!#)", written.text)


def test_a_reader_of_the_screen_finds_their_way(written: Written) -> None:
    page = written.page

    assert page.named("html")[0].attributes["lang"] == "en"
    assert len(page.named("h1")) == 1
    levels = [int(element.name[1]) for element in page.named("h1", "h2", "h3", "h4")]
    assert all(later <= before + 1 for before, later in pairwise(levels))
    ids = Counter(element.attributes["id"] for element in page.tags if "id" in element.attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    labels = [
        element.attributes["aria-labelledby"]
        for element in page.tags
        if "aria-labelledby" in element.attributes
    ]
    assert {part for label in labels for part in label.split()} <= ids.keys()
    for chart in page.named("svg"):
        assert chart.attributes["role"] == "img"
    assert len(page.named("desc")) == len(page.named("svg"))
    assert all("scope" in element.attributes for element in page.named("th"))
    assert all(element.text.strip() for element in page.named("th"))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_changes_the_form_of_a_page(text: str) -> None:
    plain = "x" * len(printable(text))

    assert parsed(write(content_named(text))).shape == parsed(write(content_named(plain))).shape


def test_no_words_of_findings_and_waivers_change_the_form_of_a_page() -> None:
    def page(text: str) -> Parsed:
        return parsed(
            write(PageContent(report=full(text), plan=content_named("x").plan, source_kind=""))
        )

    plain = page("plain")
    for text in HOSTILE:
        assert page(text).shape == plain.shape
    assert "<script>alert(1)</script><!-- -->" in page(HOSTILE[2]).words


def test_a_resource_named_in_markup_is_shown_as_text(tmp_path: Path) -> None:
    markup = "<img src=x onerror='alert(1)'>\"$x$"
    path = source("gpu_box/preview.json", tmp_path)
    plain = parsed(page_of(path, tmp_path))
    text = path.read_text()
    assert "ml-box" in text
    path.write_text(text.replace("ml-box", json.dumps(markup)[1:-1]))
    hostile = parsed(page_of(path, tmp_path))

    assert set(hostile.shape) <= set(plain.shape)
    assert markup in hostile.words
    labels = [element.text for element in hostile.named("text")]
    assert any(label.startswith("<img src=x") for label in labels)


def test_a_source_that_is_no_address_is_no_link() -> None:
    content = content_named("x", source="javascript:alert(1)")
    page = parsed(write(content))

    assert "javascript:alert(1)" in page.words
    assert not [
        element for element in page.named("a") if "javascript" in element.attributes["href"]
    ]
    linked = parsed(write(content_named("x", source="https://example.com/prices")))
    assert "https://example.com/prices" in [
        element.attributes["href"] for element in linked.named("a")
    ]


def test_colours_hold_their_contrast_in_both_styles() -> None:
    style = (
        Path(sys.modules["gpuinfra.report.html.page"].__file__ or "").parent
        / "templates"
        / "style.css"
    ).read_text()
    light, dark, *_ = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    )

    for colours in (light, dark):
        for ground in ("paper", "panel"):
            for name in ("ink", "muted", "first", "second", "limit", "good", "bad", "warn"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground, colours)
        for name in ("good", "bad", "warn"):
            assert contrast(colours[name], colours[f"{name}-paper"]) >= 4.5, (name, colours)


def contrast(colour: str, ground: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    low, high = sorted(map(luminance, (colour, ground)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
