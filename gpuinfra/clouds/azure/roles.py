"""Azure's built-in roles, by id, as far as a table knows them."""

from functools import cache

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.model import UNKNOWN, Known


def is_administrators(role: str) -> Known:
    """Whether a role, by the last part of its id, lets its holder do everything in its scope.

    UNKNOWN for a role that no row names: it may be a custom role.
    """
    return _roles().get(role.lower(), UNKNOWN)


def role_name(role: str) -> str | None:
    """What Azure calls a built-in role, by the last part of its id; None for one in no row."""
    return next((row["role"] for row in TABLES.rows("roles") if row["id"] == role.lower()), None)


@cache
def _roles() -> dict[str, bool]:
    return {row["id"]: row["administrator"] for row in TABLES.rows("roles")}
