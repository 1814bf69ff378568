"""Google's truth table: what a provisioning model takes beside it, word by word."""

from datetime import timedelta
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.today import today
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_cluster import roce
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.gcp_scheduling import (
    ANY,
    BOUND,
    FLEX,
    HIDDEN,
    LONG,
    NONE,
    SPECIFIC,
    SPOT,
    STANDARD,
    lasts,
)
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both

SOON = today() + timedelta(days=2)

ALONE = [{"key": "k", "operator": "IN", "values": ["v"]}]

SETTINGS, FLEXIBLE = "spot-settings", "flex-start"
FINE: tuple[str, ...] = ()


def row(
    model: dict[str, Any], more: dict[str, Any], affinity: Any, rule: str, expected: Any
) -> Any:
    return pytest.param({**model, **more}, affinity, rule, expected)


RESTARTS = "spot with automatic restart: set scheduling.automaticRestart to false"
ABSENT = "spot without preemptible: set preemptible to true"
KEPT = "flex-start that does not delete its machines at the end"
ENDLESS = (
    "a termination action without a termination: set max_run_duration, or remove "
    "instance_termination_action"
)

UNSAID = (
    "a termination without a termination action: set instance_termination_action to STOP or "
    "DELETE; only spot machines have a default"
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
        ("preemptible with STANDARD: preemptible machines are spot",),
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
    row(STANDARD, lasts(60), None, SETTINGS, (UNSAID,)),
    row(STANDARD, {"terminationTime": f"{SOON}T00:00:00Z"}, None, SETTINGS, (UNSAID,)),
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
        ("preemptible with RESERVATION_BOUND: preemptible machines are spot",),
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
    assert group.market.usage_classes == ways
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
    assert (group.rung.capacity, group.market.usage_classes) == ("on-demand", UNKNOWN)


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
