"""InfiniBand of node pools: known by the pool, and by the feature that the stack registers."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.network import SINGLE_PLACEMENT_GROUP
from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Fabric, faults_of
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources, verdict
from tests.rules.cases.moments import both

FEATURE = "azure-native:features:SubscriptionFeatureRegistration"
JOINS = {
    "providerNamespace": "Microsoft.ContainerService",
    "featureName": "AKSInfinibandSupport",
}
PORTS = 8


def program(feature: dict[str, Any] | None = None, **inputs: Any) -> AzureProgram:
    made = AzureProgram()
    if feature is not None:
        made.add(FEATURE, "feature", **feature)
    pool = {"vmSize": "Standard_ND96isr_H100_v5", "count": 4, **inputs}
    made.add("azure-native:containerservice:AgentPool", "gpus", **pool)
    return made


def fabric(feature: dict[str, Any] | None = None, **inputs: Any) -> Fabric:
    (group,) = observe(program(feature, **inputs).resources()).groups
    assert group.fabric is not None
    return group.fabric


def test_what_the_pool_says_is_known_without_the_feature():
    seen = fabric()
    assert (seen.interfaces, seen.public_ip, seen.placement) == (PORTS, False, UNKNOWN)
    assert seen.one_zone is UNKNOWN
    assert fabric(availabilityZones=["1"]).one_zone is True
    assert fabric(availabilityZones=["1", "2"]).one_zone is False
    assert fabric(enableNodePublicIP=True).public_ip is True
    assert fabric(enableNodePublicIP=UNKNOWN).public_ip is UNKNOWN


@pytest.mark.parametrize(
    ("feature", "together"),
    [
        (JOINS, True),
        ({**JOINS, "properties": {"state": "Registered"}}, True),
        ({**JOINS, "properties": {"state": "Unregistered"}}, False),
        ({**JOINS, "properties": {"state": UNKNOWN}}, False),
        ({**JOINS, "featureName": "aksInfiniBandSupport"}, True),
        ({**JOINS, "featureName": "Another"}, False),
        ({**JOINS, "featureName": UNKNOWN}, False),
        ({**JOINS, "providerNamespace": "Microsoft.Compute"}, False),
        (None, False),
    ],
)
def test_the_feature_joins_the_nodes(feature, together):
    seen = fabric(feature)

    assert seen.placement == (SINGLE_PLACEMENT_GROUP if together else UNKNOWN)
    assert seen.one_zone is (True if together else UNKNOWN)
    faults = faults_of(seen.faults, "fabric-scale-set")
    assert faults == (() if together else UNKNOWN)


def test_single_machines_are_not_joined():
    seen = fabric(JOINS, type="VirtualMachines")
    assert seen.placement is None
    (fault,) = faults_of(seen.faults, "fabric-scale-set")
    assert "single machines" in fault


@both
def test_no_rule_of_the_family_is_in_doubt_once_the_feature_is_declared(moment):
    found = verdict(of_resources(program(JOINS).resources(moment))).findings
    doubts = {each.rule for each in found if each.refuses and each.rule.startswith("fabric-")}

    assert doubts == set()
