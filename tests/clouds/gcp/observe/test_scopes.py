"""A name of Google Cloud means what is in the zone, region or project that it is used in."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.model import UNKNOWN, Resource

PATH = "projects/shop/{}/instanceGroupManagers/workers"
ZONE_A, ZONE_B, REGION = "us-central1-a", "us-central1-b", "us-central1"
REGION_RESIZE = "gcp:compute/regionResizeRequest:RegionResizeRequest"
REGION_TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"


def made(token: str, name: str, /, uses: tuple[str, ...] = (), **inputs: Any) -> Resource:
    return Resource(
        urn=f"urn:pulumi:dev::shop::{token}::{name}",
        type=token,
        name=name,
        inputs=inputs,
        relations=dict.fromkeys(inputs, uses),
        region=REGION,
        account="shop",
    )


IN_A = made(resource_types.GROUP, "a", name="workers", zone=ZONE_A)
IN_B = made(resource_types.GROUP, "b", name="workers", zone=ZONE_B)
OF_REGION = made(resource_types.REGION_GROUP, "r", name="workers", region=REGION)
NO_ZONE = made(resource_types.GROUP, "default", name="workers")
LATER = made(resource_types.GROUP, "later", name="workers", zone=UNKNOWN)


def meant(resource: Resource, prop: str, kind: str, *others: Resource) -> list[str]:
    """Whom a resource surely means, whichever of the others came last."""
    found = set()
    for order in (others, others[::-1]):
        targets = Index([*order, resource]).targets(resource, prop, kind)
        assert targets.exact or not targets.certain
        found.add(tuple(target.name for target in targets.certain))
    (names,) = found
    return list(names)


@pytest.mark.parametrize("start", ["", "https://www.googleapis.com/compute/v1/"])
@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (f"zones/{ZONE_A}", ["a"]),
        (f"zones/{ZONE_B}", ["b"]),
        (f"regions/{REGION}", ["r"]),
        ("zones/us-central1-f", []),
        ("regions/us-east1", []),
    ],
)
def test_a_path_means_what_is_in_its_place(start, place, expected):
    scaler = made(resource_types.AUTOSCALER, "as", target=start + PATH.format(place))
    partial = made(
        resource_types.AUTOSCALER, "as", target=f"{place}/instanceGroupManagers/workers"
    )

    assert meant(scaler, "target", resource_types.GROUP, IN_A, IN_B, OF_REGION) == expected
    assert meant(partial, "target", resource_types.GROUP, IN_A, IN_B, OF_REGION) == expected


@pytest.mark.parametrize(
    ("token", "place", "expected"),
    [
        (resource_types.RESIZE, {"zone": ZONE_A}, ["a"]),
        (resource_types.RESIZE, {"zone": ZONE_B}, ["b"]),
        (resource_types.RESIZE, {"zone": "us-central1-f"}, []),
        (resource_types.RESIZE, {}, []),
        (REGION_RESIZE, {"region": REGION}, ["r"]),
        (REGION_RESIZE, {}, ["r"]),
    ],
)
def test_a_bare_name_means_what_is_in_the_place_of_who_uses_it(token, place, expected):
    request = made(token, "request", instanceGroupManager="workers", **place)

    assert (
        meant(request, "instanceGroupManager", resource_types.GROUP, IN_A, IN_B, OF_REGION)
        == expected
    )


@pytest.mark.parametrize("group", [NO_ZONE, LATER])
@pytest.mark.parametrize("name", ["workers", PATH.format(f"zones/{ZONE_A}")])
def test_a_group_of_a_zone_that_is_not_shown_is_meant_only_by_a_dependency(name, group):
    inputs = {"instanceGroupManager": name, "zone": ZONE_A}
    literal = made(resource_types.RESIZE, "request", **inputs)
    tied = made(resource_types.RESIZE, "request", uses=(group.urn,), **inputs)

    assert meant(literal, "instanceGroupManager", resource_types.GROUP, group) == []
    assert meant(tied, "instanceGroupManager", resource_types.GROUP, group) == [group.name]


def test_two_without_a_zone_are_in_that_of_their_provider():
    request = made(resource_types.RESIZE, "request", instanceGroupManager="workers")

    assert meant(request, "instanceGroupManager", resource_types.GROUP, NO_ZONE) == ["default"]


def test_a_dependency_tells_namesakes_apart_where_places_do_not():
    request = made("gcp:compute/other:Other", "o", uses=(IN_A.urn,), group="workers")
    untied = made("gcp:compute/other:Other", "o", group="workers")

    assert meant(request, "group", resource_types.GROUP, IN_A, IN_B) == ["a"]
    assert meant(untied, "group", resource_types.GROUP, IN_A, IN_B) == []


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("projects/shop/global/instanceTemplates/gpu", ["global"]),
        (f"projects/shop/regions/{REGION}/instanceTemplates/gpu", ["regional"]),
        ("projects/shop/regions/us-east1/instanceTemplates/gpu", []),
    ],
)
def test_templates_of_a_region_and_of_the_project_are_told_apart(template, expected):
    """A global template may name a region, for its subnets; its name is the project's.

    https://docs.cloud.google.com/compute/docs/instance-templates
    """
    both = (
        made(resource_types.TEMPLATE, "global", name="gpu", region=REGION),
        made(REGION_TEMPLATE, "regional", name="gpu", region=REGION),
    )
    group = made(resource_types.GROUP, "g", zone=ZONE_A, template=template)

    assert meant(group, "template", resource_types.TEMPLATE, *both) == expected


def test_clusters_of_one_name_are_told_apart_by_their_location():
    zonal = made(resource_types.CLUSTER, "zonal", name="main", location=ZONE_A)
    regional = made(resource_types.CLUSTER, "regional", name="main", location=REGION)
    for cluster in (zonal, regional):
        pool = made(
            resource_types.NODE_POOL, "p", cluster="main", location=cluster.inputs["location"]
        )
        assert meant(pool, "cluster", resource_types.CLUSTER, zonal, regional) == [cluster.name]


def test_a_machine_of_a_zone_names_what_is_in_its_region():
    subnet = made(resource_types.SUBNET, "s", name="sub", region=REGION)
    elsewhere = made(resource_types.SUBNET, "far", name="sub", region="us-east1")
    machine = made(resource_types.INSTANCE, "vm", zone=ZONE_A, subnet="sub")

    assert meant(machine, "subnet", resource_types.SUBNET, subnet, elsewhere) == ["s"]


def test_an_id_means_its_resource_wherever_it_is():
    disk = replace(made(resource_types.DISK, "d", name="data", zone=ZONE_B), outputs={"id": "d"})
    machine = made(resource_types.INSTANCE, "vm", zone=ZONE_A, source="d")

    assert meant(machine, "source", resource_types.DISK, disk) == ["d"]
