"""The inputs of a resource that AWS refuses or ignores, by the table of settings.

An input whose value is not known yet counts as present and valid.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe.resource_types import canonical
from gpuinfra.clouds.aws.observe.rights.policy_typos import one_slip_away
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource

_Row = Mapping[str, Any]
_ABOUT_INPUTS: Final = frozenset({"needs", "pairs"})
_UNWRITTEN: Final = "${"
"""The placeholder in a text that is completed once other resources exist."""


def faults_of(resource: Resource) -> Iterator[str]:
    """Yield the faults of a resource's inputs, from the table of settings."""
    for row in _rows_by_type().get(canonical(resource.type), ()):
        path = row["path"]
        if not _ABOUT_INPUTS & row.keys():
            for value in _values_at(resource.inputs, path):
                yield from _value_faults(row, value)
            continue
        for holder in _values_at(resource.inputs, path):
            if isinstance(holder, Mapping) and _applies(row, holder):
                yield from _missing_inputs(row, holder)


@cache
def _rows_by_type() -> Mapping[str, tuple[_Row, ...]]:
    by_type: dict[str, tuple[_Row, ...]] = {}
    for row in TABLES.table("settings")["settings"]:
        by_type[row["type"]] = (*by_type.get(row["type"], ()), row)
    return by_type


def _values_at(inputs: Any, path: str) -> Iterator[Any]:
    """Yield every value at a path, in each item of the lists on the path."""
    if not path:
        yield inputs
        return
    first, _, inner_path = path.partition(".")
    for value in as_list(at(inputs, first)):
        yield from _values_at(value, inner_path)


def _applies(row: _Row, holder: Mapping[str, Any]) -> bool:
    """Return whether the condition of a row holds; it doesn't for an unknown value."""
    conditions = row.get("when", {})
    if isinstance(conditions, str):
        return bool(holder.get(conditions) is not None)
    unless = row.get("unless", {})
    return all(holder.get(key) in words for key, words in conditions.items()) and not any(
        holder.get(key) in words for key, words in unless.items()
    )


def _missing_inputs(row: _Row, holder: Mapping[str, Any]) -> Iterator[str]:
    """Yield the inputs that a holder lacks."""
    message = row["says"]
    if "pairs" in row:
        is_stated = {path: at(holder, *path.split(".")) is not None for path in row["pairs"]}
        if len(set(is_stated.values())) > 1:
            missing = next(path for path, is_there in is_stated.items() if not is_there)
            yield f"{message}: {_full_path(row, missing)} is missing"
    elif not any(all(_is_there(holder, key) for key in keys) for keys in row["needs"]):
        alternatives = " or ".join(" and ".join(keys) for keys in row["needs"])
        place_text = f" in {row['path']}" if row["path"] else ""
        yield f"{message}: set {alternatives}{place_text}"


def _is_there(holder: Mapping[str, Any], key: str) -> bool:
    value = holder.get(key)
    return value is not None and value not in ("", [], {})


def _value_faults(row: _Row, value: Any) -> Iterator[str]:
    """Yield the faults of one value."""
    allowed_words = row.get("words")
    if allowed_words is not None:
        if isinstance(value, str) and _UNWRITTEN not in value and value not in allowed_words:
            yield f"{row['path']} is {value}; allowed: {', '.join(allowed_words[:8])}"
    elif "near" in row:
        yield from _similar_words(row, value)
    elif isinstance(value, int | float) and not row["least"] <= value <= row["most"]:
        yield f"{row['path']} is {value}; allowed: {row['least']} to {row['most']}"


def _similar_words(row: _Row, value: Any) -> Iterator[str]:
    """Yield a word one edit away from a known one; others may be newer than the table."""
    if not isinstance(value, str) or _UNWRITTEN in value:
        return
    word = value.partition(row["of"])[2].partition(".")[2] if "of" in row else value
    if word and word not in row["near"]:
        suggestion = one_slip_away(word, row["near"])
        if suggestion and not (row.get("any_case") and suggestion.lower() == word.lower()):
            yield f"{row['path']} is {value}: did you mean {suggestion}?"


def _full_path(row: _Row, path: str) -> str:
    return f"{row['path']}.{path}" if row["path"] else path
