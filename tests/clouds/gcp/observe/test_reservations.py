"""Machines that Google keeps for a stack, and those that run in them."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.model import UNKNOWN, Rows, Usage
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import TODAY, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment

ZONE = "us-central1-a"
MACHINE = "a3-highgpu-8g"


def kept(count: Any = 4, **properties: Any) -> dict[str, Any]:
    return {
        "name": "kept",
        "zone": ZONE,
        "specificReservationRequired": True,
        "specificReservation": {
            "count": count,
            "instanceProperties": {"machineType": MACHINE, **properties},
        },
    }


def user(reservation: Any, **inputs: Any) -> dict[str, Any]:
    affinity = {
        "type": "SPECIFIC_RESERVATION",
        "specificReservation": {
            "key": "compute.googleapis.com/reservation-name",
            "values": [reservation],
        },
    }
    return {"machineType": MACHINE, "zone": ZONE, "reservationAffinity": affinity, **inputs}


def seen(*resources: tuple[str, dict[str, Any]], count: Any = 4, **properties: Any) -> Rows:
    program = GcpProgram()
    program.add("compute/reservation:Reservation", "kept", **kept(count, **properties))
    for name, inputs in resources:
        program.add("compute/instance:Instance", name, **inputs)
    return observe(program.resources())


def machines(rows: Rows) -> dict[str, tuple[Any, Any]]:
    return {group.name: (group.maximum, group.rung.capacity) for group in rows.groups}


def test_what_is_kept_is_paid_used_or_not() -> None:
    rows = seen()
    (group,) = rows.groups

    assert machines(rows) == {"kept": (4, "reserved")}
    assert (group.machines, group.rung.region, group.rung.zones) == (
        (MACHINE,),
        "us-central1",
        (ZONE,),
    )
    assert (group.labels, group.lifecycle.image_pinned) == (None, True)
    assert rows.not_judged == ()


def test_machines_that_run_in_it_are_paid_once() -> None:
    rows = seen(("one", user("kept")), ("two", user("kept")))

    assert machines(rows) == {
        "kept": (2, "reserved"),
        "one": (1, "on-demand"),
        "two": (1, "on-demand"),
    }


def test_nothing_is_left_of_one_that_is_used_up() -> None:
    assert set(machines(seen(("one", user("kept")), count=1))) == {"one"}


@pytest.mark.parametrize(
    "inputs",
    [
        {"zone": "us-central1-b"},
        {"machineType": "a3-megagpu-8g"},
        {"reservationAffinity": {"type": "ANY_RESERVATION"}},
        {"reservationAffinity": UNKNOWN},
        user("other"),
        user("projects/another/reservations/kept"),
    ],
)
def test_machines_that_may_run_elsewhere_count_beside_it(inputs: dict[str, Any]) -> None:
    rows = seen(("one", {**user("kept"), **inputs}))

    assert machines(rows)["kept"] == (4, "reserved")


def test_an_unknown_number_is_unknown() -> None:
    assert machines(seen(count=UNKNOWN)) == {"kept": (UNKNOWN, "reserved")}


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"guestAccelerators": [{"acceleratorType": "nvidia-tesla-t4"}]}, "not known yet"),
        ({"guestAccelerators": UNKNOWN}, "not known yet"),
        ({"machineType": "g2-standard-4", "localSsds": [{"diskSizeGb": 375}]}, "local disks"),
        ({"machineType": "none-such-8", "localSsds": [{"diskSizeGb": 375}]}, "local disks"),
        ({"machineType": UNKNOWN}, "not known yet"),
    ],
)
def test_one_whose_price_can_t_be_known_is_not_judged(
    properties: dict[str, Any], words: str
) -> None:
    rows = seen(**properties)

    assert rows.groups == ()
    assert words in rows.not_judged[0].reason


@pytest.mark.parametrize(
    ("kind", "judged"),
    [("a3-highgpu-8g", True), ("a2-ultragpu-8g", True), ("a2-highgpu-8g", False)],
)
def test_local_disks_cost_nothing_more_where_they_come_with_a_machine_type(
    kind: str, judged: bool
) -> None:
    rows = seen(machineType=kind, localSsds=[{"diskSizeGb": 375, "interface": "NVME"}] * 8)

    assert bool(rows.groups) is judged
    assert bool(rows.not_judged) is not judged


def test_one_by_a_template_is_not_judged() -> None:
    program = GcpProgram()
    template = {"specificReservation": {"count": 1, "sourceInstanceTemplate": "t"}, "zone": ZONE}
    program.add("compute/reservation:Reservation", "kept", **template)

    assert "template" in observe(program.resources()).not_judged[0].reason


def group(
    program: GcpProgram,
    size: Any = None,
    scaling: tuple[Any, Any] | None = None,
    template: dict[str, Any] | None = None,
    **inputs: Any,
) -> None:
    """Machines that name the reservation, as many as a size or an autoscaler says."""
    launch = user("kept", **(template or {}))
    del launch["zone"]
    made = program.add("compute/instanceTemplate:InstanceTemplate", "t", **launch)
    manager = program.add(
        "compute/instanceGroupManager:InstanceGroupManager",
        "pool",
        **{
            "zone": ZONE,
            "versions": [{"instanceTemplate": made.id}],
            "updatePolicy": {
                "type": "OPPORTUNISTIC",
                "maxSurgeFixed": 0,
                "maxUnavailableFixed": 1,
            },
            **({} if size is None else {"targetSize": size}),
            **inputs,
        },
    )
    if scaling is not None:
        least, most = scaling
        program.add(
            "compute/autoscaler:Autoscaler",
            "scaling",
            zone=ZONE,
            target=manager.id,
            autoscalingPolicy={"minReplicas": least, "maxReplicas": most},
        )


def priced(
    count: int = 4, moment: Moment = "created", usage: Usage | None = None, **inputs: Any
) -> Quote:
    program = GcpProgram()
    program.add("compute/reservation:Reservation", "kept", **kept(count))
    group(program, **inputs)
    return estimate(
        of_resources(program.resources(moment), usage=usage), PricingTerms(as_of=TODAY)
    )


def paid(quote: Quote, figure: str = "per_hour") -> Decimal:
    """What the machines of the stack cost, in machines."""
    lines = [line for line in quote.lines if line.item == MACHINE]
    return sum((getattr(line, figure) for line in lines), Decimal(0)) / (lines[0].rate or 1)


@both
@pytest.mark.parametrize(
    ("count", "inputs", "surely", "most"),
    [
        (4, {"scaling": (0, 4)}, 4, 4),
        (4, {"scaling": (1, 4)}, 4, 4),
        (4, {"scaling": (4, 4)}, 4, 4),
        (8, {"scaling": (0, 4)}, 8, 8),
        (4, {"scaling": (0, 6)}, 4, 6),
        (4, {"scaling": (5, 6)}, 5, 6),
        (4, {"size": 2, "scaling": (0, 6)}, 4, 6),
        (4, {"size": 4}, 4, 4),
        (4, {"scaling": (0, 4), "zone": "us-central1-b"}, 4, 8),
        (4, {"scaling": (0, 4), "template": {"machineType": "a3-highgpu-1g"}}, 4, 4),
    ],
    ids=str,
)
def test_what_is_kept_and_a_group_that_grows_within_it_are_paid_once(
    moment: Moment, count: int, inputs: dict[str, Any], surely: int, most: int
) -> None:
    quote = priced(count, moment, **inputs)

    assert paid(quote) == most
    assert paid(quote, "minimum_per_hour") == surely


def test_a_group_of_an_unknown_maximum_takes_only_its_minimum() -> None:
    lines = {line.name: line for line in priced(4, scaling=(1, UNKNOWN)).lines}

    assert lines["kept"].quantity == 3


def test_spot_machines_are_not_in_it() -> None:
    scheduling = {"provisioningModel": "SPOT", "preemptible": True, "automaticRestart": False}
    program = GcpProgram()
    program.add("compute/reservation:Reservation", "kept", **kept())
    group(program, size=4, template={"scheduling": scheduling})

    assert machines(observe(program.resources()))["kept"] == (4, "reserved")


def test_a_machine_that_ends_leaves_its_place_in_it_paid_for() -> None:
    usage = Usage(ends_after={"pool": Decimal(10)})
    lasting = {"maxRunDuration": {"seconds": 36_000}, "instanceTerminationAction": "DELETE"}
    quote = priced(4, usage=usage, size=4, template={"scheduling": lasting})

    assert paid(quote, "per_month") == 4 * 730


def test_reservations_of_one_name_in_two_zones_have_machines_of_their_own() -> None:
    program = GcpProgram()
    for zone in ("us-central1-a", "us-central1-b"):
        reserved = {**kept(1), "zone": zone}
        program.add("compute/reservation:Reservation", f"kept-{zone}", **reserved)
        program.add("compute/instance:Instance", f"vm-{zone}", **{**user("kept"), "zone": zone})

    rows = observe(program.resources("preview"))
    assert set(machines(rows)) == {"vm-us-central1-a", "vm-us-central1-b"}


T4 = "nvidia-tesla-t4"


@pytest.mark.parametrize(
    ("attached", "left"),
    [
        ([{"type": T4, "count": 1}], None),
        ([{"type": T4, "count": 2}], (1, "reserved")),
        ([], (1, "reserved")),
    ],
)
def test_gpus_that_are_added_belong_to_the_type_that_is_kept(attached: Any, left: Any) -> None:
    """Machines are of the type that is kept when their GPUs are, too.

    https://docs.cloud.google.com/compute/docs/instances/reservations-consume
    """
    added = [{"acceleratorType": T4, "acceleratorCount": 1}]
    machine = {"machineType": "n1-standard-8", "guestAccelerators": attached}
    rows = seen(
        ("one", user("kept", **machine)),
        count=1,
        machineType="n1-standard-8",
        guestAccelerators=added,
    )

    assert rows.not_judged == ()
    assert machines(rows).get("kept") == left


@both
@pytest.mark.parametrize(
    ("affinity", "left"),
    [
        ("SPECIFIC_RESERVATION", (2, "reserved")),
        ("ANY_RESERVATION", (4, "reserved")),
        ("NO_RESERVATION", (4, "reserved")),
    ],
)
def test_nodes_that_run_in_it_are_paid_once(affinity: str, left: Any, moment: Moment) -> None:
    """https://docs.cloud.google.com/kubernetes-engine/docs/how-to/consuming-reservations"""
    program = GcpProgram()
    reservation = program.add("compute/reservation:Reservation", "kept", **kept())
    nodes = {
        "machineType": MACHINE,
        "reservationAffinity": {
            "consumeReservationType": affinity,
            "key": "compute.googleapis.com/reservation-name",
            "values": [reservation.out("name")],
        },
    }
    program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster="main",
        location="us-central1",
        nodeLocations=[ZONE],
        nodeCount=2,
        nodeConfig=nodes,
    )

    assert machines(observe(program.resources(moment)))["kept"] == left
