"""The words that gpuinfra uses in a sense of its own, as docs/glossary.md explains them."""

import re
from functools import cache
from typing import Final

from gpuinfra.records import record
from gpuinfra.shipped import shipped_path

GLOSSARY: Final = "glossary"

_ENTRY: Final = re.compile(r"^- \*\*(.+?)\*\*(.*?): (.*)$")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE_SPAN: Final = re.compile(r"`([^`]*)`")
_EMPHASIS: Final = re.compile(r"(?<![\w*])\*([^*]+)\*(?![\w*])")


@record
class GlossaryEntry:
    """A word of the glossary; `others` are its other spellings, for example in JSON."""

    word: str
    others: tuple[str, ...]
    meaning: str

    @property
    def line(self) -> str:
        """The word and its meaning, for a terminal."""
        also = f" ({', '.join(self.others)})" if self.others else ""
        return f"{self.word}{also}: {self.meaning}"


@cache
def glossary() -> tuple[GlossaryEntry, ...]:
    """Return the words of the glossary, in its order."""
    text = shipped_path("glossary.md", "docs/glossary.md").read_text(encoding="utf-8")
    entries = re.sub(r"\n +", " ", text).split("\n")
    return tuple(
        GlossaryEntry(
            word=entry[1].lower(),
            others=tuple(_CODE_SPAN.findall(entry[2])),
            meaning=_without_markup(entry[3]),
        )
        for entry in filter(None, map(_ENTRY.match, entries))
    )


def entries_named(name: str) -> tuple[GlossaryEntry, ...]:
    """Return the words with this name, whatever its case and whether it is in the plural.

    All of them for `glossary` itself.
    """
    if name.lower() == GLOSSARY:
        return glossary()
    key = _key(name)
    spellings = {key, key.removesuffix("s")}
    return tuple(
        glossary_word
        for glossary_word in glossary()
        if spellings.intersection(map(_key, (glossary_word.word, *glossary_word.others)))
    )


def every_word() -> tuple[str, ...]:
    """Return every word that the glossary explains, and its other spellings."""
    return tuple(
        name
        for glossary_word in glossary()
        for name in (glossary_word.word, *glossary_word.others)
    )


def _key(name: str) -> str:
    return re.sub(r"[-_ ]+", " ", name.strip().lower())


def _without_markup(markdown: str) -> str:
    """Return a text without the marks of links and emphasis."""
    return _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", markdown)).strip()
