"""Eviction policies of machines on Azure, on raw resources."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both

T4 = "Standard_NC4as_T4_v3"


def evicted(kind: str, priority: Any, policy: Any) -> AzureProgram:
    program = AzureProgram()
    settings = {"priority": priority, "evictionPolicy": policy}
    given = {key: value for key, value in settings.items() if value is not None}
    if kind == "machine":
        size = {"vmSize": T4}
        program.add(
            "azure-native:compute:VirtualMachine", "workers", hardwareProfile=size, **given
        )
    elif kind == "scale set":
        azure_stacks.scale_set(program, profile=given)
    else:
        renamed = {
            {"priority": "scaleSetPriority", "evictionPolicy": "scaleSetEvictionPolicy"}[
                key
            ]: value
            for key, value in given.items()
        }
        cluster = program.add("azure-native:containerservice:ManagedCluster", "aks")
        program.add(
            "azure-native:containerservice:AgentPool",
            "workers",
            resourceName=cluster.out("name"),
            vmSize=T4,
            count=1,
            **renamed,
        )
    return program


@both
@pytest.mark.parametrize("kind", ["machine", "scale set", "pool"])
@pytest.mark.parametrize(
    ("priority", "policy", "outcome"),
    [
        (None, None, "fine"),
        (None, "", "fine"),
        (None, "Delete", "violated"),
        ("Regular", "Deallocate", "violated"),
        ("Spot", "Delete", "fine"),
        ("Low", "Delete", "fine"),
        (None, UNKNOWN, "not-knowable"),
        ("Spot", UNKNOWN, "fine"),
    ],
)
def test_only_spot_machines_have_an_eviction_policy(kind, priority, policy, outcome, moment):
    plan = of_resources(evicted(kind, priority, policy).resources(moment))
    (finding,) = findings(plan, "eviction-policy")
    assert finding.outcome == outcome
    if outcome == "violated":
        words = f"eviction policy {policy} on regular machines: only spot machines are evicted"
        assert finding.message == words
        assert finding.fix == "remove the eviction policy, or set the priority to Spot"
    assert outcomes(plan, "spot-settings") == ["fine"]
