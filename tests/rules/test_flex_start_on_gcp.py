"""What Google takes of flex-start: pools of GKE that wait for capacity, and resize requests."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Group, faults_of
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_cluster import roce
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.gcp_scheduling import HIDDEN, LONG, NONE, SPECIFIC, SPOT, STANDARD, lasts
from tests.rules.cases.judging import of_resources


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
            ("both flex-start and spot",),
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
    assert pool(**inputs).market.usage_classes == ways


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
    assert group.market.usage_classes == ("flex-start",)


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
    assert (
        faults_of(group.faults, "flex-start"),
        group.market.usage_classes,
        group.lifecycle.ends,
    ) == (
        (),
        None,
        False,
    )
