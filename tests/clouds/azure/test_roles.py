from uuid import UUID

import pytest

from gpuinfra.clouds.azure.roles import is_administrators
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.model import UNKNOWN


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("8e3af657-a8ff-443c-a75c-2fe8c4bcb635", True),
        ("B24988AC-6180-42A0-AB88-20F7382DD24C", True),
        ("7f951dda-4ed3-4680-a7ca-43fe172d538d", False),
        ("11111111-2222-3333-4444-555555555555", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_role_that_no_row_names_is_not_known(role, expected) -> None:
    assert is_administrators(role) is expected


def test_every_role_stands_once_sourced_and_dated() -> None:
    rows = list(TABLES.rows("roles"))

    assert (
        len({UUID(row["id"]) for row in rows}) == len({row["role"] for row in rows}) == len(rows)
    )
    assert all(row["id"] == row["id"].lower() for row in rows)
    assert all(row["source"] and row["as_of"].startswith("20") for row in rows)
