"""A node pool stands where its cluster stands, not where its group or its provider does."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import NOWHERE, UNKNOWN
from tests.rules.cases.azure_program import AzureProgram

AKS = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"


def region(program: AzureProgram, moment: Any) -> str:
    (group,) = observe(program.resources(moment)).groups
    return group.rung.region


@pytest.mark.parametrize("moment", ["preview", "created"])
@pytest.mark.parametrize(
    "token", [POOL, "azure-native_containerservice_v20240901:containerservice:AgentPool"]
)
def test_a_pool_stands_in_the_region_of_its_cluster(moment, token):
    program = AzureProgram("East US")
    cluster = program.add(AKS, "aks", location="Brazil South")
    program.add(token, "gpus", resourceName=cluster.out("name"), vmSize="Standard_D4s_v5")
    assert region(program, moment) == "brazilsouth"


@pytest.mark.parametrize("name", ["other", UNKNOWN])
def test_where_a_cluster_of_another_stack_stands_is_not_known(name):
    program = AzureProgram("East US")
    program.add(POOL, "gpus", resourceName=name, vmSize="Standard_D4s_v5")
    assert region(program, "created") == NOWHERE
