"""How passwords and keys look: the patterns of the table, and how random a text is."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log2
from pathlib import Path
from typing import Final

from gpuinfra.records import record

_TABLE: Final = Path(__file__).with_name("secrets.json")
_BETWEEN_WORDS: Final = re.compile(r"[-_/.=~+]")
_RANDOM: Final = 8
"""Characters, of parts that hold a digit, from which on a text is more than words."""

FILLED_IN: Final = re.compile(
    r"(?i)^(?:(?:arn|https?|vault|ssm|op|env|file|g?sm|berglas|secretref):|projects/|/|\./|!|%|\*+$|x+$|"
    r"(?:your|my|some)[_-]|<)|"
    r"placeholder|changeme-please|redacted|^(?:none|null|true|false)$|^@microsoft\.keyvault|^ENC\["
)
"""What stands where the secret is filled in later: a reference, a path, a placeholder."""


@record(kw_only=False)
class SecretPattern:
    """How one kind of secret looks; `entropy` in bits a character."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    entropy: float
    digit: bool

    def places(self, text: str, small: str) -> Iterator[int]:
        """Where in a text one begins; `small` is the text in small letters.

        Only lines with one of the words are looked at, since most scripts have few; a pattern is
        compiled when it is first asked.
        """
        for start, end in self._lines(text, small):
            for match in re.compile(self.pattern).finditer(text, start, end):
                if self._is_one(match):
                    yield match.start()

    def _lines(self, text: str, small: str) -> Iterator[tuple[int, int]]:
        """Where lines with one of the words begin and end, each once."""
        met: set[int] = set()
        for word in self.words:
            at = small.find(word)
            while at >= 0:
                start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
                end = len(text) if end < 0 else end
                if start not in met:
                    met.add(start)
                    yield start, end
                at = small.find(word, end)

    def _is_one(self, match: re.Match[str]) -> bool:
        if not self.entropy:
            return True
        secret = match["secret"]
        if FILLED_IN.search(secret) or (self.digit and is_name(secret)):
            return False
        return entropy(secret) >= self.entropy


def is_name(text: str) -> bool:
    """Return whether a text is made of words, as names of secrets are, with few digits."""
    random = (part for part in _BETWEEN_WORDS.split(text) if not part.isalpha())
    return sum(map(len, random)) < _RANDOM


def entropy(text: str) -> float:
    """How random a text looks, in bits a character (Shannon)."""
    return -sum((count / len(text)) * log2(count / len(text)) for count in Counter(text).values())


@cache
def shapes() -> tuple[SecretPattern, ...]:
    """Return the patterns of the table."""
    table = json.loads(_TABLE.read_bytes())
    rows = (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"])
    return tuple(
        SecretPattern(
            row["kind"],
            tuple(row["words"]),
            row["pattern"],
            row["entropy"],
            row["digit"],
        )
        for row in rows
    )
