"""What roles of Azure let one do, built-in and one's own alike, alone and together."""

from collections.abc import Sequence
from typing import Any

import pytest

from gpuinfra.clouds.azure.tables import TABLES
from tests.rules.cases.azure_cluster import cluster, role
from tests.rules.cases.azure_program import GROUP, SUBSCRIPTION, AzureProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

MACHINE = f"{GROUP}/providers/Microsoft.Compute/virtualMachines/a"
IDENTITY = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/a"
ASSIGN = "Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action"
IDS = {row["role"]: row["id"] for row in TABLES.rows("roles")}


def grant(program: AzureProgram, name: str, given: str | Sequence[str], **inputs: Any) -> None:
    """Add an assignment of a built-in role, or of one with these actions."""
    if isinstance(given, str):
        definition: Any = role(IDS[given])
    else:
        definition = program.add(
            "azure-native:authorization:RoleDefinition",
            f"{name}-role",
            roleName=name,
            permissions=[{"actions": list(given)}],
        ).id
    program.add(
        "azure-native:authorization:RoleAssignment", name, roleDefinitionId=definition, **inputs
    )


@both
@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ([("Managed Identity Contributor", GROUP)], "violated"),
        ([("Managed Identity Operator", GROUP)], "fine"),
        ([("Managed Identity Operator", GROUP), ("Reader", GROUP)], "fine"),
        (
            [("Managed Identity Operator", GROUP), ("Virtual Machine Contributor", GROUP)],
            "violated",
        ),
        (
            [("Managed Identity Operator", GROUP), ("Virtual Machine Contributor", MACHINE)],
            "violated",
        ),
        (
            [("Managed Identity Operator", IDENTITY), ("Virtual Machine Contributor", GROUP)],
            "fine",
        ),
        (
            [((ASSIGN,), GROUP), (("Microsoft.Web/sites/*",), GROUP)],
            "violated",
        ),
        ([((ASSIGN, "Microsoft.App/jobs/write"), GROUP)], "violated"),
        ([((ASSIGN,), GROUP), ("Website Contributor", GROUP)], "violated"),
    ],
)
def test_roles_of_one_identity_are_read_together(given, outcome, moment):
    case = cluster()
    for number, (held, scope) in enumerate(given):
        principal = case.identity.out("principalId")
        grant(case.program, f"held{number}", held, scope=scope, principalId=principal)
    judged = of_resources(case.program.resources(moment))
    assert outcomes(judged, "administrator-role") == [outcome]


@pytest.mark.parametrize(
    ("built_in", "actions", "words"),
    [
        (
            "Managed Identity Contributor",
            ["Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/*"],
            "",
        ),
        (
            "Managed Identity Operator",
            [ASSIGN],
            "it can have what it makes run as any managed identity",
        ),
        (
            "Storage Account Key Operator Service Role",
            ["Microsoft.Storage/storageAccounts/listKeys/action"],
            "it can read the keys of every storage account",
        ),
        (
            "Azure Kubernetes Service Cluster Admin Role",
            ["Microsoft.ContainerService/managedClusters/listClusterAdminCredential/action"],
            "it can act as the administrator of every cluster",
        ),
        (
            "Key Vault Contributor",
            ["Microsoft.KeyVault/vaults/accessPolicies/write"],
            "it can give itself every secret in key vaults",
        ),
        (
            "Disk Snapshot Contributor",
            ["Microsoft.Compute/disks/beginGetAccess/action"],
            "it can copy every disk",
        ),
        (
            "Automation Contributor",
            ["Microsoft.Automation/automationAccounts/*"],
            "it can run code with the identity of every app",
        ),
        (
            "Website Contributor",
            ["Microsoft.Web/sites/publish/action"],
            "it can run code with the identity of every app",
        ),
        (
            "Data Factory Contributor",
            ["Microsoft.DataFactory/factories/pipelines/write"],
            "it can run code with the identity of every app, job, container",
        ),
    ],
)
def test_a_built_in_role_is_judged_as_one_s_own_with_its_actions(built_in, actions, words):
    for given in (built_in, actions):
        for scope, outcome in ((SUBSCRIPTION, "violated"), (GROUP, "fine")):
            program = AzureProgram()
            grant(program, "it", given, scope=scope, principalId="p")
            shown, message = verdicts(of_resources(program.resources()), "wildcard-policy")[-1]
            assert shown == outcome
            assert words in message or outcome == "fine"


@pytest.mark.parametrize(
    ("built_in", "words"),
    [
        ("Key Vault Certificate User", "it can read every secret in key vaults"),
        ("Key Vault Secrets User", "it can read every secret in key vaults"),
        ("Key Vault Crypto User", "it can decrypt with every key in key vaults"),
        *(
            (role, "it can change and delete the data of every storage account")
            for role in (
                "Storage Blob Data Owner",
                "Storage Blob Data Contributor",
                "Storage File Data Privileged Contributor",
            )
        ),
        *(
            (role, "it can run pods in every cluster, and read its secrets")
            for role in (
                "Azure Kubernetes Service RBAC Cluster Admin",
                "Azure Kubernetes Service RBAC Admin",
                "Azure Kubernetes Service RBAC Writer",
                "Azure Kubernetes Fleet Manager RBAC Cluster Admin",
                "Azure Kubernetes Fleet Manager RBAC Cluster Admin for Member Clusters",
            )
        ),
        (
            "Virtual Machine Administrator Login",
            "it can log in to every machine as an administrator",
        ),
    ],
)
def test_a_role_on_data_is_known_by_what_it_reads(built_in, words):
    program = AzureProgram()
    grant(program, "it", built_in, scope=SUBSCRIPTION, principalId="p")
    ((outcome, message),) = verdicts(of_resources(program.resources()), "wildcard-policy")
    assert (outcome, message) == (
        "violated",
        f"grants {built_in} on the whole subscription: {words}",
    )
