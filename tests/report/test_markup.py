"""Markdown that is filled: lines of a length that is read, and the same text."""

import html

import pytest

from gpuinfra.report import markup

LONG = "words " * 40 + "end"


def test_a_long_text_is_broken_at_words_under_its_start() -> None:
    lines = markup.wrap_paragraph(LONG, "- ").splitlines()

    assert [line[:2] for line in lines] == ["- ", "  ", "  "]
    assert max(map(len, lines)) <= 100
    assert " ".join(line[2:] for line in lines) == LONG


def test_a_word_longer_than_a_line_stands_whole_after_the_start() -> None:
    address = f"https://example.com/{'a' * 120}"

    assert markup.wrap_paragraph(f"{address} 2026", "1. ") == f"1. {address}\n   2026"


@pytest.mark.parametrize("mark", ["-", "+", "12.", "*", "#", ">", "|"])
def test_no_line_begins_with_what_starts_something_else(mark: str) -> None:
    head = "a" * 98

    assert markup.wrap_paragraph(f"{head} {mark} rest") == f"{head} {mark}\nrest"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("run `gpuinfra lock`, or wait", "run `gpuinfra lock`, or wait"),
        ("`a_b` and `c|d`", "`a_b` and `c|d`"),
        ("an <odd ` one", "an &lt;odd &#96; one"),
        ("`a` <b> `@c`", "`a` &lt;b&gt; `@c`"),
        ("", ""),
    ],
)
def test_commands_in_backquotes_are_code_and_the_rest_is_literal(
    sentence: str, expected: str
) -> None:
    shown = markup.prose(sentence)

    assert html.unescape(shown) == html.unescape(expected)
    assert ("<" in shown) == ("<" in expected)


def test_a_code_span_in_a_table_escapes_its_pipes() -> None:
    assert markup.prose_cell("say `a|b`") == "say `a\\|b`"
