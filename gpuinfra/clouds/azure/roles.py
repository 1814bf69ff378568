"""Azure's built-in roles, by id, as far as a table has them."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gpuinfra.clouds.azure.tables import TABLES


def permissions_of(role: str) -> Sequence[Mapping[str, Sequence[str]]] | None:
    """Return the permissions of a built-in role, by the last part of its id; None if unknown."""
    row = _roles().get(role.lower())
    return None if row is None else row["permissions"]


def role_name(role: str) -> str | None:
    """Return Azure's name of a built-in role, by the last part of its id; None if unknown."""
    row = _roles().get(role.lower())
    return None if row is None else row["role"]


@cache
def _roles() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in TABLES.rows("roles")}
