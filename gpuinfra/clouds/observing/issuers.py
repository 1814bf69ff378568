"""Token issuers that many tenants share, and the tests of their tokens' claims."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.name_patterns import PROBE_NAME, matches_pattern
from gpuinfra.clouds.tables import rows_of
from gpuinfra.records import record

TABLE: Final = Path(__file__).parents[1] / "issuers.json"
SUBJECT: Final = "sub"
_WILD: Final = re.compile(r"[*?]")


@record
class SharedIssuer:
    """An issuer that many tenants share.

    Attributes:
        who: a tenant, or a part of one, in words.
        pattern: of its URL without the scheme.
        subjects: how a subject begins, what ends its owner's name, and how it goes on.
        claims: what names the tenant beside the subject, with what ends his name there.
        in_aws: those of them that AWS compares and that every token has.
        open: whether strangers get tokens there.
    """

    who: str
    pattern: str
    subjects: tuple[tuple[str, str, str], ...]
    claims: Mapping[str, str]
    in_aws: frozenset[str]
    open: bool

    def takes_all(self, claim: str, patterns: Iterable[str]) -> bool:
        """Return whether a test of a claim accepts any tenant; True for a claim without a tenant.

        So does one that leaves the end of a tenant's name open (`repo:me*`, `me*`): anyone may
        register `me-too`.
        """
        if claim == SUBJECT:
            return any(map(self._takes_subjects, patterns))
        end = self.claims.get(claim)
        return end is None or any(_matches_other_owners(pattern, "", end) for pattern in patterns)

    def _takes_subjects(self, pattern: str) -> bool:
        return any(
            matches_pattern(pattern, f"{begin}{PROBE_NAME}{end}{middle_text}")
            or (self.open and _matches_other_owners(pattern, begin, end))
            for begin, end, middle_text in self.subjects
        )


def _matches_other_owners(pattern: str, begin: str, end: str) -> bool:
    """Return whether a pattern matches names with this beginning without naming an owner."""
    literal = _WILD.split(pattern, maxsplit=1)[0]
    if literal == pattern:
        return not pattern
    owner, ended, _ = literal.removeprefix(begin).partition(end) if end else (literal, "", "")
    spelled_out = literal.startswith(begin) and bool(owner and ended)
    return begin.startswith(literal) or (literal.startswith(begin) and not spelled_out)


def issuer_of(url: str) -> SharedIssuer | None:
    """Return the shared issuer of a URL, with or without its scheme; None for other URLs."""
    name = url.removeprefix("https://").rstrip("/").lower()
    return next((issuer for issuer in _issuers() if matches_pattern(issuer.pattern, name)), None)


@cache
def _issuers() -> tuple[SharedIssuer, ...]:
    rows = rows_of(digests.table(TABLE))
    return tuple(
        SharedIssuer(
            who=row["who"],
            pattern=row["issuer"],
            subjects=tuple(
                (begin, end, re.sub(r"\bx\b", PROBE_NAME, middle_text))
                for begin, end, middle_text in row["subjects"]
            ),
            claims=dict(row["claims"]),
            in_aws=frozenset(row["in_aws"]),
            open=row["open"],
        )
        for row in rows
    )


def split_expression(text: str, operator: str) -> Iterator[str]:
    """Yield the parts of an expression between operators, outside of quotes and brackets."""
    depth, quote, start = 0, "", 0
    for position, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[position - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif depth == 0 and text.startswith(operator, position) and position >= start:
            yield text[start:position].strip()
            start = position + len(operator)
    yield text[start:].strip()
