"""A node group without an image type gets the one of its cluster's version."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

SIZES = {"minSize": 1, "maxSize": 2, "desiredSize": 1}


def outcome(moment, group=None, **cluster):
    program = Program()
    made = program.add("aws:eks/cluster:Cluster", "cluster", **cluster)
    inputs = {"clusterName": made.out("name"), **(group or {})}
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "pool",
        instanceTypes=["g6.xlarge"],
        scalingConfig=SIZES,
        **inputs,
    )
    (judged,) = outcomes(of_resources(program.resources(moment)), "metadata-v2")
    return judged


@both
@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ({"version": "1.30"}, "fine"),
        ({"version": "1.33"}, "fine"),
        ({}, "fine"),
        ({"version": "1.29"}, "violated"),
        ({"version": UNKNOWN}, "not-knowable"),
        ({"version": "newest"}, "not-knowable"),
    ],
)
def test_the_version_of_the_cluster_decides(cluster, expected, moment):
    assert outcome(moment, **cluster) == expected


def test_a_stated_image_type_comes_first():
    assert outcome("preview", {"amiType": "AL2_x86_64_GPU"}, version="1.32") == "violated"
    assert outcome("preview", {"amiType": UNKNOWN}, version="1.32") == "not-knowable"


def test_a_cluster_of_another_stack_leaves_it_open():
    assert outcome("preview", {"clusterName": "elsewhere"}, version="1.32") == "not-knowable"
