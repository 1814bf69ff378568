"""Mutants that need no judge: what is said for people only, or does the same either way."""

from fnmatch import fnmatchcase
from typing import Final

from tests.mutants.declared.changes import Mutant

ACCEPTED: Final[tuple[tuple[str, str, str, str], ...]] = ()
"""Type, field and kind of mutation as patterns, and the reason."""


def reason(mutant: Mutant) -> str:
    """Why nobody has to notice a mutant; empty where somebody has to."""
    for type_, field, kind, why in ACCEPTED:
        named = zip((mutant.type, mutant.field, mutant.kind), (type_, field, kind), strict=True)
        if all(fnmatchcase(value, pattern) for value, pattern in named):
            return why
    return ""
