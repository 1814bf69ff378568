"""A fix of a stack file as one replacement in its text, which any editor can apply."""

from gpuinfra.errors import InputError
from gpuinfra.fixes import Fix
from gpuinfra.fixes.stack_file_edits import write
from gpuinfra.records import record


@record(kw_only=False)
class Replacement:
    """The removed part of a text, by lines and columns from 1, and its replacement."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def replacement(text: str, fix: Fix) -> Replacement | None:
    """Return the smallest part of a text that a fix changes; None if the text stays the same."""
    if not text or any(edit.resource for edit in fix.edits):
        return None
    try:
        text_after = write(text, fix.edits)
    except InputError:
        return None
    if text_after == text:
        return None
    first = _common_prefix_length(text, text_after)
    last = _common_prefix_length(text[first:][::-1], text_after[first:][::-1])
    end = len(text) - last
    return Replacement(
        _line_and_column(text, first),
        _line_and_column(text, end),
        text_after[first : len(text_after) - last],
    )


def _common_prefix_length(left_text: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(left_text, other, strict=False))
    return next(
        (character_index for character_index, (a, b) in pairs if a != b),
        min(len(left_text), len(other)),
    )


def _line_and_column(text: str, character_index: int) -> tuple[int, int]:
    """Return the line and column of a character; columns count code points."""
    line = text.count("\n", 0, character_index)
    return line + 1, character_index - (text.rfind("\n", 0, character_index) + 1) + 1
