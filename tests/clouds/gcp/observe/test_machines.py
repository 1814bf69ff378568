"""Machines of Google Cloud as raw resources ask for them: type, maintenance, way to buy."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Usage, faults_of
from tests.clouds.gcp.observe.observed import INSTANCE, machine, only, paid
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_cluster import ON_DEMAND, SPOT
from tests.rules.cases.gcp_program import GcpProgram


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
    assert machine(machineType=machine_type, **given).lifecycle.maintenance is expected


def test_attached_gpus_are_gpus_too():
    assert only(stacks.open_machine()).lifecycle.maintenance is False


FLEX = {
    "provisioningModel": "FLEX_START",
    "automaticRestart": False,
    "instanceTerminationAction": "DELETE",
    "maxRunDuration": {"seconds": 3600},
    "onHostMaintenance": "TERMINATE",
}
SPECIFIC = {"type": "SPECIFIC_RESERVATION"}
NO_ACTION = (
    "a termination without a termination action: set instance_termination_action to STOP or "
    "DELETE; only spot machines have a default"
)


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
            ("spot with automatic restart: set scheduling.automaticRestart to false",),
        ),
        (
            {"provisioningModel": "SPOT"},
            None,
            "spot",
            (
                "spot with automatic restart: set scheduling.automaticRestart to false",
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
        ({**SPOT, "maxRunDuration": {"seconds": 3600}}, None, "spot", ()),
        ({**SPOT, "maxRunDuration": {"seconds": 30}}, None, "spot", ()),
        *(
            (
                {**SPOT, "maxRunDuration": {"seconds": seconds}},
                None,
                "spot",
                (f"max_run_duration of {seconds} s: use 30 to 10368000 s",),
            )
            for seconds in (29, 10_368_001)
        ),
        *(
            (
                {**ON_DEMAND, "maxRunDuration": {"seconds": 3600}, **action},
                None,
                "on-demand",
                faults,
            )
            for action, faults in (
                ({}, (NO_ACTION,)),
                ({"instanceTerminationAction": "STOP"}, ()),
                ({"instanceTerminationAction": UNKNOWN}, UNKNOWN),
            )
        ),
        (
            {"provisioningModel": "spot", "onHostMaintenance": "TERMINATE"},
            None,
            "on-demand",
            (
                (
                    "unknown provisioning model spot: "
                    "use FLEX_START, RESERVATION_BOUND, SPOT, STANDARD"
                ),
            ),
        ),
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


@pytest.mark.parametrize(
    ("type_", "accelerator", "count", "fault"),
    [
        ("g2-standard-4", "nvidia-l4", 1, ""),
        ("g2-standard-4", "nvidia-l4-vws", 1, ""),
        ("g2-standard-4", "nvidia-l4", 2, "g2-standard-4 has 1 of nvidia-l4, and 2 are named"),
        (
            "g2-standard-4",
            "zones/us-central1-b/acceleratorTypes/nvidia-tesla-a100",
            1,
            "g2-standard-4 has GPUs of type nvidia-l4, but its accelerator is nvidia-tesla-a100",
        ),
        ("a3-megagpu-8g", "nvidia-h100-mega-80gb", 8, ""),
        ("n2-standard-4", "nvidia-tesla-t4", 0, ""),
        (
            "e2-standard-4",
            "nvidia-tesla-t4",
            1,
            "e2-standard-4 takes no GPUs, and nvidia-tesla-t4 is attached",
        ),
        (
            "n1-standard-8",
            "nvidia-l4",
            1,
            "n1-standard-8 takes no nvidia-l4, which is built into other machine types",
        ),
        ("n1-standard-96", "nvidia-tesla-t4", 4, ""),
        (
            "n1-standard-96",
            "nvidia-tesla-t4",
            1,
            "n1-standard-96 has more than 48 vCPUs, the most with 1 nvidia-tesla-t4",
        ),
        (
            "custom-8-16384",
            "nvidia-tesla-t4-vws",
            3,
            "1, 2 or 4 nvidia-tesla-t4-vws may be attached, and not 3",
        ),
        ("n1-standard-8", "nvidia-tesla-k80", 3, ""),
    ],
)
def test_gpus_that_a_machine_type_does_not_take_are_refused(type_, accelerator, count, fault):
    attached = [{"type": accelerator, "count": count}]
    group = machine(machineType=type_, guestAccelerators=attached)
    assert faults_of(group.faults, "launch-settings") == ((fault,) if fault else ())


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


def test_what_no_resource_shows_is_said_by_name():
    usage = Usage(
        hours={"notebook": Decimal(10)},
        purpose={"notebook": "training"},
        checkpoints={"notebook": True},
        nvlink={"notebook": True},
        expected={"notebook": Decimal(1)},
    )
    (group,) = observe(stacks.open_machine().resources(), usage).groups
    assert (group.needs.hours, group.purpose, group.needs.checkpoints) == (
        Decimal(10),
        "training",
        True,
    )
    assert (group.needs.nvlink, group.needs.expected) == (True, Decimal(1))
