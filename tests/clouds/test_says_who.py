"""Every type of the installed SDKs that says who gets in is read, or is listed with the reason."""

import pytest

from gpuinfra.clouds.azure.observe.observers import TYPES as AZURE_TYPES
from gpuinfra.clouds.gcp.observe import _SAYS_WHO
from gpuinfra.clouds.gcp.observe.observers import OBSERVERS
from tests.clouds import sdk_inputs

GIVES = {
    "gcp": frozenset(
        {
            *("member", "members", "policy_data", "entity", "role_entities", "accesses"),
            *("iam_member", "special_group", "bindings", "iam_bindings", "principal"),
            *("principals", "grantee", "grantees", "acl", "predefined_acl"),
            *("access_control", "allow_unauthenticated", "invoker_iam_disabled"),
        }
    ),
    "azure-native": frozenset({"role_definition_id"}),
}
"""Inputs by which a type says who gets in, or what he may do."""

NARROW = {
    "gcp:accesscontextmanager/accessLevel:AccessLevel": "who is let in besides the rights he has",
    "gcp:accesscontextmanager/accessLevelCondition:AccessLevelCondition": "the same",
    "gcp:accesscontextmanager/accessLevels:AccessLevels": "the same",
    "gcp:accesscontextmanager/gcpUserAccessBinding:GcpUserAccessBinding": "demands a level",
    "gcp:bigquery/reservationAssignment:ReservationAssignment": "a user of paid slots",
    "gcp:cloudrunv2/service:Service": "a public service is as one with an invoker for everyone",
    "gcp:dataplex/dataProduct:DataProduct": "groups, by their addresses",
    "gcp:dataplex/datascan:Datascan": "what is looked at",
    "gcp:dataproc/metastoreService:MetastoreService": "a Kerberos principal of its own",
    "gcp:managedkafka/acl:Acl": "clients of a cluster in a network",
    "gcp:networksecurity/authorizationPolicy:AuthorizationPolicy": "sources of traffic",
    "gcp:networksecurity/authzPolicy:AuthzPolicy": "sources of traffic",
    "gcp:projects/iamMemberRemove:IamMemberRemove": "takes a role away",
    "gcp:storage/transferJob:TransferJob": "keeps what is said of the objects",
    "azure-native:authorization:RoleManagementPolicyAssignment": "what asking for a role needs",
    "azure-native:billing:BillingRoleAssignmentByBillingAccount": "of bills",
    "azure-native:billing:BillingRoleAssignmentByDepartment": "of bills",
    "azure-native:billing:BillingRoleAssignmentByEnrollmentAccount": "of bills",
    "azure-native:blueprint:RoleAssignmentArtifact": "a part of a template that is not assigned",
    **{
        f"azure-native:cosmosdb:{kind}Role{part}": "of the data of one account"
        for kind in (
            *("CassandraResourceCassandra", "GremlinResourceGremlin", "MongoMIResourceMongoMI"),
            *("SqlResourceSql", "TableResourceTable"),
        )
        for part in ("Assignment", "Definition")
    },
    "azure-native:databricks:Workspace": "of the resource group that it makes",
    "azure-native:mission:Community": "of the resource groups that it makes",
    "azure-native:mission:VirtualEnclave": "of the resource groups that it makes",
    "azure-native:providerhub:AuthorizedApplication": "of a provider of resources",
    "azure-native:providerhub:CustomRollout": "of a provider of resources",
    "azure-native:providerhub:DefaultRollout": "of a provider of resources",
    "azure-native:providerhub:ProviderRegistration": "of a provider of resources",
    "azure-native:solutions:ApplicationDefinition": "of the resource groups of its applications",
    "azure-native:solutions:JitRequest": "asks for a role for a time",
}
"""Types that give no right to everyone or to all of a subscription, and why."""


def is_read(cloud: str, token: str) -> bool:
    if cloud == "gcp":
        return token in OBSERVERS or _SAYS_WHO.search(token) is not None
    return token in AZURE_TYPES


@pytest.mark.parametrize("cloud", ["gcp", "azure-native"])
def test_no_type_that_says_who_gets_in_is_missed(cloud):
    says = {
        token
        for token, inputs, _ in sdk_inputs.types_of(cloud)
        if inputs & GIVES[cloud] and token.startswith(f"{cloud}:")
    }
    missed = {token for token in says if not is_read(cloud, token)}
    assert missed == {token for token in NARROW if token.startswith(f"{cloud}:")}
    assert len(says) > len(missed)
