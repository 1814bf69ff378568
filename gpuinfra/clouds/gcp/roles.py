"""What Google Cloud's predefined roles have of the permissions that matter to rules."""

from functools import cache

from gpuinfra.clouds.gcp.tables import TABLES


def permissions_of(role: str) -> tuple[str, ...]:
    """Return what a predefined role has of the permissions that are asked about."""
    return _roles().get(role, ())


@cache
def _roles() -> dict[str, tuple[str, ...]]:
    return {row["role"]: tuple(row["permissions"]) for row in TABLES.rows("roles")}
