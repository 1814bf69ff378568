"""A part of a resource stands where the whole stands, not where its provider is set to."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import NOWHERE, UNKNOWN, Group, Resource

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
PATH = "projects/p/locations/{}/clusters/k8s"


def resource(kind: str, own: str, where: str | None, **inputs: Any) -> Resource:
    urn = f"urn:pulumi:dev::shop::{kind}::{own}"
    return Resource(urn=urn, type=kind, name=own, inputs=inputs, region=where)


def pool(cluster: Any, *, location: Any = None, region: str | None = "us-central1") -> Group:
    own = {} if location is None else {"location": location}
    home = resource(CLUSTER, "k8s", region, name="k8s", location="asia-northeast1")
    part = resource(POOL, "gpus", region, cluster=cluster, nodeCount=2, **own)
    if cluster is UNKNOWN:
        part = replace(part, relations={"cluster": (home.urn,)})
    (group,) = observe((home, part)).groups
    return group


@pytest.mark.parametrize("cluster", ["k8s", UNKNOWN, PATH.format("asia-northeast1")])
@pytest.mark.parametrize("location", [None, UNKNOWN])
@pytest.mark.parametrize("region", [None, "us-central1"])
def test_a_pool_stands_in_the_region_of_its_cluster(cluster, location, region):
    group = pool(cluster, location=location, region=region)
    assert (group.rung.region, group.maximum) == ("asia-northeast1", 6)


def test_a_pool_stands_where_the_path_of_a_cluster_of_elsewhere_says():
    group = pool(PATH.replace("k8s", "other").format("europe-west4-a"), region=None)
    assert (group.rung.region, group.minimum, group.maximum) == ("europe-west4", 2, 6)
    stated = pool(PATH.replace("k8s", "other").format("europe-west4"), location="us-east1")
    assert stated.rung.region == "europe-west4"


@pytest.mark.parametrize(
    ("place", "own", "sizes"),
    [
        ("us-central1", {}, (2, 8)),
        ("us-central1-f", {}, (2, 8)),
        ("us-central1-f", {"nodeLocations": ["us-central1-f"]}, (2, 2)),
        ("us-central1-f", {"nodeLocations": []}, (2, 8)),
        ("us-central1-f", {"nodeLocations": UNKNOWN}, (UNKNOWN, UNKNOWN)),
        ("mars-north1", {}, (UNKNOWN, UNKNOWN)),
    ],
)
def test_a_cluster_of_elsewhere_may_be_in_all_zones_of_its_region(place, own, sizes):
    part = resource(POOL, "gpus", None, cluster=PATH.format(place), nodeCount=2, **own)
    (group,) = observe((part,)).groups

    assert (group.minimum, group.maximum) == sizes


@pytest.mark.parametrize(
    ("here", "there", "sizes"),
    [
        ("us-central1", "us-central1", (2, 2)),
        ("us-central1-b", "us-central1-b", (4, 4)),
        ("us-central1-b", "us-central1", (2, 8)),
        ("us-central1", "us-central1-b", (2, 8)),
        ("us-east1", "us-central1", (2, 6)),
    ],
)
def test_a_cluster_of_the_same_name_in_another_place_is_another_one(here, there, sizes):
    zones = ["us-central1-a"]
    home = resource(CLUSTER, "k8s", None, name="k8s", location=there, nodeLocations=zones)
    part = resource(POOL, "gpus", None, cluster="k8s", location=here, nodeCount=2)
    (group,) = observe((home, part)).groups

    assert (group.minimum, group.maximum) == sizes


def test_a_bare_name_of_elsewhere_is_looked_for_where_the_provider_is_set_to():
    assert pool("other").rung.region == "us-central1"
    assert pool("other", region=None).rung.region == NOWHERE


def test_where_a_cluster_of_another_stack_stands_is_not_known():
    own = resource(POOL, "gpus", "us-central1", cluster=UNKNOWN, nodeCount=2)
    (group,) = observe((own,)).groups
    assert group.rung.region == NOWHERE
