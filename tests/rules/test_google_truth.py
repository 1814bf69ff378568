"""Google's truth table: what a provisioning model takes beside it, word by word."""

from datetime import timedelta
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Group, faults_of
from gpuinfra.today import today
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_cluster import roce
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources

SOON = today() + timedelta(days=2)

both = pytest.mark.parametrize("moment", ["preview", "created"])

STANDARD = {"provisioningModel": "STANDARD", "onHostMaintenance": "TERMINATE"}
SPOT = {
    "provisioningModel": "SPOT",
    "preemptible": True,
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
}
FLEX = {
    "provisioningModel": "FLEX_START",
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
    "instanceTerminationAction": "DELETE",
    "maxRunDuration": {"seconds": 3600},
}
BOUND = {"provisioningModel": "RESERVATION_BOUND", "onHostMaintenance": "TERMINATE"}

NONE = {"type": "NO_RESERVATION"}
ANY = {"type": "ANY_RESERVATION"}
SPECIFIC = {"type": "SPECIFIC_RESERVATION"}
HIDDEN = {"type": UNKNOWN}
ALONE = [{"key": "k", "operator": "IN", "values": ["v"]}]

SETTINGS, FLEXIBLE = "spot-settings", "flex-start"
FINE: tuple[str, ...] = ()


def row(
    model: dict[str, Any], more: dict[str, Any], affinity: Any, rule: str, expected: Any
) -> Any:
    return pytest.param({**model, **more}, affinity, rule, expected)


def lasts(seconds: Any) -> dict[str, Any]:
    return {"maxRunDuration": {"seconds": seconds}}


RESTARTS = "spot with automatic restart: set automatic_restart to false"
ABSENT = "spot without preemptible: set preemptible to true"
LONG = "flex-start without max_run_duration of 600 to 604800 s"
KEPT = "flex-start that does not delete its machines at the end"
ENDLESS = (
    "a termination action without a termination: set max_run_duration, or remove "
    "instance_termination_action"
)

