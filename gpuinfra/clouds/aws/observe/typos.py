"""The search for misspelt words: one edit away from a known word."""

from collections.abc import Iterable


def one_slip_away(word: str, known: Iterable[str]) -> str:
    """Return the known word that is one edit away from this one; empty for none.

    A slip is a letter more, less, changed, or two exchanged.
    """
    return next(
        (candidate for candidate in known if _is_slip(word.lower(), candidate.lower())), ""
    )


def _is_slip(word: str, other: str) -> bool:
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    rest, other_rest = word[start:], other[start:]
    are_letters_exchanged = rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:]
    return (
        rest[1:] in (other_rest, other_rest[1:]) or rest == other_rest[1:] or are_letters_exchanged
    )
