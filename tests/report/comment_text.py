"""A comment as GitHub reads it: its tokens, and what a reader sees."""

from typing import Any

from markdown_it import MarkdownIt

GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
OURS = {"<code>", "</code>", "<br>"}


def inline(text: str) -> list[Any]:
    return [
        child for token in GFM.parse(text) if token.type == "inline" for child in token.children
    ]


def shown(text: str) -> str:
    """What a reader sees of the inline parts."""
    return "".join(
        token.content
        for token in inline(text)
        if token.type in {"text", "code_inline", "text_special"}
    )