TABLE = [
    # STANDARD
    row(STANDARD, {}, None, SETTINGS, FINE),
    row(STANDARD, {}, NONE, SETTINGS, FINE),
    row(STANDARD, {}, ANY, SETTINGS, FINE),
    row(STANDARD, {}, SPECIFIC, SETTINGS, FINE),
    row(STANDARD, {"automaticRestart": True}, None, SETTINGS, FINE),
    row(STANDARD, {"preemptible": False}, None, SETTINGS, FINE),
    row(
        STANDARD,
        {"preemptible": True},
        None,
        SETTINGS,
        ("preemptible beside STANDARD: preemptible machines are spot",),
    ),
    row(STANDARD, {"preemptible": UNKNOWN}, None, SETTINGS, UNKNOWN),
    row(STANDARD, {"nodeAffinities": ALONE}, None, SETTINGS, FINE),
    row(STANDARD, {"instanceTerminationAction": "STOP"}, None, SETTINGS, (ENDLESS,)),
    row(STANDARD, {"instanceTerminationAction": "STOP", **lasts(60)}, None, SETTINGS, FINE),
    row(
        STANDARD,
        {"instanceTerminationAction": "DELETE", "terminationTime": f"{SOON}T00:00:00Z"},
        None,
        SETTINGS,
        FINE,
    ),
    row(
        STANDARD,
        {"instanceTerminationAction": "DELETE", **lasts(UNKNOWN)},
        None,
        SETTINGS,
        UNKNOWN,
    ),
    row(STANDARD, {"instanceTerminationAction": UNKNOWN}, None, SETTINGS, UNKNOWN),
    row(STANDARD, lasts(60), None, SETTINGS, FINE),
    row(STANDARD, {"preemptible": True}, None, FLEXIBLE, FINE),
    # SPOT
    row(SPOT, {}, None, SETTINGS, FINE),
    row(SPOT, {}, NONE, SETTINGS, FINE),
    row(SPOT, {}, SPECIFIC, SETTINGS, ("spot from a reservation",)),
    row(SPOT, {}, HIDDEN, SETTINGS, UNKNOWN),
    row(SPOT, {"instanceTerminationAction": "STOP"}, None, SETTINGS, FINE),
    row(SPOT, {"instanceTerminationAction": "DELETE", **lasts(3600)}, None, SETTINGS, FINE),
    row(SPOT, {"automaticRestart": True}, None, SETTINGS, (RESTARTS,)),
    row(SPOT, {"automaticRestart": None}, None, SETTINGS, (RESTARTS,)),
    row(SPOT, {"automaticRestart": UNKNOWN}, None, SETTINGS, UNKNOWN),
    row(SPOT, {"preemptible": False}, None, SETTINGS, (ABSENT,)),
    row(SPOT, {"preemptible": None}, None, SETTINGS, (ABSENT,)),
    row(SPOT, {"preemptible": UNKNOWN}, None, SETTINGS, UNKNOWN),
    row(
        SPOT, {"automaticRestart": True, "preemptible": False}, None, SETTINGS, (RESTARTS, ABSENT)
    ),
    row(
        SPOT,
        {"onHostMaintenance": "MIGRATE"},
        None,
        SETTINGS,
        ("spot that migrates at host maintenance",),
    ),
    row(SPOT, {"onHostMaintenance": UNKNOWN}, None, SETTINGS, UNKNOWN),
    row(
        SPOT,
        {"nodeAffinities": ALONE},
        None,
        SETTINGS,
        ("spot on sole-tenant nodes (node_affinities)",),
    ),
    row(SPOT, {"nodeAffinities": UNKNOWN}, None, SETTINGS, UNKNOWN),
    row(SPOT, {"nodeAffinities": []}, None, SETTINGS, FINE),
    row(SPOT, {}, None, FLEXIBLE, FINE),
    row(
        {"preemptible": True, "automaticRestart": False, "onHostMaintenance": "TERMINATE"},
        {},
        None,
        SETTINGS,
        FINE,
    ),
    row({"preemptible": True, "automaticRestart": True}, {}, None, SETTINGS, (RESTARTS,)),
    row({"preemptible": UNKNOWN}, {}, None, SETTINGS, UNKNOWN),
    # FLEX_START
    row(FLEX, {}, None, FLEXIBLE, FINE),
    row(FLEX, {}, NONE, FLEXIBLE, FINE),
    row(FLEX, {}, ANY, FLEXIBLE, ("flex-start from a reservation",)),
    row(FLEX, {}, SPECIFIC, FLEXIBLE, ("flex-start from a reservation",)),
    row(FLEX, {}, HIDDEN, FLEXIBLE, UNKNOWN),
    row(FLEX, {"automaticRestart": None}, None, FLEXIBLE, ("flex-start with automatic restart",)),
    row(FLEX, {"automaticRestart": UNKNOWN}, None, FLEXIBLE, UNKNOWN),
    row(FLEX, {"maxRunDuration": None}, None, FLEXIBLE, (LONG,)),
    row(FLEX, lasts(599), None, FLEXIBLE, (LONG,)),
    row(FLEX, lasts(600), None, FLEXIBLE, FINE),
    row(FLEX, lasts(604_800), None, FLEXIBLE, FINE),
    row(FLEX, lasts(604_801), None, FLEXIBLE, (LONG,)),
    row(FLEX, lasts(UNKNOWN), None, FLEXIBLE, UNKNOWN),
    row(FLEX, {"instanceTerminationAction": "STOP"}, None, FLEXIBLE, (KEPT,)),
    row(FLEX, {"instanceTerminationAction": None}, None, FLEXIBLE, (KEPT,)),
    row(FLEX, {"instanceTerminationAction": UNKNOWN}, None, FLEXIBLE, UNKNOWN),
    row(FLEX, {"preemptible": True}, None, FLEXIBLE, ("flex-start that is preemptible",)),
    row(FLEX, {"preemptible": False}, None, FLEXIBLE, FINE),
    row(FLEX, {"preemptible": UNKNOWN}, None, FLEXIBLE, UNKNOWN),
    row(
        FLEX,
        {"onHostMaintenance": "MIGRATE"},
        None,
        FLEXIBLE,
        ("flex-start that migrates at host maintenance",),
    ),
    row(
        FLEX,
        {"nodeAffinities": ALONE},
        None,
        FLEXIBLE,
        ("flex-start on sole-tenant nodes (node_affinities)",),
    ),
    row(FLEX, {"preemptible": True}, None, SETTINGS, FINE),
    # RESERVATION_BOUND
    row(BOUND, {}, SPECIFIC, SETTINGS, FINE),
    row(BOUND, {"instanceTerminationAction": "DELETE"}, SPECIFIC, SETTINGS, FINE),
    *(
        row(BOUND, {}, other, SETTINGS, ("reservation-bound without a specific reservation",))
        for other in (None, NONE, ANY)
    ),
    row(BOUND, {}, HIDDEN, SETTINGS, UNKNOWN),
    row(
        BOUND,
        {"preemptible": True},
        SPECIFIC,
        SETTINGS,
        ("preemptible beside RESERVATION_BOUND: preemptible machines are spot",),
    ),
    row(BOUND, {}, SPECIFIC, FLEXIBLE, FINE),
    # not known yet
    row({"provisioningModel": UNKNOWN}, {}, None, SETTINGS, UNKNOWN),
    row({"provisioningModel": UNKNOWN}, {}, None, FLEXIBLE, UNKNOWN),
]


