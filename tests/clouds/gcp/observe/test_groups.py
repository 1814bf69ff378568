"""Machines of Google Cloud as raw resources ask for them, and what they pay besides."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN, Group, Usage, faults_of
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_cluster import ON_DEMAND, SPOT, roce
from tests.rules.cases.gcp_program import GcpHandle, GcpProgram

both = pytest.mark.parametrize("moment", ["preview", "created"])

INSTANCE = "compute/instance:Instance"


def only(program: GcpProgram, moment: Any = "created") -> Group:
    observed = observe(program.resources(moment))
    (group,) = observed.groups
    return group


def paid(program: GcpProgram, moment: Any = "created") -> dict[str, tuple[str, bool]]:
    items = observe(program.resources(moment)).items
    return {one.item: (str(one.quantity), one.per_machine) for one in items}


def machine(**inputs: Any) -> Group:
    program = GcpProgram()
    program.add(INSTANCE, "vm", zone="us-central1-a", **inputs)
    return only(program)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"machineType": "g2-standard-8"}, "g2-standard-8"),
        ({"machineType": "projects/p/zones/z/machineTypes/a2-highgpu-1g"}, "a2-highgpu-1g"),
        (
            {
                "machineType": "n1-standard-8",
                "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 2}],
            },
            "n1-standard-8+2xT4",
        ),
        (
            {
                "machineType": "n1-standard-8",
                "guestAccelerators": [
                    {"type": "projects/p/zones/z/acceleratorTypes/nvidia-tesla-t4", "count": 1.0}
                ],
            },
            "n1-standard-8+1xT4",
        ),
        (
            {
                "machineType": "n1-standard-8",
                "guestAccelerators": [{"type": "nvidia-tesla-k80", "count": 2}],
            },
            "n1-standard-8+2xnvidia-tesla-k80",
        ),
        (
            {
                "machineType": "a3-highgpu-8g",
                "guestAccelerators": [{"type": "nvidia-h100-80gb", "count": 8}],
            },
            "a3-highgpu-8g",
        ),
        ({"machineType": "e2-micro", "guestAccelerators": []}, "e2-micro"),
    ],
)
def test_a_machine_is_named_with_the_gpus_attached_to_it(inputs, expected):
    assert machine(**inputs).rung.machine == expected


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "its machine type is not set"),
        ({"machineType": UNKNOWN}, "its machine type is not known yet"),
        (
            {"machineType": "n1-standard-8", "guestAccelerators": UNKNOWN},
            "its machine type is not known yet",
        ),
        (
            {
                "machineType": "n1-standard-8",
                "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": UNKNOWN}],
            },
            "its machine type is not known yet",
        ),
    ],
)
def test_a_machine_that_nobody_can_name_is_not_judged(inputs, words):
    program = GcpProgram()
    program.add(INSTANCE, "vm", **inputs)
    (missing,) = observe(program.resources()).not_judged
    assert missing.reason == words


@pytest.mark.parametrize(
    ("scheduling", "machine_type", "expected"),
    [
        (None, "g2-standard-4", False),
        ({"onHostMaintenance": "MIGRATE"}, "g2-standard-4", False),
        ({"onHostMaintenance": "TERMINATE"}, "g2-standard-4", True),
        ({"onHostMaintenance": UNKNOWN}, "g2-standard-4", UNKNOWN),
        (UNKNOWN, "g2-standard-4", UNKNOWN),
        ({"preemptible": True}, "g2-standard-4", True),
        (None, "e2-micro", None),
        (None, "a9-hypergpu-8g", UNKNOWN),
        ({"onHostMaintenance": "TERMINATE"}, "a9-hypergpu-8g", True),
    ],
)
def test_gpu_machines_end_at_host_maintenance_or_not(scheduling, machine_type, expected):
    given = {} if scheduling is None else {"scheduling": scheduling}
    assert machine(machineType=machine_type, **given).kept.maintenance is expected


def test_attached_gpus_are_gpus_too():
    assert only(stacks.open_machine()).kept.maintenance is False


FLEX = {
    "provisioningModel": "FLEX_START",
    "automaticRestart": False,
    "instanceTerminationAction": "DELETE",
    "maxRunDuration": {"seconds": 3600},
    "onHostMaintenance": "TERMINATE",
}
SPECIFIC = {"type": "SPECIFIC_RESERVATION"}


@pytest.mark.parametrize(
    ("scheduling", "affinity", "capacity", "faults"),
    [
        (ON_DEMAND, None, "on-demand", ()),
        (None, None, "on-demand", ()),
        (ON_DEMAND, SPECIFIC, "on-demand", ()),
        (SPOT, None, "spot", ()),
        ({"preemptible": True, "automaticRestart": False}, None, "spot", ()),
        (
            {**SPOT, "automaticRestart": True},
            None,
            "spot",
            ("spot with automatic restart: set automatic_restart to false",),
        ),
        (
            {"provisioningModel": "SPOT"},
            None,
            "spot",
            (
                "spot with automatic restart: set automatic_restart to false",
                "spot without preemptible: set preemptible to true",
            ),
        ),
        (
            {**SPOT, "onHostMaintenance": "MIGRATE"},
            None,
            "spot",
            ("spot that migrates at host maintenance",),
        ),
        (SPOT, SPECIFIC, "spot", ("spot from a reservation",)),
        ({**SPOT, "automaticRestart": UNKNOWN}, None, "spot", UNKNOWN),
        (UNKNOWN, None, "on-demand", UNKNOWN),
        ({"provisioningModel": UNKNOWN}, None, "on-demand", UNKNOWN),
        ({"preemptible": UNKNOWN}, None, "on-demand", UNKNOWN),
        (FLEX, {"type": "NO_RESERVATION"}, "on-demand", ()),
        ({"provisioningModel": "RESERVATION_BOUND"}, SPECIFIC, "on-demand", ()),
        (
            {"provisioningModel": "RESERVATION_BOUND"},
            None,
            "on-demand",
            ("reservation-bound without a specific reservation",),
        ),
    ],
)
def test_how_machines_are_bought_and_what_is_refused_with_it(
    scheduling, affinity, capacity, faults
):
    given: dict[str, Any] = {"machineType": "g2-standard-4"}
    given |= {} if scheduling is None else {"scheduling": scheduling}
    given |= {} if affinity is None else {"reservationAffinity": affinity}
    group = machine(**given)
    assert (group.rung.capacity, faults_of(group.faults, "spot-settings")) == (capacity, faults)
    assert group.rung.max_price is None


def test_an_instance_s_own_inputs_stand_over_those_of_its_template():
    program = GcpProgram()
    subnet = stacks.network(program)
    made = stacks.template(program, "base", subnet, scheduling=SPOT)
    program.add(
        "compute/instanceFromTemplate:InstanceFromTemplate",
        "vm",
        zone="us-central1-b",
        sourceInstanceTemplate=made.out("selfLink"),
        machineType="g2-standard-16",
        bootDisk={"initializeParams": {"type": "pd-ssd", "size": 30}},
    )
    for moment in ("preview", "created"):
        group = only(program, moment)
        assert (group.rung.machine, group.rung.capacity) == ("g2-standard-16", "spot")
        assert group.rung.zones == ("us-central1-b",)
        assert paid(program, moment)["pd-ssd-storage"] == ("30", True)


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
    assert {one.name: one.maximum for one in groups} == expected


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
    kept = [one for one in program.resources() if policy or "Autoscaler" not in one.type]
    seen = [
        replace(one, outputs={**one.outputs, "targetSize": 4}) if one.name == "g" else one
        for one in kept
    ]
    assert {one.name: one.maximum for one in observe(seen).groups} == expected


@both
def test_contributions_add_up_resource_by_resource(moment):
    for program in (stacks.pool(base=0), scaled(3, {"minReplicas": 0, "maxReplicas": 5})):
        resources = program.resources(moment)
        index = Index()
        groups, items = [], []
        for one in resources:
            index.add(one)
            rows = groups_and_items(one, index)
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
    groups = {one.name: one for one in observe(case.program.resources(moment)).groups}
    assert faults_of(groups["burst"].faults, "flex-start") == (
        "an autoscaler beside resize requests",
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
    assert {one.name: one.maximum for one in groups} == {"steady": 2, "more": 8}


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
    found = only(case.program).fabric
    assert found is not None
    assert found.one_zone is expected


DISKS = {"machineType": "g2-standard-4"}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (
            {"bootDisk": {"initializeParams": {"size": 50, "type": "pd-ssd"}}},
            {"pd-ssd-storage": "50"},
        ),
        (
            {"bootDisk": {"initializeParams": {"image": "debian"}}},
            {"pd-balanced-storage": "None"},
        ),
        ({"bootDisk": {"source": "own"}}, {}),
        (
            {"bootDisk": {"source": "own"}, "scratchDisks": [{"interface": "NVME"}] * 2},
            {"local-ssd-storage": "375"},
        ),
        (
            {
                "bootDisk": {
                    "initializeParams": {
                        "size": 100,
                        "type": "projects/p/zones/z/diskTypes/hyperdisk-balanced",
                        "provisionedIops": 5000,
                        "provisionedThroughput": 140,
                    }
                }
            },
            {"hyperdisk-balanced-storage": "100", "hyperdisk-balanced-iops": "2000"},
        ),
        (
            {"bootDisk": {"initializeParams": {"size": 10, "type": UNKNOWN}}},
            {"pd-balanced-storage": str(UNKNOWN)},
        ),
        ({"bootDisk": UNKNOWN}, {"pd-balanced-storage": str(UNKNOWN)}),
        (
            {
                "disks": [
                    {"boot": True, "sourceImage": "x", "diskSizeGb": 10},
                    {"type": "SCRATCH", "diskType": "local-ssd", "diskSizeGb": 375},
                    {"source": "theirs"},
                ]
            },
            {"pd-standard-storage": "10", "local-ssd-storage": "375"},
        ),
    ],
)
def test_disks_are_paid_per_machine(inputs, expected):
    program = GcpProgram()
    program.add(INSTANCE, "vm", zone="us-central1-a", **DISKS, **inputs)
    found = paid(program)
    assert {item: quantity for item, (quantity, _) in found.items()} == expected
    assert all(per_machine for _, per_machine in found.values())


def test_local_disks_that_come_with_a_machine_are_in_its_price():
    program = GcpProgram()
    scratch = {"bootDisk": {"source": "own"}, "scratchDisks": [{"interface": "NVME"}] * 16}
    program.add(INSTANCE, "vm", machineType="a3-highgpu-8g", **scratch)
    assert paid(program) == {}


@pytest.mark.parametrize(
    ("nic", "public", "addresses"),
    [
        ({}, False, None),
        ({"accessConfigs": []}, False, None),
        ({"accessConfigs": [{}]}, True, "1"),
        ({"accessConfigs": [{"networkTier": "PREMIUM"}]}, True, "1"),
        ({"accessConfigs": UNKNOWN}, UNKNOWN, "1"),
        ({"ipv6AccessConfigs": [{}]}, True, None),
    ],
)
def test_a_public_address_is_seen_and_paid(nic, public, addresses):
    program = GcpProgram()
    subnet = program.add("compute/subnetwork:Subnetwork", "s")
    nics = [{"subnetwork": subnet.id, **nic}]
    program.add(INSTANCE, "vm", machineType="e2-micro", networkInterfaces=nics)
    assert only(program).safety.public_ip is public
    expected = {} if addresses is None else {"external-ip-in-use-hour": (addresses, True)}
    assert paid(program) == expected


def test_a_reserved_address_is_paid_once():
    program = GcpProgram()
    address = program.add("compute/address:Address", "fixed", region="us-central1")
    nics = [{"network": "x", "accessConfigs": [{"natIp": address.out("name")}]}]
    program.add(INSTANCE, "vm", machineType="e2-micro", networkInterfaces=nics)
    for moment in ("preview", "created"):
        assert paid(program, moment) == {"external-ip-in-use-hour": ("1", False)}


@both
def test_machines_behind_a_nat_pay_for_it_unless_they_have_their_own_way_out(moment):
    program = GcpProgram()
    subnet = stacks.network(program)
    inner = [{"subnetwork": subnet.id}]
    vm = program.add(INSTANCE, "vm", machineType="g2-standard-4", networkInterfaces=inner)
    assert paid(program, moment)["cloud-nat-vm-hour"] == ("1", True)
    program.change(vm, networkInterfaces=[{"subnetwork": subnet.id, "accessConfigs": [{}]}])
    assert "cloud-nat-vm-hour" not in paid(program, moment)
    program.change(vm, networkInterfaces=[{"network": "elsewhere"}])
    assert "cloud-nat-vm-hour" not in paid(program, moment)


def test_a_nat_may_serve_some_subnets_only():
    program = GcpProgram()
    subnet = stacks.network(program)
    nat = next(one for one in program.handles.values() if one.type.endswith("RouterNat"))
    nics = [{"subnetwork": subnet.id}]
    program.add(INSTANCE, "vm", machineType="g2-standard-4", networkInterfaces=nics)
    listing = "LIST_OF_SUBNETWORKS"
    program.change(nat, sourceSubnetworkIpRangesToNat=listing, subnetworks=[{"name": subnet.link}])
    assert "cloud-nat-vm-hour" in paid(program)
    program.change(nat, subnetworks=[{"name": "other"}])
    assert "cloud-nat-vm-hour" not in paid(program)


@pytest.mark.parametrize(
    ("pool", "cluster", "expected"),
    [
        ({"nodeCount": 2}, {}, (6, 6)),
        ({"nodeCount": 2, "nodeLocations": ["us-central1-a"]}, {}, (2, 2)),
        ({"nodeCount": 2}, {"location": "us-central1-a"}, (2, 2)),
        (
            {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 4}},
            {"nodeLocations": ["us-central1-a", "us-central1-b"]},
            (2, 8),
        ),
        ({"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 5}}, {}, (0, 5)),
        ({"autoscaling": {"maxNodeCount": UNKNOWN}}, {}, (0, UNKNOWN)),
        ({"nodeCount": 2, "nodeLocations": UNKNOWN}, {}, (UNKNOWN, UNKNOWN)),
        ({"initialNodeCount": 1}, {"location": UNKNOWN}, (UNKNOWN, UNKNOWN)),
    ],
)
def test_the_nodes_of_a_gke_pool_are_counted_in_all_its_zones(pool, cluster, expected):
    group = only(stacks.gke({"nodeConfig": stacks.NODES, **pool}, **cluster))
    assert (group.minimum, group.maximum) == expected
    assert (group.rung.machine, group.rung.capacity) == ("a2-highgpu-1g", "spot")
    assert (faults_of(group.faults, "spot-settings"), group.kept.maintenance) == ((), True)


def test_a_gke_pool_pays_for_disks_and_addresses_and_its_cluster_by_the_hour():
    program = stacks.gke({"nodeConfig": stacks.NODES, "nodeCount": 1})
    assert paid(program) == {
        "gke-cluster-hour": ("1", False),
        "pd-balanced-storage": ("200", True),
        "external-ip-in-use-hour": ("1", True),
    }
    private = stacks.gke(
        {"nodeConfig": stacks.NODES, "networkConfig": {"enablePrivateNodes": True}}
    )
    assert only(private).safety.public_ip is False


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ({"nodeConfig": {**stacks.NODES, "flexStart": True}}, "flex-start and spot at once"),
        (
            {"nodeConfig": stacks.NODES, "queuedProvisioning": {"enabled": True}},
            "queued provisioning of spot nodes",
        ),
        (
            {
                "nodeConfig": {"machineType": "a2-highgpu-1g"},
                "queuedProvisioning": {"enabled": True},
                "placementPolicy": {"type": "COMPACT"},
            },
            "queued provisioning in a compact placement",
        ),
        (
            {
                "nodeConfig": {
                    "machineType": "a2-highgpu-1g",
                    "flexStart": True,
                    "maxRunDuration": "3600s",
                }
            },
            "flex-start with auto-repair",
        ),
    ],
)
def test_what_gke_refuses_is_told_in_words(pool, words):
    faults = faults_of(only(stacks.gke({"nodeCount": 1, **pool})).faults, "flex-start")
    assert words in faults


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"enableAutopilot": True}, "an Autopilot cluster is billed by its pods,"),
        ({"removeDefaultNodePool": False}, "its default node pools are not counted: declare"),
        ({"nodePools": [{"nodeCount": 3}]}, "its default node pools are not counted: declare"),
    ],
)
def test_what_is_inside_a_gke_cluster_is_not_forgotten(inputs, words):
    missing = observe(stacks.gke({"nodeConfig": stacks.NODES}, **inputs).resources()).not_judged
    assert [words in one.reason for one in missing] == [True]


def test_what_no_resource_shows_is_said_by_name():
    usage = Usage(
        hours={"notebook": Decimal(10)},
        purpose={"notebook": "training"},
        checkpoints={"notebook": True},
        nvlink={"notebook": True},
        expected={"notebook": Decimal(1)},
    )
    (group,) = observe(stacks.open_machine().resources(), usage).groups
    assert (group.wishes.hours, group.purpose, group.wishes.checkpoints) == (
        Decimal(10),
        "training",
        True,
    )
    assert (group.wishes.nvlink, group.wishes.expected) == (True, Decimal(1))


def test_a_scaled_group_whose_template_is_hidden_is_named_once():
    program = stacks.pool(base=0)
    goal = next(one for one in program.handles.values() if "GroupManager" in one.type)
    program.change(goal, versions=[{"instanceTemplate": UNKNOWN}])
    observed = observe(program.resources())
    assert observed.groups == ()
    machines = [one for one in observed.not_judged if "InstanceTemplate::" not in one.subject]
    assert [(one.subject, one.reason) for one in machines] == [
        (goal.urn, "its instance template is not known yet")
    ]
