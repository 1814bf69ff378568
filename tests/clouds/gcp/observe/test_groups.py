"""Groups of machines of Google Cloud: templates, autoscalers, resize requests, zones."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import Index, groups_and_items, observe
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.gcp.observe.observed import only, paid
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_cluster import roce
from tests.rules.cases.gcp_program import GcpHandle, GcpProgram
from tests.rules.cases.moments import both


def test_a_template_of_another_stack_is_not_judged():
    program = GcpProgram()
    program.add(
        "compute/instanceGroupManager:InstanceGroupManager",
        "g",
        targetSize=2,
        versions=[{"instanceTemplate": "global/instanceTemplates/theirs"}],
    )
    (missing,) = observe(program.resources()).not_judged
    assert missing.reason == (
        "its instance template global/instanceTemplates/theirs is not in this stack"
    )


@both
def test_an_autoscaled_group_has_the_machines_of_its_autoscaler(moment):
    program = stacks.pool(base=0)
    group = only(program, moment)
    assert (group.name, group.minimum, group.maximum) == ("more", 1, 8)
    assert "RegionInstanceGroupManager" in group.subject
    assert (group.rung.capacity, group.rung.on_demand_base) == ("spot", 0)
    assert (group.purpose, group.rung.spot_share_above_base) == ("inference", Decimal(1))
    assert group.rung.zones == ("us-central1-a", "us-central1-b")


def scaled(size: Any, policy: Any) -> GcpProgram:
    program = GcpProgram()
    made = stacks.template(program, "t", stacks.network(program))
    goal = stacks.group(program, "g", made, **({} if size is None else {"targetSize": size}))
    program.add(
        "compute/regionAutoscaler:RegionAutoscaler",
        "scale",
        target=goal.link,
        autoscalingPolicy=policy,
    )
    return program


@pytest.mark.parametrize(
    ("size", "policy", "expected"),
    [
        (None, {"minReplicas": 1, "maxReplicas": 5}, {"g": 5}),
        (None, {"minReplicas": 1, "maxReplicas": UNKNOWN}, {"g": UNKNOWN}),
        (None, UNKNOWN, {"g": UNKNOWN}),
        (None, {"minReplicas": 1, "maxReplicas": 5, "mode": "OFF"}, {}),
        (3, {"minReplicas": 1, "maxReplicas": 5}, {"g": 3, "scale": 2}),
        (3, {"minReplicas": 1, "maxReplicas": 5, "mode": "OFF"}, {"g": 3}),
        (7, {"minReplicas": 1, "maxReplicas": 5}, {"g": 7}),
        (UNKNOWN, {"minReplicas": 1, "maxReplicas": 5}, {"g": UNKNOWN, "scale": UNKNOWN}),
        (0, {"minReplicas": 1, "maxReplicas": 5}, {"scale": 5}),
    ],
)
def test_an_autoscaler_s_maximum_is_the_ceiling(size, policy, expected):
    groups = observe(scaled(size, policy).resources()).groups
    assert {group.name: group.maximum for group in groups} == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (None, {"g": 4}),
        ({"minReplicas": 1, "maxReplicas": 5, "mode": "OFF"}, {"g": 4}),
        ({"minReplicas": 1, "maxReplicas": 5}, {"g": 5}),
    ],
)
def test_a_group_keeps_the_machines_of_an_autoscaler_that_is_gone(policy, expected):
    """What the cloud said of it when it was last read is all that tells."""
    program = scaled(None, policy or {})
    kept = [
        resource for resource in program.resources() if policy or "Autoscaler" not in resource.type
    ]
    seen = [
        replace(resource, outputs={**resource.outputs, "targetSize": 4})
        if resource.name == "g"
        else resource
        for resource in kept
    ]
    assert {group.name: group.maximum for group in observe(seen).groups} == expected


@both
def test_contributions_add_up_resource_by_resource(moment):
    for program in (stacks.pool(base=0), scaled(3, {"minReplicas": 0, "maxReplicas": 5})):
        resources = program.resources(moment)
        index = Index()
        groups, items = [], []
        for resource in resources:
            index.add(resource)
            rows = groups_and_items(resource, index)
            groups += [(row.subject, row.maximum) for row in rows.groups]
            items += [(row.item, row.group) for row in rows.items]
        whole = observe(resources)
        assert groups == [(row.subject, row.maximum) for row in whole.groups]
        assert items == [(row.item, row.group) for row in whole.items]


def test_an_autoscaler_of_another_stack_s_group_is_not_judged():
    program = GcpProgram()
    program.add("compute/autoscaler:Autoscaler", "scale", target="theirs")
    (missing,) = observe(program.resources()).not_judged
    assert missing.reason.startswith("the group that it scales is not in this stack")


@both
def test_resize_requests_add_machines_and_stand_beside_no_autoscaler(moment):
    case = roce()
    case.program.change(case.group, targetSize=0)
    request: GcpHandle = case.program.add(
        "compute/resizeRequest:ResizeRequest",
        "burst",
        zone="us-central1-a",
        instanceGroupManager=case.group.out("name"),
        resizeBy=6,
    )
    group = only(case.program, moment)
    assert (group.name, group.subject, group.maximum) == ("burst", request.urn, 6)
    assert group.fabric is not None
    assert faults_of(group.faults, "flex-start") == ()
    case.program.add(
        "compute/autoscaler:Autoscaler",
        "scale",
        target=case.group.link,
        autoscalingPolicy={"minReplicas": 0, "maxReplicas": 2},
    )
    groups = {group.name: group for group in observe(case.program.resources(moment)).groups}
    assert faults_of(groups["burst"].faults, "flex-start") == (
        "an autoscaler together with resize requests",
    )


@both
def test_two_groups_behind_one_service_are_one_pool(moment):
    program = stacks.pool(base=2)
    group = only(program, moment)
    assert (group.name, group.minimum, group.maximum) == ("steady", 3, 10)
    assert (group.rung.capacity, group.rung.on_demand_base) == ("spot", 2)
    assert group.purpose == "inference"
    assert paid(program, moment) == {
        "pd-balanced-storage": ("100", True),
        "cloud-nat-vm-hour": ("1", True),
        "cloud-nat-data": ("None", False),
        "external-ip-in-use-hour": ("1", False),
        "lb-forwarding-rules-first-5-hour": ("1", False),
        "lb-data-processed": ("None", False),
    }


def test_groups_of_other_machines_stay_apart():
    program = stacks.pool(base=2)
    urn = next(urn for urn in program.handles if urn.endswith("::dear"))
    program.change(program.handles[urn], machineType="g2-standard-16")
    groups = observe(program.resources()).groups
    assert {group.name: group.maximum for group in groups} == {"steady": 2, "more": 8}


def test_a_group_that_may_choose_lists_every_machine():
    program = GcpProgram()
    made = stacks.template(program, "t", stacks.network(program))
    selections = [
        {"name": "a", "machineTypes": ["g2-standard-4", "g2-standard-8"]},
        {"name": "b", "machineTypes": ["a2-highgpu-1g"]},
    ]
    goal = stacks.group(
        program,
        "g",
        made,
        targetSize=2,
        instanceFlexibilityPolicy={"instanceSelections": selections},
    )
    assert only(program).machines == ("g2-standard-4", "g2-standard-8", "a2-highgpu-1g")
    program.change(goal, instanceFlexibilityPolicy=UNKNOWN)
    (missing,) = observe(program.resources()).not_judged
    assert missing.reason == "its machine type is not known yet"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({"distributionPolicyZones": ["us-central1-a", "us-central1-b"]}, False),
        ({"distributionPolicyZones": ["us-central1-a"]}, True),
        ({"distributionPolicyZones": UNKNOWN}, UNKNOWN),
        ({"distributionPolicyTargetShape": "ANY_SINGLE_ZONE"}, True),
        ({"distributionPolicyTargetShape": UNKNOWN}, UNKNOWN),
        ({}, False),
    ],
)
def test_a_regional_cluster_stands_in_one_zone_or_not(place, expected):
    case = roce()
    case.program.drop(case.group)
    case.program.add(
        "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        "workers",
        region="us-central1",
        targetSize=2,
        versions=[{"instanceTemplate": case.template.link}],
        **place,
    )
    fabric = only(case.program).fabric
    assert fabric is not None
    assert fabric.one_zone is expected


@pytest.mark.parametrize(
    ("place", "shared", "own", "expected"),
    [
        ("us-central1-a", None, None, True),
        ("us-central1-a", ["us-central1-b"], None, False),
        ("us-central1-a", ["us-central1-a"], None, True),
        ("us-central1-a", ["us-central1-b"], ["us-central1-b"], True),
        ("us-central1", ["us-central1-a"], None, True),
        ("us-central1", ["us-central1-a", "us-central1-b"], None, False),
        ("us-central1", None, None, False),
        ("us-central1", UNKNOWN, None, UNKNOWN),
        ("us-central1", UNKNOWN, ["us-central1-a"], True),
        ("us-central1", None, ["us-central1-a", UNKNOWN], UNKNOWN),
        (UNKNOWN, None, None, UNKNOWN),
    ],
)
def test_nodes_stand_in_the_zones_of_their_pool_or_else_of_the_cluster(
    place, shared, own, expected
):
    pool = {"nodeConfig": {"machineType": "a3-megagpu-8g"}, "nodeCount": 2}
    nodes = pool if own is None else {**pool, "nodeLocations": own}
    cluster = {"location": place, **({} if shared is None else {"nodeLocations": shared})}
    resources = stacks.gke(nodes, **cluster).resources()
    (made,) = (each for each in resources if each.type == "gcp:container/nodePool:NodePool")
    assert locations.one_zone(made, Index(resources)) is expected


def test_a_scaled_group_whose_template_is_hidden_is_named_once():
    program = stacks.pool(base=0)
    goal = next(handle for handle in program.handles.values() if "GroupManager" in handle.type)
    program.change(goal, versions=[{"instanceTemplate": UNKNOWN}])
    observed = observe(program.resources())
    assert observed.groups == ()
    machines = [row for row in observed.not_judged if "InstanceTemplate::" not in row.subject]
    assert [(row.subject, row.reason) for row in machines] == [
        (goal.urn, "its instance template is not known yet")
    ]


def boot(gigabytes, kind="pd-ssd"):
    return [{"boot": True, "sourceImage": "own", "diskSizeGb": gigabytes, "diskType": kind}]


@both
@pytest.mark.parametrize(
    ("selections", "expected"),
    [
        ([boot(500)], {"pd-ssd-storage": "500"}),
        ([boot(500), boot(20)], {"pd-ssd-storage": "500"}),
        ([boot(500), None], {"pd-ssd-storage": "500", "pd-balanced-storage": "50"}),
        (
            [boot(500), boot(90, "pd-balanced")],
            {"pd-ssd-storage": "500", "pd-balanced-storage": "90"},
        ),
        ([boot(UNKNOWN), boot(20)], {"pd-ssd-storage": str(UNKNOWN)}),
        ([UNKNOWN], {"pd-balanced-storage": str(UNKNOWN)}),
        ([None], {"pd-balanced-storage": "50"}),
    ],
)
def test_a_selection_s_disks_take_the_place_of_the_template_s(selections, expected, moment):
    program = GcpProgram()
    subnet = stacks.network(program)
    template = stacks.template(
        program, "t", subnet, machineType="g2-standard-4", disks=boot(50, "pd-balanced")
    )
    policy = {
        "instanceSelections": [
            {"machineTypes": ["g2-standard-4"]} | ({} if disks is None else {"disks": disks})
            for disks in selections
        ]
    }
    program.change(
        stacks.group(program, "g", template, targetSize=2), instanceFlexibilityPolicy=policy
    )
    items = {item: count for item, (count, _) in paid(program, moment).items() if "pd-" in item}
    assert items == expected


@both
def test_a_group_of_two_versions_may_start_from_either_template(moment):
    program = GcpProgram()
    subnet = stacks.network(program)
    first = stacks.template(program, "first", subnet, machineType="g2-standard-8")
    second = stacks.template(program, "second", subnet, machineType="a2-highgpu-8g")
    versions = [
        {"name": "first", "instanceTemplate": first.link},
        {"name": "second", "instanceTemplate": second.link, "targetSize": {"fixed": 1}},
    ]
    program.change(stacks.group(program, "g", first, targetSize=2), versions=versions)
    (group,) = observe(program.resources(moment)).groups
    assert set(group.machines) == {"g2-standard-8", "a2-highgpu-8g"}
