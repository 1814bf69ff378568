"""Machine types of Google Cloud are offered in some zones of a region only."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.gcp_stacks import gke
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.program import Program

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
        ("g2-standard-4", "us-central1-z", "not-knowable"),
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
    assert finding.fix.startswith("use the zone us-central1-") is (outcome == "violated")


@pytest.mark.parametrize(
    ("zone", "outcome", "priced"),
    [
        ("us-east-1f", "fine", True),
        ("", "fine", True),
        ("us-east-1z", "not-knowable", True),
        ("us-east-1-atl-1a", "not-knowable", False),
        ("us-east-1-wl1-bos-wlz-1", "not-knowable", False),
        ("us-east-1A", "not-knowable", False),
        ("us-east-1-a", "not-knowable", False),
        ("somewhere", "not-knowable", False),
        ("${zone}", "not-knowable", True),
    ],
)
def test_a_zone_of_no_table_is_unknown_on_aws(zone, outcome, priced):
    program = Program(region="us-east-1")
    program.add(
        "aws:ec2/instance:Instance", "box", instanceType="g6.xlarge", availabilityZone=zone
    )
    plan = of_resources(program.resources())
    (finding,) = findings(plan, "market-offered")

    assert finding.outcome == outcome
    assert ("violated" not in outcomes(plan, "price-unknown")) is priced


@pytest.mark.parametrize(("zone", "refused"), [("us-east-1a", False), ("us-east-11a", True)])
def test_a_zone_of_another_region_is_refused_on_aws(zone, refused):
    program = Program(region="us-east-1")
    program.add(
        "aws:ec2/instance:Instance", "box", instanceType="g6.xlarge", availabilityZone=zone
    )
    (finding,) = findings(of_resources(program.resources()), "launch-settings")

    assert (finding.outcome == "violated") is refused


@pytest.mark.parametrize(
    ("zones", "outcome"),
    [(["us-central1-f"], "violated"), (["us-central1-a", "us-central1-f"], "fine")],
)
def test_one_zone_of_several_is_enough_to_be_offered(zones, outcome):
    (finding,) = findings(of_resources(regional(zones).resources()), "market-offered")
    assert finding.outcome == outcome


def regional(zones, size=2, **more):
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
        targetSize=size,
        distributionPolicyZones=zones,
        versions=[{"instanceTemplate": template.id}],
        **more,
    )
    return program


BOTH = ["us-central1-a", "us-central1-f"]
REFUSED = "g2-standard-4 is not offered in us-central1-f: the machines of this zone can't start"


@pytest.mark.parametrize(
    ("zones", "more", "refused"),
    [
        (BOTH, {}, True),
        (BOTH, {"distributionPolicyTargetShape": "EVEN"}, True),
        (BOTH, {"distributionPolicyTargetShape": "ANY"}, False),
        (BOTH, {"distributionPolicyTargetShape": UNKNOWN}, False),
        (BOTH, {"size": 1}, False),
        (["us-central1-a", "us-central1-b"], {}, False),
        (["us-central1-f"], {}, False),  # as market-offered says
    ],
)
def test_a_group_s_machines_of_a_zone_that_lacks_them_can_t_start(zones, more, refused):
    judged = of_resources(regional(zones, **more).resources())
    messages = [finding.message for finding in findings(judged, "launch-settings")]
    assert (REFUSED in messages) is refused


@pytest.mark.parametrize(("zones", "refused"), [(BOTH, True), (BOTH[:1], False)])
def test_a_pool_s_nodes_of_a_zone_that_lacks_them_can_t_start(zones, refused):
    node = {"machineType": "g2-standard-4", "spot": True}
    pool = {"nodeConfig": node, "nodeCount": 1, "nodeLocations": zones}
    judged = of_resources(gke(pool).resources())
    messages = [finding.message for finding in findings(judged, "launch-settings")]
    assert (REFUSED in messages) is refused


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


ZONAL = {
    "compute/instance:Instance": {"machineType": "g2-standard-4", "scheduling": SPOT},
    "compute/instanceGroupManager:InstanceGroupManager": {"targetSize": 2},
    "container/nodePool:NodePool": {
        "cluster": "gke",
        "nodeCount": 1,
        "nodeConfig": {"machineType": "g2-standard-4", "spot": True},
    },
}


@pytest.mark.parametrize("kind", ZONAL)
@pytest.mark.parametrize(
    ("zone", "outcome"), [("us-central1-f", "violated"), ("us-central1-a", "fine")]
)
def test_what_names_no_zone_is_in_the_zone_of_its_provider(kind, zone, outcome):
    program = GcpProgram()
    template = program.add(
        "compute/instanceTemplate:InstanceTemplate",
        "node",
        machineType="g2-standard-4",
        scheduling=SPOT,
    )
    versions = [{"instanceTemplate": template.id}] if "Group" in kind else None
    program.add(kind, "box", **ZONAL[kind], **({"versions": versions} if versions else {}))
    resources = [replace(made, region="us-east1", zone=zone) for made in program.resources()]
    (finding,) = findings(of_resources(resources), "market-offered")
    assert finding.outcome == outcome


def test_the_provider_s_region_makes_no_cluster_regional():
    program = GcpProgram()
    cluster = program.add(
        "container/cluster:Cluster", "gke", initialNodeCount=1, removeDefaultNodePool=True
    )
    node = {"machineType": "g2-standard-4", "spot": True}
    pool = {"cluster": cluster.out("name"), "nodeCount": 2, "nodeConfig": node}
    program.add("container/nodePool:NodePool", "gpu", **pool)
    for moment in ("preview", "created"):
        made = program.resources(moment)
        seen = [replace(each, region="us-east1", zone="us-central1-a") for each in made]
        (group,) = of_resources(seen).groups
        assert (group.rung.region, group.rung.zones, group.maximum) == (
            "us-central1",
            ("us-central1-a",),
            2,
        )


def test_no_type_of_a_group_is_offered_in_a_zone():
    types = ["g2-standard-4", "g2-standard-8"]
    policy = {"instanceSelections": [{"name": "any", "rank": 1, "machineTypes": types}]}
    program = regional(BOTH, instanceFlexibilityPolicy=policy)
    judged = of_resources(program.resources())
    messages = [finding.message for finding in findings(judged, "launch-settings")]
    told = REFUSED.replace("g2-standard-4 is not", "neither g2-standard-4 nor g2-standard-8 is")
    assert told in messages
