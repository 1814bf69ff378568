"""The keys that a mapping has under a wrong spelling: no default stands in for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpuinfra.errors import PathPart


def keys_meant(mapping: Mapping[Any, Any], path: Sequence[PathPart]) -> frozenset[str]:
    """Return the missing keys that unknown keys of a stack file's mapping probably mean."""
    from gpuinfra.stackfile.grammar import form_at, keys_of  # noqa: PLC0415  (slow to import)

    form = form_at(path)
    if form is None:
        return frozenset()
    known = {*keys_of(form), *form.unsupported_keys, *form.key_hints}
    unknown = [key for key in mapping if isinstance(key, str) and key not in known]
    return frozenset(filter(None, map(form.nearest_key, unknown))) - mapping.keys()
