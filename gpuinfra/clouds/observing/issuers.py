"""Issuers of tokens that many tenants share, and what a trust demands of a token's claims."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.names import NONE_CALLED, fits
from gpuinfra.clouds.tables import rows_of
from gpuinfra.records import record

TABLE: Final = Path(__file__).parents[1] / "issuers.json"
SUBJECT: Final = "sub"
_WILD: Final = "*?"


@record
class Issuer:
    """An issuer that many tenants share.

    Attributes:
        who: a tenant, or a part of one, in words.
        pattern: of its URL without the scheme.
        subjects: how a subject begins, what ends its owner's name, and how it goes on.
        claims: what names the tenant beside the subject.
        open: whether strangers get tokens there.
    """

    who: str
    pattern: str
    subjects: tuple[tuple[str, str, str], ...]
    claims: frozenset[str]
    open: bool

    def takes_all(self, claim: str, patterns: Iterable[str]) -> bool:
        """Whether a test of a claim takes tokens of any tenant; one of no tenant's claim does."""
        if claim == SUBJECT:
            return any(map(self._takes_subjects, patterns))
        return claim not in self.claims or any(not each.strip(_WILD) for each in patterns)

    def _takes_subjects(self, pattern: str) -> bool:
        return any(
            fits(pattern, f"{begin}{NONE_CALLED}{end}{rest}")
            or (self.open and _is_of_any_owner(pattern, begin, end))
            for begin, end, rest in self.subjects
        )


def _is_of_any_owner(pattern: str, begin: str, end: str) -> bool:
    owner = pattern.removeprefix(begin)
    owner = owner.partition(end)[0] if end else owner
    return pattern.startswith(begin) and "*" in owner and not owner.strip(_WILD)


def issuer_of(url: str) -> Issuer | None:
    """Return the issuer of a URL, with or without its scheme, that many tenants share."""
    name = url.removeprefix("https://").rstrip("/").lower()
    return next((issuer for issuer in _issuers() if fits(issuer.pattern, name)), None)


@cache
def _issuers() -> tuple[Issuer, ...]:
    rows = rows_of(json.loads(digests.read(TABLE)))
    return tuple(
        Issuer(
            who=row["who"],
            pattern=row["issuer"],
            subjects=tuple(
                (begin, end, re.sub(r"\bx\b", NONE_CALLED, rest))
                for begin, end, rest in row["subjects"]
            ),
            claims=frozenset(row["claims"]),
            open=row["open"],
        )
        for row in rows
    )


def parts(text: str, operator: str) -> Iterator[str]:
    """Yield the parts of an expression between an operator, outside of quotes and brackets."""
    depth, quote, start = 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[place - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif depth == 0 and text.startswith(operator, place) and place >= start:
            yield text[start:place].strip()
            start = place + len(operator)
    yield text[start:].strip()
