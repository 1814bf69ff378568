"""What is said alike of several things, said once."""

from collections.abc import Iterable, Iterator, Sequence


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them: `a`, `a and b`, `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def alike(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, list[str]]]:
    """Return the names of which each text is said, from pairs of a name and a text."""
    names: dict[str, list[str]] = {}
    for name, text in pairs:
        names.setdefault(text, []).append(name)
    return names.items()


def of_each(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield each text once after its names: `a: text`, or `each of a and b: text`."""
    for text, names in alike(pairs):
        yield f"{'each of ' if len(names) > 1 else ''}{listed(names)}: {text}"
