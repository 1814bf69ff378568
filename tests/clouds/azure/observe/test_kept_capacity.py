"""Capacity that is kept is paid once, beside the machines that do not use it."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from tests.clouds.azure.observe.groups import A100, T4, machine
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both


def keep(program: AzureProgram, name: str, group: Any, capacity: int = 2) -> Any:
    return program.add(
        "azure-native:compute:CapacityReservation",
        name,
        capacityReservationGroupName=group.out("name"),
        sku={"name": T4, "capacity": capacity},
    )


@both
def test_kept_capacity_is_paid_once(moment):
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    keep(program, "first", group, 4)
    keep(program, "second", group, 4)
    assert [group.maximum for group in observe(program.resources(moment)).groups] == [4, 4]
    reserved = {"capacityReservation": {"capacityReservationGroup": {"id": group.id}}}
    sku = {"name": T4, "capacity": 5}
    stacks.scale_set(program, profile=reserved, sku=sku)
    groups = {group.name: group.maximum for group in observe(program.resources(moment)).groups}
    assert groups == {"second": 3, "servers": 5}


def test_capacity_of_another_size_is_paid_beside_the_machines():
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    keep(program, "first", group, 4)
    reserved = {"capacityReservation": {"capacityReservationGroup": {"id": group.id}}}
    machine(program, hardwareProfile={"vmSize": A100}, **reserved)
    assert [group.maximum for group in observe(program.resources()).groups] == [4, 1]


@both
@pytest.mark.parametrize(
    "inputs",
    [
        {"zones": ["2"]},
        {"zones": ["1", "2"]},
        {"zones": []},
        {"priority": "Spot", "billingProfile": {"maxPrice": -1}},
    ],
)
def test_machines_of_another_zone_or_priority_use_no_kept_capacity(moment, inputs):
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    program.change(keep(program, "first", group, 4), zones=["1"])
    reserved = {"capacityReservation": {"capacityReservationGroup": {"id": group.id}}}
    machine(program, **{"zones": ["1"], **reserved, **inputs})
    assert [group.maximum for group in observe(program.resources(moment)).groups] == [4, 1]
    machine(program, "other", zones=["1"], **reserved)
    assert [group.maximum for group in observe(program.resources(moment)).groups] == [3, 1, 1]
