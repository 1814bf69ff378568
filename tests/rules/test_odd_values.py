"""Values of a kind that no input takes, as a hand-written preview may have: no error, no pass."""

import pytest

from gpuinfra.model import Resource
from tests.rules.cases.judging import of_resources, verdict

NODES = {
    "instanceTypes": ["p5.48xlarge"],
    "scalingConfig": {"maxSize": 2, "minSize": 1, "desiredSize": 1},
}
POOL = {"initialNodeCount": 1}


@pytest.mark.parametrize("odd", [[], {}, ["a"], {"a": []}])
@pytest.mark.parametrize(
    ("token", "put"),
    [
        ("aws:eks/nodeGroup:NodeGroup", lambda odd: {**NODES, "capacityType": odd}),
        ("aws:ec2/natGateway:NatGateway", lambda odd: {"availabilityMode": odd}),
        (
            "gcp:container/nodePool:NodePool",
            lambda odd: {
                **POOL,
                "nodeConfig": {"serviceAccount": odd, "machineType": "g2-standard-4"},
            },
        ),
    ],
)
def test_a_list_or_a_mapping_where_a_text_belongs_is_judged(token, put, odd):
    urn = f"urn:pulumi:dev::shop::{token}::x"
    assert verdict(of_resources([Resource(urn=urn, type=token, name="x", inputs=put(odd))]))
