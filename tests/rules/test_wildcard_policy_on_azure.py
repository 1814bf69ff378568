"""Roles too wide, on raw resources of strangers on Azure."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases import azure_cluster
from tests.rules.cases.azure_cluster import role
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

GREAT = "b24988ac-6180-42a0-ab88-20f7382dd24c"
OUTSIDE = {
    *("resources:ResourceGroup", "management:ManagementGroup", "subscription:Alias"),
    "consumption:Budget",
}
"""What stands in no resource group."""
DOUBT = ("not-knowable", "its permissions are unknown")


class TestGrantsOfAzure:
    RULE = "wildcard-policy"

    def judged(self, **inputs: Any) -> list[tuple[str, str]]:
        program = AzureProgram()
        program.add("azure-native:authorization:RoleAssignment", "it", principalId="p", **inputs)
        return verdicts(of_resources(program.resources()), self.RULE)

    @pytest.mark.parametrize(
        ("guid", "scope", "expected"),
        [
            (GREAT, SUBSCRIPTION, ("violated", "grants Contributor on the whole subscription")),
            (
                GREAT,
                "/providers/Microsoft.Management/managementGroups/lab",
                ("violated", "grants Contributor on a whole management group"),
            ),
            (
                GREAT,
                f"{SUBSCRIPTION}/resourceGroups/rg",
                ("fine", "no wildcard grants broad permissions"),
            ),
            (
                azure_cluster.BLOB_WRITER,
                SUBSCRIPTION,
                (
                    "violated",
                    (
                        "grants Storage Blob Data Contributor on the whole subscription: it can "
                        "change and delete the data of every storage account"
                    ),
                ),
            ),
            (
                azure_cluster.BLOB_WRITER,
                f"{SUBSCRIPTION}/resourceGroups/rg",
                ("fine", "no wildcard grants broad permissions"),
            ),
            (
                "11111111-1111-1111-1111-111111111111",
                SUBSCRIPTION,
                ("not-knowable", "its permissions are unknown"),
            ),
            (GREAT, UNKNOWN, ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_nobody_administers_a_subscription(self, guid, scope, expected):
        assert self.judged(roleDefinitionId=role(guid), scope=scope) == [expected]

    @pytest.mark.parametrize(
        ("kinds", "expected"),
        [
            (["resources:ResourceGroup"], ("fine", "no wildcard grants broad permissions")),
            (["keyvault:Vault"], ("fine", "no wildcard grants broad permissions")),
            (
                ["resources:ResourceGroup", "storage:StorageAccount"],
                ("fine", "no wildcard grants broad permissions"),
            ),
            (
                ["management:ManagementGroup"],
                ("violated", "grants Contributor on a whole management group"),
            ),
            (["subscription:Alias"], ("violated", "grants Contributor on the whole subscription")),
            (["subscription:Alias", "resources:ResourceGroup"], DOUBT),
            (["subscription:Alias", "management:ManagementGroup"], DOUBT),
            (["resources:Deployment"], DOUBT),
            (["consumption:Budget"], DOUBT),
        ],
    )
    def test_a_scope_that_is_still_to_be_made_is_as_wide_as_what_it_comes_from(
        self, kinds, expected
    ):
        sources = [
            Resource(
                urn=f"urn:{kind}",
                type=f"azure-native:{kind}",
                name="s",
                inputs={"resourceGroupName": "rg"} if kind not in OUTSIDE else {},
            )
            for kind in kinds
        ]
        assert self.of_sources(sources, [source.urn for source in sources]) == expected

    def test_a_scope_from_what_is_not_seen_is_not_known(self):
        group = Resource(
            urn="urn:g", type="azure-native:resources:ResourceGroup", name="g", inputs={}
        )
        assert self.of_sources([group], ["urn:g", "urn:elsewhere"]) == DOUBT

    def of_sources(self, sources: list[Resource], urns: list[str]) -> tuple[str, str]:
        grant = Resource(
            urn="urn:grant",
            type="azure-native:authorization:RoleAssignment",
            name="it",
            inputs={"principalId": "p", "scope": UNKNOWN, "roleDefinitionId": role(GREAT)},
            relations={"scope": tuple(urns)},
        )
        (told,) = verdicts(of_resources((*sources, grant)), self.RULE)
        return told

    @both
    @pytest.mark.parametrize(
        ("actions", "expected"),
        [
            (["*"], ("violated", "allows *")),
            (
                ["Microsoft.Authorization/*"],
                ("violated", "allows Microsoft.Authorization/*"),
            ),
            (["*/write"], ("violated", "allows */write")),
            (["*/action"], ("violated", "allows */action")),
            (
                ["Microsoft.Authorization/roleAssignments/write"],
                ("violated", "allows Microsoft.Authorization/roleAssignments/write"),
            ),
            (
                ["Microsoft.Authorization/roleDefinitions/*"],
                ("violated", "allows Microsoft.Authorization/roleDefinitions/*"),
            ),
            (["*/read"], ("fine", "no wildcard grants broad permissions")),
            (["[a-z]*/write"], ("fine", "no wildcard grants broad permissions")),
            (["Microsoft.Compute/*"], ("fine", "no wildcard grants broad permissions")),
            (["Microsoft.Compute/*/read"], ("fine", "no wildcard grants broad permissions")),
            ([UNKNOWN], ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_a_role_of_one_s_own_names_its_actions(self, actions, expected, moment):
        program = AzureProgram()
        program.add(
            "azure-native:authorization:RoleDefinition",
            "own",
            roleName="own",
            permissions=[{"actions": actions}],
        )
        assert verdicts(of_resources(program.resources(moment)), self.RULE) == [expected]
