"""A machine and the reservation that it runs in are paid once, in each order of an update."""

from dataclasses import replace

import pytest

from tests.crossguard.resources import (
    BUDGET,
    FIRST,
    GROUP,
    INSTANCE,
    MACHINE,
    SCHEDULE,
    TEMPLATE,
    capped,
    stands,
)
from tests.crossguard.wire import LATER

KEPT = "aws:ec2/capacityReservation:CapacityReservation"
HOURLY = 55.04
"""US dollars for an hour of one p5.48xlarge."""


def kept(count):
    return {
        "instanceType": "p5.48xlarge",
        "instanceCount": count,
        "instancePlatform": "Linux/UNIX",
    }


def inside(reservation="cr-1"):
    target = {"capacityReservationTarget": {"capacityReservationId": reservation}}
    return {**MACHINE, "capacityReservationSpecification": target}


def group(most, template="lt-1"):
    return {
        "minSize": 0,
        "maxSize": most,
        "launchTemplate": {"id": template},
        "availabilityZones": ["us-east-1a"],
    }


def under(engine, machines, **more):
    """A pack under a cap that so many machines fit, and no further one."""
    return engine(*BUDGET, **capped(HOURLY * machines + 5), **more)


def test_a_machine_that_comes_with_its_reservation(engine, standing):
    run = under(engine, 1)
    assert run.show(KEPT, "kept", kept(1)) == {}
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    assert run.show(INSTANCE, "a", inside()) == {}
    assert run.end() == {}
    assert "cap-per-hour" in run.show(INSTANCE, "b", inside())


def test_it_counts_once_at_a_preview_where_the_id_is_not_known(engine):
    run = under(engine, 1, dry_run=True)
    assert run.show(KEPT, "kept", kept(1)) == {}
    comes = {"sources": {"capacityReservationSpecification": "kept"}}
    assert run.show(INSTANCE, "a", inside(LATER), **comes) == {}
    assert run.end() == {}
    run.start()
    run.show(KEPT, "kept", kept(1))
    run.show(INSTANCE, "a", inside(LATER), **comes)
    run.show(INSTANCE, "b", inside(LATER), **comes)
    assert "cap-per-hour" in run.end()


def test_a_reservation_that_the_state_does_not_show_counts_beside_its_machine(engine, standing):
    run = under(engine, 1)
    run.show(KEPT, "kept", kept(1))
    (text,) = run.show(INSTANCE, "a", inside())["cap-per-hour"]
    assert "does not show whether cr-1 is a capacity reservation of this stack" in text
    assert "create the reservation in one update, and the machines in the next" in text
    run.show(INSTANCE, "b", inside())
    assert standing.reads == 2, "the state is searched once for the same reservation"


def test_one_of_another_stack_is_searched_for_once_and_is_no_reason_given(engine, standing):
    run = under(engine, 1)
    run.show(KEPT, "kept", kept(1))
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    (text,) = run.show(INSTANCE, "a", inside("cr-9"))["cap-per-hour"]
    assert "cr-9" not in text


def test_a_standing_reservation_is_filled(engine, standing):
    standing.append(stands(KEPT, "kept", kept(2), id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    run = under(engine, 2)
    assert run.show(INSTANCE, "b", inside()) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "c", inside())


def in_group(standing, count, most):
    standing.append(stands(KEPT, "kept", kept(count), id="cr-1"))
    standing.append(stands(TEMPLATE, "lt", inside(), id="lt-1", **FIRST))
    standing.append(stands(GROUP, "g", group(most), id="g"))


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (0, 2)])
def test_a_standing_group_grows_and_shrinks_within_a_standing_reservation(
    engine, standing, before, after
):
    in_group(standing, 2, before)
    run = under(engine, 2)
    assert run.show(KEPT, "kept", kept(2)) == {}
    assert run.show(TEMPLATE, "lt", inside()) == {}
    assert run.show(GROUP, "g", group(after)) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "further", MACHINE)


