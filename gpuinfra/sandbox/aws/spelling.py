"""Comparison of the cloud's values with known ones, which keeps the known spelling."""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from gpuinfra.sandbox.aws.shapes import plain_text
from gpuinfra.sandbox.plugin.diff import document_of


def with_known_spelling(fresh: Any, known: Any) -> Any:
    """Return `fresh`, spelled as `known` wherever both mean the same.

    The cloud reorders JSON and sets, turns "true" into True and 80 into 80.0; without this each
    refresh would show changes that were never made. What does differ stays as the cloud has it.
    """
    if known is None:
        return fresh
    if is_same_value(fresh, known):
        return known
    if isinstance(fresh, dict) and isinstance(known, dict):
        return {key: with_known_spelling(value, known.get(key)) for key, value in fresh.items()}
    if isinstance(fresh, list) and isinstance(known, list) and len(fresh) == len(known):
        return [
            with_known_spelling(fresh_item, known_item)
            for fresh_item, known_item in zip(fresh, known, strict=True)
        ]
    return fresh


def is_same_value(left: Any, right: Any) -> bool:
    """Return whether two property values mean the same to AWS."""
    if _is_empty(left) or _is_empty(right):
        return _is_empty(left) and _is_empty(right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return all(
            is_same_value(left.get(key), right.get(key)) for key in left.keys() | right.keys()
        )
    if isinstance(left, list) and isinstance(right, list):
        return _same_list(left, right)
    if isinstance(left, Mapping | list) or isinstance(right, Mapping | list):
        return _same_document(left, right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right or _same_document(left, right)
    return _same_scalar(left, right)


def _is_empty(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(item is None or item == {} for item in value.values())
    return value is None or (isinstance(value, str | list) and not value)


def _same_list(left: Sequence[Any], right: Sequence[Any]) -> bool:
    if len(left) != len(right):
        return False
    if any(isinstance(item, list | Mapping) for item in (*left, *right)):
        return all(map(is_same_value, left, right))
    return Counter(map(plain_text, left)) == Counter(map(plain_text, right))


def _same_scalar(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return plain_text(left) == plain_text(right)
    try:
        return Decimal(str(left)) == Decimal(str(right))
    except InvalidOperation:
        return str(left) == str(right)


def _same_document(first: Any, second: Any) -> bool:
    if not (isinstance(first, str) or isinstance(second, str)):
        return False
    left, right = _document(first), _document(second)
    return left is not None and right is not None and is_same_value(left, right)


def _document(value: Any) -> Any:
    """Return a policy or dashboard as a structure, also from JSON text; None if it is neither."""
    if isinstance(value, str):
        return document_of(value)
    return value if isinstance(value, Mapping | list) else None
