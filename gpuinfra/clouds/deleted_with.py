"""What still exists after the option `deletedWith` removed it from the state."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import cloud_of, provider_of

TABLE: Final = Path(__file__).with_name("deleted_with.json")
_CLUSTERS: Final = "kubernetes:"


def is_left_behind(token: str, holder: str) -> bool:
    """Return whether a resource still exists, and may cost, after another one is deleted.

    Pulumi deletes neither by itself: it leaves the one to the deletion of the other. What is in
    no cloud costs nothing there.

    Args:
        token: its type.
        holder: the type of the one that its option `deletedWith` names.
    """
    if cloud_of(token) is None and not token.startswith(_CLUSTERS):
        return False
    row = _rows().get(_canonical(holder), {})
    is_listed = _matches(_canonical(token), row.get("go", ()))
    return not is_listed or token in row.get("stay", ())


def _canonical(token: str) -> str:
    cloud = cloud_of(token)
    return token if cloud is None else provider_of(cloud).observe.canonical(token)


def _matches(token: str, forms: Iterable[str]) -> bool:
    return any(
        token.startswith(form[:-1]) if form.endswith("*") else token == form for form in forms
    )


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    return {row["with"]: row for row in json.loads(TABLE.read_text("utf-8"))["rows"]}
