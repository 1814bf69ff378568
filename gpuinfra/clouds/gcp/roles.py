"""The permissions of Google Cloud's predefined roles that matter to rules."""

from functools import cache

from gpuinfra.clouds.gcp.tables import TABLES


def permissions_of(role: str) -> tuple[str, ...]:
    """Return the relevant permissions of a predefined role."""
    return _roles().get(role, ())


@cache
def _roles() -> dict[str, tuple[str, ...]]:
    return {row["role"]: tuple(row["permissions"]) for row in TABLES.rows("roles")}
