"""A node pool stands where its cluster stands, not where its group or its provider does."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import NOWHERE, UNKNOWN, faults_of
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both

AKS = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"


def region(program: AzureProgram, moment: Any) -> str:
    (group,) = observe(program.resources(moment)).groups
    return group.rung.region


@both
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


SUBNET, PROXIMITY = "azure-native:network:Subnet", "azure-native:compute:ProximityPlacementGroup"


def named(program: AzureProgram, token: str, place: str) -> Any:
    """The id of a subnet in a network of a region, or of another resource there."""
    if token != SUBNET:
        return program.add(token, "beside", location=place).id
    network = program.add("azure-native:network:VirtualNetwork", "net", location=place)
    return program.add(token, "inner", virtualNetworkName=network.out("name")).id


def refused(program: AzureProgram, moment: Any) -> Any:
    (group,) = observe(program.resources(moment)).groups
    return faults_of(group.faults, "launch-settings")


@both
@pytest.mark.parametrize("place", ["East US", "West Europe"])
@pytest.mark.parametrize(
    ("key", "token", "what"),
    [
        ("vnetSubnetID", SUBNET, "subnet inner"),
        ("podSubnetID", SUBNET, "subnet inner"),
        ("proximityPlacementGroupID", PROXIMITY, "proximity placement group beside"),
    ],
)
@pytest.mark.parametrize("inline", [True, False])
def test_what_a_pool_names_is_of_its_cluster_s_region(inline, key, token, what, place, moment):
    program = AzureProgram("East US")
    pool = {"vmSize": "Standard_D4s_v5", "count": 1, key: named(program, token, place)}
    profiles = {"agentPoolProfiles": [{"name": "gpus", **pool}]} if inline else {}
    cluster = program.add(AKS, "aks", location="East US", **profiles)
    if not inline:
        program.add(POOL, "gpus", resourceName=cluster.out("name"), **pool)
    far = f"the {what} is in westeurope, the machines are in eastus"
    assert refused(program, moment) == ((far,) if place == "West Europe" else ())


@both
@pytest.mark.parametrize("place", ["East US", "West Europe"])
@pytest.mark.parametrize(
    ("key", "token", "what"),
    [
        ("proximityPlacementGroup", PROXIMITY, "proximity placement group"),
        ("availabilitySet", "azure-native:compute:AvailabilitySet", "availability set"),
    ],
)
def test_what_a_machine_is_put_in_is_of_its_region(key, token, what, place, moment):
    program = AzureProgram("East US")
    program.add(
        "azure-native:compute:VirtualMachine",
        "box",
        location="East US",
        hardwareProfile={"vmSize": "Standard_D4s_v5"},
        **{key: {"id": named(program, token, place)}},
    )
    far = f"the {what} beside is in westeurope, the machines are in eastus"
    assert refused(program, moment) == ((far,) if place == "West Europe" else ())
