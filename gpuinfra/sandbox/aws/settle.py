"""When what the cloud answers means the same as what is known, keep the known spelling."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any


def settled(fresh: Any, known: Any) -> Any:
    """`fresh`, spelled as `known` wherever both mean the same.

    The cloud reorders JSON and sets, turns "true" into True and 80 into 80.0; without this each
    refresh would show changes that were never made. What does differ stays as the cloud has it.
    """
    if known is None:
        return fresh
    if same(fresh, known):
        return known
    if isinstance(fresh, dict) and isinstance(known, dict):
        return {key: settled(value, known.get(key)) for key, value in fresh.items()}
    if isinstance(fresh, list) and isinstance(known, list) and len(fresh) == len(known):
        return [settled(mine, theirs) for mine, theirs in zip(fresh, known, strict=True)]
    return fresh


def same(one: Any, other: Any) -> bool:
    """Whether two property values mean the same to AWS."""
    if _empty(one) or _empty(other):
        return _empty(one) and _empty(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(same(one.get(key), other.get(key)) for key in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return _same_list(one, other)
    if isinstance(one, Mapping | list) or isinstance(other, Mapping | list):
        return _same_document(one, other)
    if isinstance(one, str) and isinstance(other, str):
        return one == other or _same_document(one, other)
    return _same_scalar(one, other)


def _empty(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(item is None or item == {} for item in value.values())
    return value is None or (isinstance(value, str | list) and not value)


def _same_list(one: Sequence[Any], other: Sequence[Any]) -> bool:
    if len(one) != len(other):
        return False
    if any(isinstance(item, list | Mapping) for item in (*one, *other)):
        return all(map(same, one, other))
    return Counter(map(_text, one)) == Counter(map(_text, other))


def _same_scalar(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return _text(one) == _text(other)
    try:
        return Decimal(str(one)) == Decimal(str(other))
    except InvalidOperation:
        return str(one) == str(other)


def _same_document(one: Any, other: Any) -> bool:
    if not (isinstance(one, str) or isinstance(other, str)):
        return False
    left, right = _document(one), _document(other)
    return left is not None and right is not None and same(left, right)


def _document(value: Any) -> Any:
    """A policy or dashboard: given as a structure, or as JSON text."""
    if not isinstance(value, str):
        return value if isinstance(value, Mapping | list) else None
    if not value.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
