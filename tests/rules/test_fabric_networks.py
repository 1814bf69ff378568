"""Networks of the interfaces of a fabric."""

import pytest

from gpuinfra.clouds import title
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import (
    URN,
    alone,
    joined,
)
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan

MADE, MADE_TOO = ("urn:a", "urn:b")

SITES = [
    (((MADE,), (MADE,)), True),
    (((MADE,), (MADE_TOO,)), False),
    ((("net-a",), ("net-b",)), False),
    (((MADE,), ("net-a",)), True),
    (((MADE, "net-a"), (MADE_TOO, "net-a")), True),
    (((MADE, "net-a"), (MADE_TOO,)), True),
    (((MADE, "net-a"), ("net-b",)), True),
]


@pytest.mark.parametrize(("sites", "is_one"), SITES)
def test_networks_surely_differ_where_all_are_made_or_all_are_named(
    sites: tuple[tuple[str, ...], ...], is_one: bool
) -> None:
    machines = [
        alone(f"w{number}", sites=(frozenset(names),)) for number, names in enumerate(sites)
    ]

    found = findings(plan(*machines), "fabric-networks")

    apart = [it.subject for it in found if "in different networks" in it.message]
    assert apart == ([] if is_one else [URN.format("w0")])


def test_a_node_pool_of_google_cloud_in_two_networks_is_not_knowable_but_judged():
    program = GcpProgram()
    program.add(
        "container/nodePool:NodePool",
        "gpus",
        cluster="theirs",
        nodeLocations=["us-central1-a"],
        nodeCount=2,
        nodeConfig={"machineType": "a3-megagpu-8g"},
        placementPolicy={"type": "COMPACT"},
        networkConfig={"additionalNodeNetworkConfigs": [{"network": "n1", "subnetwork": "s1"}]},
    )
    judged = of_resources(program.resources())
    (finding,) = findings(judged, "fabric-interfaces")
    assert (finding.outcome, "1 of 8" in finding.message) == ("violated", True)
    assert outcomes(judged, "fabric-placement") == ["fine"]
    assert outcomes(judged, "fabric-networks") == ["not-knowable"]


@pytest.mark.parametrize(
    ("faults", "outcome", "words"),
    [
        ((), "fine", ""),
        (("it is wrong", "twice"), "violated", "it is wrong; twice"),
        (UNKNOWN, "not-knowable", "not known yet"),
    ],
    ids=str,
)
def test_faults_are_judged_on_the_cloud_that_reports_them(faults, outcome, words):
    told = joined(faults=rule_faults("fabric-networks", faults))
    (finding,) = findings(plan(group(cloud="gcp", fabric=told)), "fabric-networks")
    assert (finding.outcome, finding.level) == (outcome, "mandatory")
    assert words in finding.message
    assert finding.refuses == (outcome != "fine")


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_faults_are_not_judged_on_other_clouds(cloud):
    told = joined(faults=rule_faults("fabric-networks", ("it is wrong",)))
    (finding,) = findings(plan(group(cloud=cloud, fabric=told)), "fabric-networks")
    assert finding.outcome == "not-applicable"
    assert finding.message == f"{title(cloud)} needs no separate fabric networks"
