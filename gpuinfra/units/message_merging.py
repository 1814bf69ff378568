"""Merges equal messages about several names into one."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeVar


def list_in_words(names: Sequence[str]) -> str:
    """Return names as a sentence has them: `a`, `a and b`, `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def first_in_words(
    names: Sequence[str], most: int, *, separator: str = ", ", others: str = "more"
) -> str:
    """Return the first names, and how many more there are: `a, b and 3 more`."""
    omitted_count = len(names) - most
    omitted_note = f" and {omitted_count} {others}" if omitted_count > 0 else ""
    return separator.join(names[:most]) + omitted_note


Shared = TypeVar("Shared", bound=Hashable)


def names_by_value(pairs: Iterable[tuple[str, Shared]]) -> Iterable[tuple[Shared, list[str]]]:
    """Return the names that share each value, from pairs of a name and a value."""
    names: dict[Shared, list[str]] = {}
    for name, value in pairs:
        names.setdefault(value, []).append(name)
    return names.items()


def texts_with_names(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield each text once after its names: `a: text`, or `each of a and b: text`."""
    for text, names in names_by_value(pairs):
        yield f"{'each of ' if len(names) > 1 else ''}{list_in_words(names)}: {text}"
