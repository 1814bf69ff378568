"""The removal of a file's secrets from all output."""

import re
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from gpuinfra.pulumi_special_values import HIDDEN

T = TypeVar("T")


def hide(value: T, secrets: Collection[str]) -> T:
    """Return a value with every secret text in it replaced, at any depth."""
    if not secrets:
        return value
    longest_first = sorted(secrets, key=len, reverse=True)
    return cast("T", _redacted(value, re.compile("|".join(map(re.escape, longest_first)))))


def _redacted(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(HIDDEN, value)
    if isinstance(value, tuple):
        return tuple(_redacted(nested_value, pattern) for nested_value in value)
    if isinstance(value, Mapping):
        return {
            _redacted(key, pattern): _redacted(nested_value, pattern)
            for key, nested_value in value.items()
        }
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value,
            **{
                field.name: _redacted(getattr(value, field.name), pattern)
                for field in fields(value)
            },
        )
    return value
