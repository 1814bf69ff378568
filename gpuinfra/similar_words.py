"""Finds the words that a wrong one was meant to be, for "did you mean"."""

import re
from collections.abc import Iterable


def nearest(wrong_word: str, accepted: Iterable[str]) -> str:
    """Return the accepted word closest to a wrong one; empty if none is close.

    Letter case counts for nothing, and a hyphen as much as an underscore. A word that begins with
    the given one comes first: p5 means p5.48xlarge, not P4. Of words that look alike, those that
    begin with its first part come first; then it is the one that the fewest slips of a typist lead
    from: fewer than half of its letters, or any in its last quarter; at a tie, the one of the same
    letters.
    """
    normalized_word = _normalize_word(wrong_word[:_MAX_COMPARED_LENGTH])
    accepted_by_plain: dict[str, str] = {}
    for word in accepted:
        accepted_by_plain.setdefault(_normalize_word(word), word)
    longer = [
        word
        for word in accepted_by_plain
        if len(normalized_word) > 1 and word.startswith(normalized_word)
    ]
    if longer and normalized_word not in accepted_by_plain:
        return accepted_by_plain[
            min(longer, key=lambda word: _continuation(normalized_word, word))
        ]
    first = _FIRST_PART.match(normalized_word)
    family = [word for word in accepted_by_plain if first and word.startswith(first[0])]
    close_words = (
        _close(normalized_word, family)
        or [
            word
            for word in _close(normalized_word, accepted_by_plain)
            if _edits(normalized_word, word) * _LETTERS_PER_SLIP < len(normalized_word)
            or word.startswith(normalized_word[: _LONG_BEGINNING * len(normalized_word) // 4])
        ]
        or [
            word
            for word in accepted_by_plain
            if word[:1] == normalized_word[:1] and _edits(normalized_word, word) == 1
        ]
    )
    letters = sorted(normalized_word)
    best = accepted_by_plain.get(
        min(
            close_words,
            key=lambda word: (_edits(normalized_word, word), sorted(word) != letters),
            default="",
        ),
        "",
    )
    return "" if best == wrong_word else best


def close_matches(wrong_word: str, accepted: Iterable[str]) -> list[str]:
    """Return the accepted words that are one typing error from a wrong one, in their order."""
    normalized_word = _normalize_word(wrong_word[:_MAX_COMPARED_LENGTH])
    return [word for word in accepted if _edits(normalized_word, _normalize_word(word)) == 1]


def _continuation(normalized_word: str, word: str) -> tuple[bool, bool]:
    """Return how a word extends another: by a few letters, by a new part, or not at all."""
    added_letters = word[len(normalized_word) :]
    return (len(added_letters) > _ENDING, added_letters[:1].isalnum())


def _close(normalized_word: str, accepted: Iterable[str]) -> list[str]:
    """Return the words that look like another one."""
    from difflib import get_close_matches  # noqa: PLC0415  (only a wrong word needs it)

    return get_close_matches(normalized_word, list(accepted), n=_MOST_SIMILAR, cutoff=0.6)


def closest(wrong_word: str, accepted: Iterable[str]) -> list[str]:
    """Return the accepted words in the order of how much they look like another word.

    Those that begin with it are first. All stay in their own order where none looks like it.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415  (only a wrong word needs it)

    accepted_list = list(accepted)
    normalized_word = _normalize_word(wrong_word[:_MAX_COMPARED_LENGTH])
    matcher = SequenceMatcher(b=normalized_word, autojunk=False)

    def similarity(word: str) -> float:
        matcher.set_seq1(_normalize_word(word[:_MAX_COMPARED_LENGTH]))
        return matcher.ratio() + _normalize_word(word).startswith(normalized_word)

    likeness_by_word = {word: similarity(word) for word in accepted_list}
    if max(likeness_by_word.values(), default=0) < _LIKE:
        return accepted_list
    return sorted(accepted_list, key=lambda word: -likeness_by_word[word])


_LETTERS_PER_SLIP = 2
"""A word has more letters than this for each slip; otherwise it is another word."""

_LONG_BEGINNING = 3
"""The quarters of a word that show which one is meant, whatever follows: partitionCount."""

_LIKE = 0.5
"""From which likeness on a word may be meant."""

_MAX_COMPARED_LENGTH = 64
"""The compared length of an unknown word, and the maximum number of words compared in full."""

_MOST_SIMILAR = 10

_ENDING = 2
"""How many letters are still an ending of the same word: node, nodes."""

_FIRST_PART = re.compile(r"[a-z]+[a-z0-9]*(?=[-.])")
"""The text before the first dot or hyphen: the family of a machine type."""


def _normalize_word(word: str) -> str:
    return word.lower().replace("_", "-")


def _edits(left_word: str, other: str) -> int:
    """Return the edit distance of two words; swapped neighbours count as one edit.

    The distance of optimal string alignment, which difflib does not have; rapidfuzz has it, and
    would be a compiled package of every installation in place of these lines:
    https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
    """
    row_before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(left_word):
        row_before_last, row_before, row = row_before, row, [i + 1]
        for j, expected in enumerate(other):
            least = min(row_before[j + 1] + 1, row[j] + 1, row_before[j] + (letter != expected))
            if i and j and letter == other[j - 1] and left_word[i - 1] == expected:
                least = min(least, row_before_last[j - 1] + 1)
            row.append(least)
    return row[-1]