def test_a_schedule_lets_it_grow_within_it(engine, standing):
    in_group(standing, 2, 1)
    run = under(engine, 2)
    grows = {"autoscalingGroupName": "g", "minSize": 0, "maxSize": 2, "scheduledActionName": "s"}
    assert run.show(SCHEDULE, "s", grows) == {}
    assert "cap-per-hour" in run.show(SCHEDULE, "s", {**grows, "maxSize": 3})


@pytest.mark.parametrize(("machines", "refused"), [(5, False), (4, True)])
def test_a_group_is_replaced_after_its_schedule_shrank(engine, standing, machines, refused):
    """Its old machines fill the reservation as far as they still may run, and no further."""
    in_group(standing, 3, 1)
    schedule = {"autoscalingGroupName": "g", "minSize": 0, "maxSize": 3}
    standing.append(stands(SCHEDULE, "s", schedule, id="s"))
    standing[2] = replace(standing[2], replaced_on=("*",))
    run = under(engine, machines)
    assert run.show(SCHEDULE, "s", {**schedule, "maxSize": 1}) == {}

    assert bool(run.show(GROUP, "g", {**group(1), "tags": []})) is refused


def test_both_grow(engine, standing):
    in_group(standing, 1, 1)
    run = under(engine, 2)
    assert run.show(KEPT, "kept", kept(2)) == {}
    assert run.show(GROUP, "g", group(2)) == {}


def test_a_machine_is_replaced_within_a_reservation_that_has_room(engine, standing):
    standing.append(stands(KEPT, "kept", kept(2), id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    assert under(engine, 2).show(INSTANCE, "a", {**inside(), "ami": "ami-2"}) == {}


def test_machines_that_move_into_a_new_reservation_run_beside_it_until_then(engine, standing):
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    standing.append(stands(GROUP, "g", group(1), id="g"))
    run = under(engine, 2)
    assert run.show(KEPT, "kept", kept(1)) == {}
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    assert run.show(TEMPLATE, "lt", inside()) == {}
    assert run.show(GROUP, "g", group(1)) == {}
    (text,) = run.show(INSTANCE, "further", MACHINE)["cap-per-hour"]
    assert text.startswith("further adds $55.04 an hour to $110.08")


def test_a_machine_that_a_preview_leaves_out_fills_no_reservation(engine, standing):
    """Its own price is unknown until the update, so nothing is counted in its place."""
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    run = under(engine, 1, dry_run=True)
    assert run.show(KEPT, "kept", kept(1)) == {}
    assert run.show(INSTANCE, "a", {**inside(), "rootBlockDevice": {"volumeSize": LATER}}) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "b", MACHINE)


def test_a_machine_that_moves_says_why_it_counts_beside_the_reservation(engine, standing):
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    (text,) = under(engine, 1).show(INSTANCE, "a", MACHINE)["cap-per-hour"]
    assert "kept and the machines that move into or out of it both count" in text


def test_a_machine_that_comes_into_a_full_reservation_does_not_move(engine, standing):
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    (text,) = under(engine, 1).show(INSTANCE, "b", inside())["cap-per-hour"]
    assert "move into or out of it" not in text


def test_a_machine_is_replaced_by_one_in_a_reservation(engine, standing):
    """The old one runs beside the reservation until it is deleted."""
    standing.append(stands(KEPT, "kept", kept(2), id="cr-1"))
    standing.append(stands(INSTANCE, "a", MACHINE, id="i-1"))
    moved = {**inside(), "ami": "ami-2"}
    run = under(engine, 3)
    assert run.show(INSTANCE, "a", moved) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "further", MACHINE)


def test_a_group_is_replaced_after_its_template_moved_into_a_reservation(engine, standing):
    latest = {**group(1), "launchTemplate": {"id": "lt-1", "version": "$Latest"}}
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    standing.append(replace(stands(GROUP, "g", latest, id="g"), replaced_on=("*",)))
    run = under(engine, 2)
    assert run.show(TEMPLATE, "lt", inside()) == {}
    assert run.show(GROUP, "g", {**latest, "tags": []}) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "further", MACHINE)