def machine(scheduling: dict[str, Any], affinity: Any, moment: Any = "created") -> Any:
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    given: dict[str, Any] = {
        "zone": "us-central1-a",
        "machineType": "a2-highgpu-1g",
        "networkInterfaces": [{"subnetwork": subnet.link}],
        "scheduling": {key: value for key, value in scheduling.items() if value is not None},
    }
    given |= {} if affinity is None else {"reservationAffinity": affinity}
    program.add("compute/instance:Instance", "workers", **given)
    return of_resources(program.resources(moment))


@pytest.mark.parametrize(("scheduling", "affinity", "rule", "expected"), TABLE)
def test_each_row_of_the_truth_table(scheduling, affinity, rule, expected):
    (finding,) = findings(machine(scheduling, affinity), rule)
    if expected is UNKNOWN:
        assert (finding.outcome, finding.refuses) == ("not-knowable", True)
    elif expected:
        assert (finding.outcome, finding.message) == ("violated", "; ".join(expected))
        assert finding.fix
    else:
        assert finding.outcome in {"fine", "not-applicable"}


@pytest.mark.parametrize(
    ("scheduling", "affinity", "ways"),
    [
        (STANDARD, None, None),
        (STANDARD, ANY, None),
        (STANDARD, SPECIFIC, ("on-demand", "reservation")),
        (STANDARD, HIDDEN, UNKNOWN),
        (SPOT, None, None),
        (FLEX, None, ("flex-start",)),
        (BOUND, SPECIFIC, ("reservation", "calendar")),
        ({"provisioningModel": UNKNOWN}, None, UNKNOWN),
    ],
)
def test_the_way_in_which_it_is_sold_follows_the_model(scheduling, affinity, ways):
    (group,) = machine(scheduling, affinity).groups
    assert group.market.ways == ways
    assert group.rung.capacity == ("spot" if scheduling == SPOT else "on-demand")


def test_several_versions_are_judged_together():
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    good = gcp_stacks.template(program, "good", subnet, scheduling=FLEX)
    bad = gcp_stacks.template(program, "bad", subnet, scheduling={**FLEX, "preemptible": True})
    spot = gcp_stacks.template(program, "spot", subnet, scheduling={**SPOT, "preemptible": None})
    versions = [{"instanceTemplate": template.link} for template in (good, bad, spot)]
    workers = gcp_stacks.group(program, "workers", good, targetSize=2)
    program.change(workers, versions=versions)
    judged = of_resources(program.resources())
    (flex,), (other,) = findings(judged, FLEXIBLE), findings(judged, SETTINGS)
    assert flex.message == "flex-start that is preemptible"
    assert other.outcome == "violated"
    (group,) = judged.groups
    assert (group.rung.capacity, group.market.ways) == ("on-demand", UNKNOWN)


@both
@pytest.mark.parametrize(
    ("waits", "outcome"), [(True, "violated"), (UNKNOWN, "not-knowable"), (False, "fine")]
)
def test_flex_start_does_not_wait_for_its_machines(waits, outcome, moment):
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    made = gcp_stacks.template(program, "node", subnet, scheduling=FLEX)
    gcp_stacks.group(program, "workers", made, targetSize=2, waitForInstances=waits)
    (finding,) = findings(of_resources(program.resources(moment)), FLEXIBLE)
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message == "flex-start in a group that waits for its machines"


def pool(**inputs: Any) -> Group:
    node = {"machineType": "a2-highgpu-1g", **inputs.pop("node", {})}
    given = {"nodeConfig": node, "nodeCount": 1, **inputs}
    (group,) = of_resources(gcp_stacks.gke(given).resources()).groups
    return group


