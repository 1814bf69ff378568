"""What an upgrade brings beside a node pool's nodes counts under a cap."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram

NODES = {"machineType": "g2-standard-4"}


def pool(**inputs):
    """A pool of ten nodes in one zone."""
    program = GcpProgram()
    program.add(
        "gcp:container/nodePool:NodePool",
        "nodes",
        **{
            "cluster": "c",
            "location": "us-central1-a",
            "nodeLocations": ["us-central1-a"],
            "nodeCount": 10,
            "nodeConfig": NODES,
            **inputs,
        },
    )
    (group,) = observe(program.resources()).groups
    return group


@pytest.mark.parametrize(
    ("inputs", "surge"),
    [
        ({}, 1),
        ({"upgradeSettings": {"maxSurge": 5, "maxUnavailable": 0}}, 5),
        ({"upgradeSettings": [{"maxSurge": 5}]}, 5),
        ({"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 1}}, 0),
        ({"upgradeSettings": {"maxUnavailable": 1}}, 0),
        ({"upgradeSettings": {"strategy": "SURGE"}}, 1),
        ({"upgradeSettings": {"strategy": "BLUE_GREEN"}}, 10),
        ({"upgradeSettings": {"strategy": "SHORT_LIVED"}}, 0),
        ({"upgradeSettings": {"maxSurge": UNKNOWN}}, UNKNOWN),
        ({"upgradeSettings": {"strategy": UNKNOWN}}, UNKNOWN),
        ({"upgradeSettings": UNKNOWN}, UNKNOWN),
        ({"queuedProvisioning": {"enabled": True}}, 0),
        ({"nodeConfig": {**NODES, "flexStart": True}}, 0),
        ({"nodeConfig": {**NODES, "flexStart": UNKNOWN}}, 1),
    ],
)
def test_an_upgrade_of_a_node_pool_brings_what_its_settings_say(inputs, surge):
    group = pool(**inputs)

    assert group.lifecycle.surge == surge
    assert group.ceiling == (UNKNOWN if surge is UNKNOWN else 10 + surge)


def test_a_pool_that_grows_has_its_surge_beside_its_maximum():
    group = pool(nodeCount=None, autoscaling={"totalMaxNodeCount": 4})

    assert group.ceiling == 5
