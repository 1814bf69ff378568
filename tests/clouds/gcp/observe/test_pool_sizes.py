"""The limits of GKE node pools: nodes in a zone, and nodes that run for a time."""

import pytest

from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.gcp.observe.observed import only
from tests.rules.cases import gcp_stacks as stacks


@pytest.mark.parametrize(
    ("pool", "refused"),
    [
        ({"nodeCount": 1000}, ()),
        ({"nodeCount": UNKNOWN}, ()),
        ({"autoscaling": {"totalMaxNodeCount": 3000}}, ()),
        ({"nodeCount": 1001}, ("nodeCount is 1,001",)),
        ({"initialNodeCount": 5000}, ("initialNodeCount is 5,000",)),
        ({"autoscaling": {"maxNodeCount": 2000}}, ("maxNodeCount is 2,000",)),
    ],
)
def test_a_pool_has_so_many_nodes_in_each_zone_at_most(pool, refused):
    group = only(stacks.gke({"nodeConfig": stacks.NODES, **pool}))
    limit = "GKE supports up to 1,000 nodes of a pool in each zone"
    expected = tuple(f"{words}: {limit}" for words in refused)
    assert faults_of(group.faults, "scaling-settings") == expected


@pytest.mark.parametrize("spot", [True, False])
def test_gke_deletes_nodes_that_run_for_a_time(spot):
    nodes = {"machineType": "g2-standard-4", "spot": spot, "maxRunDuration": "3600s"}
    group = only(stacks.gke({"nodeConfig": nodes, "nodeCount": 1}))
    assert faults_of(group.faults, "spot-settings") == ()