@pytest.mark.parametrize(("machines", "refused"), [(3, False), (2, True)])
def test_a_machine_runs_in_a_reservation_that_waits_for_its_delete(
    engine, standing, machines, refused
):
    standing.append(replace(stands(KEPT, "kept", kept(2), id="cr-1"), awaits_deletion=True))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    assert bool(under(engine, machines).show(INSTANCE, "b", MACHINE)) is refused


@pytest.mark.parametrize(("machines", "refused"), [(3, False), (2, True)])
def test_a_machine_that_waits_for_its_delete_stays_in_a_reservation_that_is_replaced(
    engine, standing, machines, refused
):
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    standing.append(replace(stands(INSTANCE, "a", inside(), id="i-1"), awaits_deletion=True))
    elsewhere = {**kept(1), "ebsOptimized": True}
    assert bool(under(engine, machines).show(KEPT, "kept", elsewhere)) is refused


def test_a_reservation_that_waits_for_its_delete_is_paid_once_its_machine_leaves_it(
    engine, standing
):
    standing.append(replace(stands(KEPT, "kept", kept(1), id="cr-1"), awaits_deletion=True))
    standing.append(stands(KEPT, "kept", kept(1), id="cr-2"))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    assert under(engine, 2).show(INSTANCE, "a", inside()) == {}
    assert "cap-per-hour" in under(engine, 2).show(INSTANCE, "a", MACHINE)


@pytest.mark.parametrize(("machines", "refused"), [(6, False), (5, True)])
def test_a_group_moves_from_a_replaced_reservation_that_had_room_for_one(
    engine, standing, machines, refused
):
    in_group(standing, 1, 3)
    elsewhere = {**kept(3), "endDateType": "limited", "ebsOptimized": True}
    run = under(engine, machines)
    assert bool(run.show(KEPT, "kept", elsewhere)) is refused
    if refused:
        return
    standing[0] = stands(KEPT, "kept", elsewhere, id="cr-2")
    assert run.show(TEMPLATE, "lt", inside("cr-2")) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "further", MACHINE)


def test_what_a_machine_changed_half_way_runs_in_is_not_known(engine, standing):
    standing.append(stands(KEPT, "kept", kept(1), id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside(), id="i-1"))
    standing.append(
        replace(stands(INSTANCE, "a", MACHINE, id="i-1"), pending_operation="updating")
    )
    assert "cap-per-hour" in under(engine, 2).show(INSTANCE, "b", MACHINE)


GCP_KEPT = "gcp:compute/reservation:Reservation"
GCP_MACHINE = "gcp:compute/instance:Instance"


def reserved_in_google(count):
    machine = {"machineType": "a3-highgpu-8g"}
    return {
        "name": "kept",
        "zone": "us-central1-a",
        "specificReservationRequired": True,
        "specificReservation": {"count": count, "instanceProperties": machine},
    }


def in_google(name):
    where = {"key": "compute.googleapis.com/reservation-name", "values": ["kept"]}
    affinity = {"type": "SPECIFIC_RESERVATION", "specificReservation": where}
    return {
        "name": name,
        "zone": "us-central1-a",
        "machineType": "a3-highgpu-8g",
        "reservationAffinity": affinity,
    }


def test_a_standing_reservation_of_google_cloud_is_filled(engine, standing):
    standing.append(stands(GCP_KEPT, "kept", reserved_in_google(2), id="kept"))
    standing.append(stands(GCP_MACHINE, "a", in_google("a"), id="a"))
    run = engine(*BUDGET, **capped(2 * 88.49 + 5))
    assert run.show(GCP_KEPT, "kept", reserved_in_google(2)) == {}
    assert run.show(GCP_MACHINE, "b", in_google("b")) == {}
    assert "cap-per-hour" in run.show(GCP_MACHINE, "c", in_google("c"))


