"""What the provider takes, although its documentation advises or its types say otherwise."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (
            "gcp:compute/firewall:Firewall",
            {
                "network": "default",
                "sourceRanges": ["10.0.0.0/8"],
                "allows": [{"protocol": "tcp", "ports": ["22", 80]}],
            },
        ),
        (
            "gcp:container/nodePool:NodePool",
            {
                "cluster": "main",
                "location": "us-central1",
                "nodeCount": 1,
                "autoscaling": {"minNodeCount": 1, "maxNodeCount": 3},
            },
        ),
    ],
)
def test_it_passes_the_check(token: str, inputs: dict[str, Any], gcp: Any) -> None:
    _, failures = gcp.check(token, inputs)

    assert not failures
