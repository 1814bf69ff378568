"""Machine types of Google Cloud are offered in some zones of a region only."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources

SPOT = {"provisioningModel": "SPOT", "preemptible": True, "automaticRestart": False}


@pytest.mark.parametrize(
    ("machine", "zone", "outcome"),
    [
        ("g2-standard-4", "us-central1-f", "violated"),
        ("g2-standard-4", "us-central1-a", "fine"),
        ("a3-ultragpu-8g", "us-central1-f", "violated"),
        # No zone of the region, or no such zone, is in the table.
        ("a2-ultragpu-1g", "us-west8-a", "not-knowable"),
        ("g2-standard-4", "us-central1-ai1a", "not-knowable"),
    ],
)
def test_a_machine_is_offered_in_the_zones_of_the_table(machine, zone, outcome):
    program = GcpProgram()
    program.add(
        "compute/instance:Instance", "box", machineType=machine, zone=zone, scheduling=SPOT
    )
    (finding,) = findings(of_resources(program.resources()), "market-offered")
    assert finding.outcome == outcome
    assert (f"{machine} is not offered in {zone}, only in us-central1-" in finding.message) is (
        outcome == "violated"
    )


@pytest.mark.parametrize(
    ("zones", "outcome"),
    [(["us-central1-f"], "violated"), (["us-central1-a", "us-central1-f"], "fine")],
)
def test_one_zone_of_several_is_enough(zones, outcome):
    program = GcpProgram()
    template = program.add(
        "compute/instanceTemplate:InstanceTemplate",
        "node",
        machineType="g2-standard-4",
        scheduling=SPOT,
    )
    program.add(
        "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        "workers",
        region="us-central1",
        baseInstanceName="worker",
        targetSize=2,
        distributionPolicyZones=zones,
        versions=[{"instanceTemplate": template.id}],
    )
    (finding,) = findings(of_resources(program.resources()), "market-offered")
    assert finding.outcome == outcome


@pytest.mark.parametrize(
    ("place", "shared", "own", "outcome"),
    [
        ("us-central1-a", None, None, "fine"),
        ("us-central1-f", None, None, "violated"),
        ("us-central1-a", None, ["us-central1-f"], "violated"),
        ("us-central1-f", None, ["us-central1-a"], "fine"),
        ("us-central1-a", None, UNKNOWN, "fine"),
        ("us-central1-f", None, [UNKNOWN], "fine"),
        ("us-central1-a", ["us-central1-f"], None, "fine"),
        ("us-central1", ["us-central1-f"], None, "violated"),
        ("us-central1", ["us-central1-f"], [], "violated"),
        ("us-central1", ["us-central1-f"], ["us-central1-a"], "fine"),
        ("us-central1", UNKNOWN, None, "fine"),
    ],
)
def test_nodes_are_in_the_zones_of_their_pool_or_else_of_the_cluster(place, shared, own, outcome):
    program = GcpProgram()
    cluster = program.add(
        "container/cluster:Cluster",
        "gke",
        location=place,
        initialNodeCount=1,
        removeDefaultNodePool=True,
        **({} if shared is None else {"nodeLocations": shared}),
    )
    program.add(
        "container/nodePool:NodePool",
        "gpu",
        cluster=cluster.id,
        location=place,
        nodeCount=1,
        nodeConfig={"machineType": "g2-standard-4", "spot": True},
        **({} if own is None else {"nodeLocations": own}),
    )
    (finding,) = findings(of_resources(program.resources()), "market-offered")
    assert finding.outcome == outcome
