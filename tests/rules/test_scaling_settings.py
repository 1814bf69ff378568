"""More machines at least than at most, which every cloud refuses, off or on."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_stacks, gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

RULE = "scaling-settings"
FINE = ("fine", "scaling settings are valid")
LATER = ("not-knowable", "its scaling settings are not known yet")


def refused(least: int, most: int) -> tuple[str, str]:
    return ("violated", f"a minimum of {least} machines with a maximum of {most} is impossible")


def google(least: Any, most: Any, mode: str = "ON", **inputs: Any) -> GcpProgram:
    program = GcpProgram()
    made = gcp_stacks.template(program, "t", gcp_stacks.network(program))
    goal = gcp_stacks.group(program, "g", made, **inputs)
    scale = gcp_stacks.autoscaler(program, goal, least, most)
    policy = {"minReplicas": least, "maxReplicas": most, "mode": mode}
    program.change(scale, autoscalingPolicy=policy)
    return program


@both
@pytest.mark.parametrize(
    ("least", "most", "mode", "expected"),
    [
        (9, 5, "ON", [refused(9, 5)]),
        (9, 5, "OFF", [refused(9, 5)]),
        (5, 5, "ON", [FINE]),
        (1, 5, "OFF", []),
    ],
)
def test_an_autoscaler_of_google(least, most, mode, expected, moment):
    plan = of_resources(google(least, most, mode).resources(moment))
    seen = verdicts(plan, RULE)
    assert [verdict for verdict in seen if verdict[0] != "not-applicable"] == expected


def test_an_autoscaler_beside_a_larger_size_is_refused_too():
    plan = of_resources(google(9, 5, targetSize=10).resources())
    assert refused(9, 5) in verdicts(plan, RULE)
    assert sum(group.maximum for group in plan.groups if isinstance(group.maximum, int)) == 10


def test_numbers_that_are_not_known_yet_may_be_impossible():
    assert verdicts(of_resources(google(UNKNOWN, 5).resources()), RULE) == [LATER]


def test_a_pool_of_two_ways_to_buy_keeps_what_is_refused_of_either():
    program = gcp_stacks.pool()
    scale = next(handle for handle in program.handles.values() if "Autoscaler" in handle.type)
    program.change(scale, autoscalingPolicy={"minReplicas": 9, "maxReplicas": 5})
    plan = of_resources(program.resources())
    assert len(plan.groups) == 1
    assert verdicts(plan, RULE) == [refused(9, 5)]


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [
        ({"minNodeCount": 3, "maxNodeCount": 2}, refused(3, 2)),
        ({"totalMinNodeCount": 3, "totalMaxNodeCount": 2}, refused(3, 2)),
        ({"minNodeCount": 1, "maxNodeCount": 2}, FINE),
        (None, FINE),
    ],
)
def test_a_pool_of_gke(scaling, expected):
    pool = {"nodeConfig": gcp_stacks.NODES, "autoscaling": scaling, "nodeCount": 1}
    given = {key: value for key, value in pool.items() if value is not None}
    assert verdicts(of_resources(gcp_stacks.gke(given).resources()), RULE) == [expected]


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize(
    ("least", "most", "expected"), [("9", "5", refused(9, 5)), ("1", "5", FINE)]
)
def test_an_autoscale_setting_of_azure(least, most, enabled, expected):
    program, _, setting = azure_stacks.pool(least, most)
    program.change(setting, enabled=enabled)
    assert verdicts(of_resources(program.resources()), RULE) == [expected]


@pytest.mark.parametrize(
    ("scales", "expected"), [(True, refused(9, 5)), (False, FINE), (None, FINE)]
)
def test_a_pool_of_aks(scales, expected):
    program = AzureProgram()
    pool = {"name": "gpus", "vmSize": "Standard_NC4as_T4_v3", "minCount": 9, "maxCount": 5}
    if scales is not None:
        pool["enableAutoScaling"] = scales
    program.add("azure-native:containerservice:ManagedCluster", "aks", agentPoolProfiles=[pool])
    assert verdicts(of_resources(program.resources()), RULE) == [expected]


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ((), FINE),
        (("one", "two"), ("violated", "one; two")),
        (UNKNOWN, LATER),
    ],
    ids=str,
)
def test_scaling_settings_are_valid(faults, expected):
    told = group(faults=rule_faults(RULE, faults))
    assert verdicts(plan(told), RULE) == [expected]
    assert outcomes(plan(), RULE) == ["not-applicable"]
