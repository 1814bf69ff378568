"""What one resource costs among others, in the room of its own cloud."""

import subprocess
import sys
from datetime import date
from importlib import import_module

import pytest

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.crossguard.resource_index import ResourceIndex, is_judged
from gpuinfra.model import UNKNOWN, Resource, Usage

LETS_GROW = {
    "aws:autoscaling/schedule:Schedule": {"autoscalingGroupName": "theirs", "maxSize": 9},
    "gcp:compute/autoscaler:Autoscaler": {
        "target": "projects/p/zones/us-central1-a/instanceGroupManagers/theirs",
        "autoscalingPolicy": {"minReplicas": 1, "maxReplicas": 9},
    },
    "gcp:compute/resizeRequest:ResizeRequest": {"instanceGroupManager": "theirs", "resizeBy": 9},
    "azure-native:monitor:AutoscaleSetting": {
        "enabled": True,
        "targetResourceUri": "/subscriptions/s/resourceGroups/g/theirs",
        "profiles": [{"capacity": {"minimum": "1", "maximum": "9"}}],
    },
}
"""By type, what brings machines of a group that stands in another stack."""


def resource(kind, inputs, **more):
    urn = f"urn:pulumi:dev::proj::{kind}::it"
    return Resource(urn=urn, type=kind, name="it", inputs=inputs, **more)


@pytest.fixture
def index():
    return ResourceIndex(
        Usage(), lambda plan: estimate(plan, PricingTerms(as_of=date(2026, 8, 1)))
    )


@pytest.mark.parametrize("kind", LETS_GROW)
def test_what_brings_machines_of_a_group_that_nobody_sees_is_never_free(index, kind):
    growing = resource(kind, LETS_GROW[kind])
    index.add(growing)
    assert index.cost(growing).unknown


@pytest.mark.parametrize(
    ("change", "exceeds"),
    [
        ({}, False),
        ({"tags": {"team": "new"}}, False),
        ({"instanceClass": "db.r7g.16xlarge"}, True),
        ({"maxAllocatedStorage": UNKNOWN}, True),
    ],
)
def test_a_change_of_what_no_table_knows_may_cost_more_but_for_its_tags(index, change, exceeds):
    kind, inputs = (
        "aws:neptune/clusterInstance:ClusterInstance",
        {"instanceClass": "db.t4g.medium"},
    )
    before, after = resource(kind, inputs), resource(kind, {**inputs, **change})

    assert index.cost(before).unknown
    assert index.cost(after).may_exceed(index.cost(before)) is exceeds


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_type_that_brings_rows_of_its_own_is_free_by_a_table(cloud):
    known = import_module(f"gpuinfra.clouds.{cloud}.observe.observers")
    kinds = known.OBSERVERS.keys() - known.resource_types.UNPRICED_TYPES
    assert [
        kind for kind in kinds if provider_of(cloud).prices.free_type_row(kind) is not None
    ] == []


@pytest.mark.parametrize(
    ("kind", "judged"),
    [
        ("aws:ec2/instance:Instance", True),
        ("aws:ecr/repository:Repository", False),
        ("gcp:compute/regionAutoscaler:RegionAutoscaler", True),
        ("azure-native:compute:VirtualMachine", True),
        ("azure-native:compute/v20240301:VirtualMachine", True),
        ("azure-native_compute_v20240301:compute:VirtualMachine", True),
        ("azure-native:web:StaticSite", False),
        ("random:index/randomId:RandomId", False),
        ("pulumi:pulumi:Stack", False),
    ],
)
def test_a_type_is_judged_by_its_own_cloud_in_any_version(kind, judged):
    assert is_judged(kind) is judged


def test_a_type_that_is_no_cloud_s_has_no_price_and_a_component_none_of_its_own(index):
    assert index.cost(resource("random:index/randomId:RandomId", {})).adds_nothing
    assert index.cost(resource("runpod:index:Pod", {})).unknown
    component = resource("acme:index:Cluster", {}, custom=False)
    assert index.cost(component).adds_nothing
    assert index.plan(component).not_judged == ()


def test_only_the_rooms_of_what_is_asked_about_are_loaded():
    """A pack starts anew with every run of the engine."""
    program = """
import sys
from datetime import date
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.crossguard.resource_index import ResourceIndex, is_judged
from gpuinfra.model import Caps, Resource, Usage
from gpuinfra.planning import from_resources
kind = "gcp:compute/network:Network"
seen = [Resource(urn=f"urn:pulumi:d::p::{one}::n", type=one, name="n", inputs={},
                 custom=one == kind)
        for one in (kind, "acme:index:Cluster")]
index = ResourceIndex(Usage(), lambda plan: estimate(plan, PricingTerms(as_of=date(2026, 8, 1))))
for one in seen:
    index.add(one)
    assert index.cost(one).adds_nothing
assert is_judged(kind)
assert not from_resources(seen, name="s", caps=Caps()).not_judged
print([cloud for cloud in ("aws", "gcp", "azure")
       if f"gpuinfra.clouds.{cloud}.observe" in sys.modules])
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "['gcp']"


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "names"),
    [
        (
            "aws:autoscaling/group:Group",
            {"name": "workers", "maxSize": 1},
            {"id": "workers", "arn": "arn:1", "region": "us-east-1"},
            ["workers", "arn:1"],
        ),
        ("aws:autoscaling/group:Group", {"name": ""}, {}, []),
        (
            "gcp:compute/instanceGroupManager:InstanceGroupManager",
            {"name": "workers"},
            {
                "selfLink": "https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroupManagers/workers"
            },
            ["projects/p/zones/z/instanceGroupManagers/workers", "workers"],
        ),
    ],
)
def test_a_resource_is_called_what_its_cloud_calls_it(index, kind, inputs, outputs, names):
    assert set(index.names(resource(kind, inputs, outputs=outputs))) == set(names)
