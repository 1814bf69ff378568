from uuid import UUID

import pytest

from gpuinfra.clouds.azure.observe.rights.role_powers import gives_everything, powers
from gpuinfra.clouds.azure.roles import permissions_of, role_name
from gpuinfra.clouds.azure.tables import TABLES

RUNS_COMMANDS = "a role that runs commands on machines"
RUNS_CODE = "a role that runs what has identities"
USES_CLUSTERS = "a role that uses clusters"
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"


@pytest.mark.parametrize("role", ["11111111-2222-3333-4444-555555555555", ""])
def test_a_role_that_no_row_names_is_not_known(role) -> None:
    assert permissions_of(role) is None
    assert role_name(role) is None
    assert role_name(OWNER.upper()) == "Owner"


def test_the_administrators_are_known_by_their_permissions() -> None:
    great = {row["role"] for row in TABLES.rows("roles") if gives_everything(row["permissions"])}

    assert great == {
        "Owner",
        "Contributor",
        "User Access Administrator",
        "Role Based Access Control Administrator",
        "Managed Identity Contributor",
        "Managed Identity Federated Identity Credential Contributor",
        "Azure Red Hat OpenShift Federated Credential",
        "Azure Red Hat OpenShift Machine API Operator",
    }


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("Reader", ()),
        ("AcrPush", ()),
        ("Storage Blob Data Reader", ()),
        ("Azure Kubernetes Service Cluster User Role", ()),
        ("Automation Operator", ()),
        ("Storage Blob Data Owner", ("a role that changes the data of storage accounts",)),
        ("Managed Identity Operator", ("a role that assigns identities",)),
        ("Key Vault Certificate User", ("a role that reads secrets",)),
        ("Key Vault Contributor", ("a role that changes who may use key vaults",)),
        ("Storage Account Contributor", ("a role that reads the keys of storage accounts",)),
        ("Reader and Data Access", ("a role that reads the keys of storage accounts",)),
        (
            "Azure Kubernetes Service Cluster Admin Role",
            ("a role that administers clusters",),
        ),
        ("Azure Kubernetes Service RBAC Writer", ("a role that uses clusters",)),
        ("Azure Container Storage Operator", (RUNS_COMMANDS,)),
        ("Storage DataShare Contributor", ("a role that reads the keys of storage accounts",)),
        ("Storage Table Data Contributor", ("a role that changes the data of storage accounts",)),
        ("Website Contributor", (RUNS_CODE,)),
        ("Container Registry Tasks Contributor", (RUNS_CODE,)),
        ("Azure Container Instances Contributor Role", (RUNS_CODE,)),
        ("Azure Batch Job Submitter", (RUNS_CODE,)),
        ("AzureML Data Scientist", ("a role that reads the keys of services", RUNS_CODE)),
        ("Cognitive Services Contributor", ("a role that reads the keys of services",)),
        ("Azure Event Hubs Data Owner", ("a role that reads the keys of services",)),
    ],
)
def test_what_a_role_may_do_is_known_by_its_permissions(role, expected) -> None:
    (permissions,) = (row["permissions"] for row in TABLES.rows("roles") if row["role"] == role)

    assert tuple(power.role for power in powers() if power.is_in(permissions)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dataActions": ["Microsoft.Compute/disks/download/action"]}, "a role that copies disks"),
        ({"dataActions": ["Microsoft.App/jobs/exec/action"]}, RUNS_CODE),
        ({"dataActions": ["Microsoft.Kubernetes/connectedClusters/pods/*"]}, USES_CLUSTERS),
        ({"dataActions": ["*/managedClusters/pods/exec/action"]}, USES_CLUSTERS),
        ({"actions": ["Microsoft.HybridCompute/machines/runCommands/*"]}, RUNS_COMMANDS),
        ({"actions": ["*/scaleSets/write", "*/virtualMachineScaleSets/write"]}, RUNS_COMMANDS),
        ({"actions": ["Microsoft.Web/sites/slots/config/write"]}, RUNS_CODE),
        ({"actions": ["Microsoft.App/jobs/start/action"]}, RUNS_CODE),
        ({"actions": ["Microsoft.App/jobs/stop/action"]}, None),
        ({"dataActions": ["Microsoft.App/jobs/start/action"]}, None),
    ],
)
def test_a_role_of_one_s_own_has_the_powers_of_its_actions(given, expected) -> None:
    found = {power.role for power in powers() if power.is_in([given])}

    assert found == ({expected} if expected else set())


def test_every_role_stands_once_sourced_and_dated() -> None:
    rows = list(TABLES.rows("roles"))

    assert (
        len({UUID(row["id"]) for row in rows}) == len({row["role"] for row in rows}) == len(rows)
    )
    assert all(row["id"] == row["id"].lower() for row in rows)
    assert all(row["source"] and row["as_of"].startswith("20") for row in rows)
