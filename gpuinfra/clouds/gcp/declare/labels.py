"""Labels of Google Cloud: gpuinfra's adapted to the rules, the caller's checked."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.errors import Problem

PREFIX: Final = "gpuinfra-"
STACK: Final = f"{PREFIX}stack"

MAX_LABEL_LENGTH: Final = 63
KEY: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")
VALUE: Final = re.compile(r"[a-z0-9_-]{0,63}")
"""https://docs.cloud.google.com/compute/docs/labeling-resources#requirements"""


def as_label_value(value: str) -> str:
    """Return a value as a label: lower case, other characters as hyphens, cut to length."""
    return re.sub(r"[^a-z0-9_-]+", "-", value.lower())[:MAX_LABEL_LENGTH].strip("-")


def problems(name: str, tags: Mapping[Any, Any]) -> Iterator[Problem]:
    """Yield the caller's tags that are not valid labels; changing them would misfile costs."""
    for tag_key, value in tags.items():
        key = str(tag_key)
        tag_path = (name, "tags", key)
        if not KEY.fullmatch(key):
            yield Problem(
                message=f"{name}: the tag {key!r} is not a valid Google Cloud label",
                path=tag_path,
                value=key,
                allowed="a lower-case letter, then a-z, 0-9, _ and -, at most 63",
                fix=f"use {_key(key)}",
            )
        elif isinstance(value, str) and not VALUE.fullmatch(value):
            yield Problem(
                message=f"{name}: the value of the tag {key!r} is not a valid Google Cloud "
                "label value",
                path=tag_path,
                value=value,
                allowed="a-z, 0-9, _ and -, at most 63",
                fix=f"use {as_label_value(value) or 'text of these'}",
            )


def _key(key: str) -> str:
    label_key = as_label_value(key)
    return label_key if KEY.fullmatch(label_key) else f"x-{label_key}"
