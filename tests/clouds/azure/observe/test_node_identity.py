"""What the nodes of a cluster may do, and which of their ports the internet reaches."""

from dataclasses import replace

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.azure_program import GROUP

PACKAGE = "azure-native"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
ACR_PULL = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590"
NODES, CONTROL = "11111111-0000-0000-0000-000000000000", "22222222-0000-0000-0000-000000000000"
POOL = {"name": "pool", "vmSize": "Standard_NC4as_T4_v3", "count": 1}


def made(kind, name, relations=None, outputs=None, **inputs):
    token = f"{PACKAGE}:{kind}"
    return Resource(
        urn=f"urn:pulumi:dev::shop::{token}::{name}",
        type=token,
        name=name,
        inputs=inputs,
        outputs=outputs or {},
        relations=relations or {},
    )


def cluster(**more):
    return made("containerservice:ManagedCluster", "aks", agentPoolProfiles=[POOL], **more)


def grant(holder, source, role=CONTRIBUTOR):
    return made(
        "authorization:RoleAssignment",
        "grant",
        {"principalId": (source.urn,)},
        principalId=holder,
        principalType="ServicePrincipal",
        roleDefinitionId=f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{role}",
        scope=GROUP,
    )


def safety(*resources):
    (group,) = observe(resources).groups
    return group.safety


class TestWhatAzureMakes:
    made = cluster(
        outputs={
            "identity": {"principalId": CONTROL},
            "identityProfile": {"kubeletidentity": {"objectId": NODES}},
        }
    )

    def test_it_has_no_role_by_itself(self):
        assert safety(cluster()).administrator is False

    def test_before_the_cluster_is_there_a_grant_may_be_to_its_nodes(self):
        aks = cluster()
        assert safety(aks, grant(UNKNOWN, aks)).administrator is UNKNOWN
        assert safety(aks, grant(UNKNOWN, aks, ACR_PULL)).administrator is False

    @pytest.mark.parametrize(("holder", "administrator"), [(NODES, True), (CONTROL, False)])
    def test_later_it_is_known_to_whom(self, holder, administrator):
        assert safety(self.made, grant(holder, self.made)).administrator is administrator

    def test_a_state_without_what_the_cluster_returned_tells_nothing(self):
        bare = replace(self.made, outputs={})
        assert safety(bare, grant(NODES, bare)).administrator is UNKNOWN


class TestWhatTheClusterNames:
    @pytest.mark.parametrize(("role", "administrator"), [(CONTRIBUTOR, True), (ACR_PULL, False)])
    def test_an_identity_of_the_stack_has_the_roles_that_it_is_given(self, role, administrator):
        identity = made("managedidentity:UserAssignedIdentity", "nodes")
        aks = cluster(
            relations={"identityProfile": (identity.urn,)},
            identityProfile={"kubeletidentity": {"resourceId": UNKNOWN}},
        )
        holds = grant(UNKNOWN, identity, role)
        assert safety(aks, identity, holds).administrator is administrator

    def test_one_of_elsewhere_may_have_any(self):
        aks = cluster(
            identityProfile={"kubeletidentity": {"resourceId": f"{GROUP}/providers/x/y/z"}}
        )
        assert safety(aks).administrator is UNKNOWN
        assert safety(cluster(identityProfile=UNKNOWN)).administrator is UNKNOWN


@pytest.mark.parametrize(
    ("ranges", "opened"),
    [
        (None, False),
        ([{"portStart": 80, "portEnd": 80}, {"portStart": 443, "portEnd": 443}], False),
        ([{"portStart": 22, "portEnd": 22, "protocol": "TCP"}], True),
        ([{"portStart": 1, "portEnd": 65535}], True),
        ([{"portStart": 22, "portEnd": 22, "protocol": "UDP"}], False),
        ([{"portStart": UNKNOWN, "portEnd": 22}], UNKNOWN),
        (UNKNOWN, UNKNOWN),
    ],
)
def test_ports_that_a_pool_allows_are_open_to_the_internet(ranges, opened):
    pool = {**POOL, "enableNodePublicIP": True, "networkProfile": {"allowedHostPorts": ranges}}
    aks = made("containerservice:ManagedCluster", "aks", agentPoolProfiles=[pool])
    assert safety(aks).open_login is opened
