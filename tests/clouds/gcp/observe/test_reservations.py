"""Machines that Google keeps for a stack, and those that run in them."""

from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Rows
from tests.rules.cases.gcp_program import GcpProgram

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
    assert (group.labels, group.kept.image_pinned) == (None, True)
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
        ({"guestAccelerators": [{"acceleratorType": "nvidia-tesla-t4"}]}, "GPUs or local disks"),
        ({"localSsds": [{"diskSizeGb": 375}]}, "GPUs or local disks"),
        ({"machineType": UNKNOWN}, "not known yet"),
    ],
)
def test_one_whose_price_can_t_be_known_is_not_judged(
    properties: dict[str, Any], words: str
) -> None:
    rows = seen(**properties)

    assert rows.groups == ()
    assert words in rows.not_judged[0].reason


def test_one_by_a_template_is_not_judged() -> None:
    program = GcpProgram()
    template = {"specificReservation": {"count": 1, "sourceInstanceTemplate": "t"}, "zone": ZONE}
    program.add("compute/reservation:Reservation", "kept", **template)

    assert "template" in observe(program.resources()).not_judged[0].reason