AZURE = "azure-native:compute:"
SIZE = "Standard_ND96isr_H100_v5"
PLACE = {"resourceGroupName": "rg", "location": "eastus", "zones": ["1"]}
NAMED = {**PLACE, "capacityReservationGroupName": "kept"}
GROUP_ID = (
    "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/capacityReservationGroups/kept"
)


def reserved_in_azure(name, count):
    return {**NAMED, "capacityReservationName": name, "sku": {"name": SIZE, "capacity": count}}


def in_azure(name):
    return {
        **PLACE,
        "vmName": name,
        "hardwareProfile": {"vmSize": SIZE},
        "capacityReservation": {"capacityReservationGroup": {"id": GROUP_ID}},
        "storageProfile": {"osDisk": {"createOption": "FromImage", "diskSizeGB": 64}},
    }


def stands_in_azure(kind, name, inputs, path=""):
    return stands(f"{AZURE}{kind}", name, inputs, {}, "eastus", id=f"{GROUP_ID}{path}")


def test_a_standing_reservation_of_azure_is_filled(engine, standing):
    standing.append(stands_in_azure("CapacityReservationGroup", "kept", NAMED))
    standing.append(stands_in_azure("CapacityReservation", "r", reserved_in_azure("r", 2), "/r"))
    standing.append(stands_in_azure("VirtualMachine", "a", in_azure("a"), "/a"))
    run = engine(*BUDGET, **capped(2 * 98.32 + 5))
    assert run.show(f"{AZURE}CapacityReservation", "r", reserved_in_azure("r", 2)) == {}
    assert run.show(f"{AZURE}VirtualMachine", "b", in_azure("b")) == {}
    assert "cap-per-hour" in run.show(f"{AZURE}VirtualMachine", "c", in_azure("c"))


def test_a_standing_reservation_of_azure_is_filled_by_a_node_pool(engine, standing):
    standing.append(stands_in_azure("CapacityReservationGroup", "kept", NAMED))
    standing.append(stands_in_azure("CapacityReservation", "r", reserved_in_azure("r", 2), "/r"))
    run = engine(*BUDGET, **capped(2 * 98.32 + 5))
    container = "azure-native:containerservice:"
    cluster = {
        "resourceGroupName": "rg",
        "location": "eastus",
        "resourceName": "aks",
        "identity": {"type": "UserAssigned", "userAssignedIdentities": ["i"]},
        "networkProfile": {"outboundType": "userDefinedRouting"},
    }
    pool = {
        **PLACE,
        "resourceName": "aks",
        "vmSize": SIZE,
        "availabilityZones": ["1"],
        "capacityReservationGroupID": GROUP_ID,
        "upgradeSettings": {"maxSurge": "0"},
    }
    assert run.show(f"{AZURE}CapacityReservation", "r", reserved_in_azure("r", 2)) == {}
    assert run.show(f"{container}ManagedCluster", "aks", cluster) == {}
    for name, refuses in (("a", False), ("b", False), ("c", True)):
        inputs = {**pool, "agentPoolName": name, "count": 1}
        assert ("cap-per-hour" in run.show(f"{container}AgentPool", name, inputs)) is refuses


def test_a_reservation_before_another_one_of_azure_shrinks_at_the_end(engine, standing):
    standing.append(stands_in_azure("CapacityReservationGroup", "kept", NAMED))
    for name, count in (("r", 2), ("s", 1)):
        inputs = reserved_in_azure(name, count)
        standing.append(stands_in_azure("CapacityReservation", name, inputs, f"/{name}"))
    for name in "ab":
        standing.append(stands_in_azure("VirtualMachine", name, in_azure(name), f"/{name}"))
    run = engine(*BUDGET, **capped(3 * 98.32 + 5))
    assert run.show(f"{AZURE}CapacityReservation", "r", reserved_in_azure("r", 1)) == {}
    assert "cap-per-hour" in run.show(
        f"{AZURE}VirtualMachine", "c", {**in_azure("c"), "zones": []}
    )