QUEUED = {"queuedProvisioning": {"enabled": True}}
QUIET = {"management": {"autoRepair": False}}
RESERVED = {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}
FREE = {"reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}


@pytest.mark.parametrize(
    ("inputs", "faults"),
    [
        ({}, ()),
        (QUEUED, ()),
        ({**QUEUED, "node": FREE}, ()),
        ({**QUEUED, "node": RESERVED}, ("queued provisioning from a reservation",)),
        (
            {**QUEUED, "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4}},
            (),
        ),
        (
            {**QUEUED, "autoscaling": {"minNodeCount": 1, "maxNodeCount": 4}},
            ("queued provisioning of a pool with a minimum of nodes",),
        ),
        (
            {**QUEUED, "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4}},
            ("queued provisioning of a pool with a minimum of nodes",),
        ),
        ({**QUEUED, "autoscaling": UNKNOWN}, UNKNOWN),
        (
            {**QUEUED, "management": {"autoUpgrade": True}},
            ("queued provisioning with auto-upgrade",),
        ),
        ({**QUEUED, "node": {"spot": True}}, ("queued provisioning of spot nodes",)),
        (
            {**QUEUED, "placementPolicy": {"type": "COMPACT"}},
            ("queued provisioning in a compact placement",),
        ),
        ({"queuedProvisioning": {"enabled": UNKNOWN}, "node": {"spot": True}}, UNKNOWN),
        ({"node": {"flexStart": True, "maxRunDuration": "3600s"}, **QUIET}, ()),
        (
            {"node": {"flexStart": True, "maxRunDuration": "3600s"}},
            ("flex-start with auto-repair",),
        ),
        ({"node": {"flexStart": True}, **QUIET}, (LONG,)),
        (
            {"node": {"flexStart": True, "spot": True, "maxRunDuration": "3600s"}, **QUIET},
            ("flex-start and spot at once",),
        ),
        (
            {"node": {"flexStart": True, "maxRunDuration": "3600s", **RESERVED}, **QUIET},
            ("flex-start from a reservation",),
        ),
    ],
)
def test_what_gke_takes_of_a_pool_that_waits(inputs, faults):
    group = pool(**inputs)
    assert faults_of(group.faults, "flex-start") == faults
    assert faults_of(group.faults, "spot-settings") == ()


@pytest.mark.parametrize(
    ("inputs", "ways"),
    [
        ({}, None),
        (QUEUED, ("flex-start",)),
        ({"queuedProvisioning": {"enabled": UNKNOWN}}, UNKNOWN),
        ({"node": {"flexStart": True, "maxRunDuration": "3600s"}}, ("flex-start",)),
        ({"node": {"flexStart": UNKNOWN}}, UNKNOWN),
    ],
)
def test_the_way_in_which_nodes_are_sold(inputs, ways):
    assert pool(**inputs).market.ways == ways


def requested(**inputs: Any) -> Any:
    case = roce()
    case.program.change(case.group, targetSize=0, **inputs.pop("group", {}))
    case.program.change(case.template, **inputs.pop("template", {}))
    case.program.add(
        "compute/resizeRequest:ResizeRequest",
        "burst",
        zone="us-central1-a",
        instanceGroupManager=case.group.out("name"),
        resizeBy=6,
        **inputs,
    )
    return case


@pytest.mark.parametrize(
    ("inputs", "faults"),
    [
        ({}, ()),
        ({"requestedRunDuration": {"seconds": 600}}, ()),
        (
            {"requestedRunDuration": {"seconds": 599}},
            ("a requested_run_duration other than 600 to 604800 s",),
        ),
        ({"requestedRunDuration": {"seconds": UNKNOWN}}, UNKNOWN),
        (
            {"group": {"waitForInstances": True}},
            ("resize requests of a group that waits for its machines",),
        ),
        ({"template": {"scheduling": SPOT}}, ("resize requests for spot machines",)),
        ({"template": {"reservationAffinity": SPECIFIC}}, ("resize requests from a reservation",)),
        ({"template": {"reservationAffinity": HIDDEN}}, UNKNOWN),
        ({"template": {"reservationAffinity": NONE}}, ()),
    ],
)
def test_what_google_takes_of_a_resize_request(inputs, faults):
    (group,) = of_resources(requested(**inputs).program.resources()).groups
    assert (group.name, faults_of(group.faults, "flex-start")) == ("burst", faults)
    assert group.market.ways == ("flex-start",)


@pytest.mark.parametrize(
    ("inputs", "ends"),
    [
        ({}, False),
        ({"requestedRunDuration": {"seconds": 600}}, True),
        ({"requestedRunDuration": {"seconds": UNKNOWN}}, UNKNOWN),
        ({"requestedRunDuration": UNKNOWN}, UNKNOWN),
        ({"template": {"scheduling": {**STANDARD, **lasts(600)}}}, True),
    ],
)
def test_a_resize_request_gives_its_machines_back(inputs, ends):
    (group,) = of_resources(requested(**inputs).program.resources()).groups
    assert group.lifecycle.ends is ends


ONE_ZONE = {
    "distributionPolicyTargetShape": "ANY_SINGLE_ZONE",
    "updatePolicy": {"type": "PROACTIVE", "instanceRedistributionType": "NONE"},
}


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (ONE_ZONE, ""),
        ({**ONE_ZONE, "distributionPolicyTargetShape": "EVEN"}, "ANY_SINGLE_ZONE"),
        ({**ONE_ZONE, "updatePolicy": None}, "instance_redistribution_type to NONE"),
        (
            {**ONE_ZONE, "updatePolicy": {"instanceRedistributionType": "PROACTIVE"}},
            "instance_redistribution_type to NONE",
        ),
    ],
)
def test_a_request_of_a_regional_group_brings_all_into_one_zone(group, words):
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    made = gcp_stacks.template(program, "node", subnet, scheduling=STANDARD)
    given = {key: value for key, value in group.items() if value is not None}
    regional = gcp_stacks.group(program, "workers", made, targetSize=0, **given)
    program.add(
        "compute/regionResizeRequest:RegionResizeRequest",
        "burst",
        region="us-central1",
        instanceGroupManager=regional.out("name"),
        resizeBy=2,
    )
    (only,) = of_resources(program.resources()).groups
    assert isinstance(faults_of(only.faults, "flex-start"), tuple)
    assert len(faults_of(only.faults, "flex-start")) == (1 if words else 0)
    assert words in "".join(faults_of(only.faults, "flex-start"))


def test_two_groups_that_are_one_pool_keep_what_is_wrong_with_both():
    program = gcp_stacks.pool()
    (group,) = of_resources(program.resources()).groups
    assert (faults_of(group.faults, "flex-start"), group.market.ways, group.lifecycle.ends) == (
        (),
        None,
        False,
    )


ULTRA = (
    "a3-ultragpu-8g is not offered on demand, only on spot or from a reservation or by flex-start"
)


@both
@pytest.mark.parametrize(
    ("scheduling", "affinity", "outcome", "words"),
    [
        (STANDARD, None, "violated", ULTRA),
        (STANDARD, NONE, "violated", ULTRA),
        (STANDARD, SPECIFIC, "fine", "offered on demand or from a reservation in us-central1"),
        (STANDARD, HIDDEN, "not-knowable", "the purchase option"),
        (SPOT, None, "fine", "offered on spot"),
        (FLEX, None, "fine", "offered by flex-start"),
        (BOUND, SPECIFIC, "fine", "offered from a reservation or in calendar mode"),
        ({"provisioningModel": UNKNOWN}, None, "not-knowable", "the purchase option"),
    ],
)
def test_the_largest_machines_are_not_sold_on_demand(scheduling, affinity, outcome, words, moment):
    case = roce()
    affinity_ = {} if affinity is None else {"reservationAffinity": affinity}
    case.program.change(case.template, scheduling=scheduling, **affinity_)
    (finding,) = findings(of_resources(case.program.resources(moment)), "market-offered")
    assert finding.outcome == outcome
    assert words in finding.message


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("g2-standard-8", "fine"), ("a2-highgpu-1g", "fine"), ("a4x-highgpu-4g", "violated")],
)
def test_flex_start_takes_accelerator_optimized_machines(machine, outcome):
    program = GcpProgram()
    program.add(
        "compute/instance:Instance",
        "box",
        machineType=machine,
        zone="us-central1-a",
        scheduling=FLEX,
    )
    (finding,) = findings(of_resources(program.resources()), "market-offered")
    assert finding.outcome == outcome
