from gpuinfra.clouds.gcp.observe.rights.role_powers import (
    ACTING,
    EDITS_ROLES,
    gives_roles,
    permission_set,
    powers,
    powers_of,
    sets_policies,
)
from gpuinfra.clouds.gcp.roles import permissions_of
from gpuinfra.clouds.gcp.tables import TABLES


def test_the_table_knows_every_permission_that_is_asked_about() -> None:
    table = TABLES.table("roles")
    sets = map(permission_set, ("giving", "minting", "becoming", "starting"))
    asked = {ACTING, EDITS_ROLES, "*.setIamPolicy"}.union(*sets, *powers().values())

    assert set(table["asked"]) == asked
    assert sets_policies(["*.setIamPolicy"])
    assert {each for row in TABLES.rows("roles") for each in row["permissions"]} <= asked


def test_every_role_stands_once_sourced_and_dated() -> None:
    rows = list(TABLES.rows("roles"))

    assert len({row["role"] for row in rows}) == len(rows)
    assert all(row["role"].startswith("roles/") and row["permissions"] for row in rows)
    assert all(row["source"] and row["as_of"].startswith("20") for row in rows)


def test_a_role_in_no_row_has_none_of_them() -> None:
    assert permissions_of("roles/storage.objectViewer") == ()
    assert gives_roles(permissions_of("roles/iam.securityAdmin")) is True
    assert list(powers_of(permissions_of("roles/compute.osAdminLogin"))) == [
        "a login to every machine as an administrator"
    ]
