"""Kubernetes objects that are written as one text and created from it in the cluster."""

import re
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

_KIND: Final = re.compile(r"""(?<![\w-])["']?kind["']?\s*:\s*["']?(\w+)(?![\w.{-])""")
_KIND_WORD: Final = re.compile(r"kind", re.IGNORECASE)
_HIDING: Final = frozenset("\\&!")
"""What may spell a word in another way in YAML: an escape, an anchor, a tag."""

_TEMPLATE_MARK: Final = "{{"


def are_of(inputs: Mapping[str, Any], key: str, kinds: AbstractSet[str], never: str) -> bool:
    """Return whether all texts under a key, at any depth, are certainly manifests of the kinds.

    Args:
        inputs: of the resource that makes them.
        key: that holds a manifest.
        kinds: of the objects that may be in one, and in what they refer to.
        never: words that may be in none.
    """
    return all(_is_of(text, kinds, never.split()) for text in _values_under_key(inputs, key))


def _is_of(text: Any, kinds: AbstractSet[str], never: Collection[str]) -> bool:
    if not isinstance(text, str) or not _HIDING.isdisjoint(text) or _TEMPLATE_MARK in text:
        return False
    declared_kinds = _KIND.findall(text)
    are_all_declared = len(declared_kinds) == len(_KIND_WORD.findall(text))
    return (
        bool(declared_kinds)
        and are_all_declared
        and kinds >= {*declared_kinds}
        and not any(map(text.__contains__, never))
    )


def _values_under_key(value: Any, key: str) -> Iterator[Any]:
    """Yield the values under a key, at any depth."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name == key:
                yield part
            else:
                yield from _values_under_key(part, key)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _values_under_key(part, key)
