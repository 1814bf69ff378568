"""Sizes in any case, and what scale sets say of zones and overprovisioning by their mode."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.machines import size_name
from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Group, Usage, faults_of
from tests.rules.cases import azure_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import findings, of_resources

BIG = "Standard_ND96isr_H100_v5"
TRAINS = Usage(purpose={"ss": "training"})


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("standard_nd96isr_h100_V5", BIG),
        (BIG, BIG),
        ("STANDARD_NC4AS_T4_V3", "Standard_NC4as_T4_v3"),
        ("Standard_Of_My_Own", "Standard_Of_My_Own"),
    ],
)
def test_a_size_is_spelled_as_the_tables_do(written, known):
    assert size_name(written) == known


def trainers(size: str = BIG, **inputs: Any) -> Group:
    program = AzureProgram()
    given = {"orchestrationMode": None, "platformFaultDomainCount": None, **inputs}
    azure_stacks.scale_set(program, "ss", sku={"name": size, "capacity": 4}, **given)
    (group,) = observe(program.resources(), TRAINS).groups
    return group


def test_a_scale_set_of_a_size_in_another_case_is_judged_and_priced_as_it_is():
    alike = trainers("standard_nd96isr_h100_V5", singlePlacementGroup=True)
    assert alike == trainers(singlePlacementGroup=True)
    assert alike.fabric is not None
    program = AzureProgram()
    azure_stacks.scale_set(program, "ss", sku={"name": BIG.upper(), "capacity": 1})
    (finding,) = findings(of_resources(program.resources()), "price-unknown")
    assert finding.outcome == "fine"


def test_machines_alone_and_pools_and_reservations_are_spelled_too():
    program = AzureProgram()
    add = program.add
    token = "azure-native:containerservice:ManagedCluster"
    small, known = "STANDARD_NC4AS_T4_V3", "Standard_NC4as_T4_v3"
    add(token, "aks", agentPoolProfiles=[{"name": "gpus", "vmSize": small}])
    home = add("azure-native:compute:CapacityReservationGroup", "kept")
    add(
        "azure-native:compute:CapacityReservation",
        "kept",
        capacityReservationGroupName=home.out("name"),
        sku={"name": small.lower(), "capacity": 3},
    )
    add(
        "azure-native:compute:VirtualMachine",
        "vm",
        hardwareProfile={"vmSize": small},
        capacityReservation={"capacityReservationGroup": {"id": home.id}},
    )
    groups = {group.name: group for group in observe(program.resources()).groups}
    assert {group.rung.machine for group in groups.values()} == {known}
    assert groups["kept"].maximum == 2


@pytest.mark.parametrize("size", [BIG, BIG.lower()])
def test_single_machines_that_stand_close_find_each_other_in_any_case(size):
    program = AzureProgram()
    near = program.add("azure-native:compute:ProximityPlacementGroup", "near")
    for name in ("one", "two"):
        program.add(
            "azure-native:compute:VirtualMachine",
            name,
            hardwareProfile={"vmSize": size},
            proximityPlacementGroup={"id": near.id},
        )
    groups = observe(program.resources()).groups
    assert [group.fabric is not None for group in groups] == [True, True]


@pytest.mark.parametrize(
    ("inputs", "one_zone"),
    [
        ({"singlePlacementGroup": False}, False),
        ({"singlePlacementGroup": True}, True),
        ({"singlePlacementGroup": UNKNOWN}, UNKNOWN),
        ({"singlePlacementGroup": False, "zones": ["1"]}, True),
    ],
)
def test_no_zone_is_known_of_machines_that_nothing_keeps_together(inputs, one_zone):
    fabric = trainers(**inputs).fabric
    assert fabric is not None
    assert fabric.one_zone is one_zone


@pytest.mark.parametrize(
    ("mode", "overprovision", "expected"),
    [
        ("Uniform", None, True),
        (None, None, True),
        ("Uniform", False, False),
        ("Flexible", None, False),
        ("Flexible", True, False),
    ],
)
def test_only_a_uniform_set_overprovisions(mode, overprovision, expected):
    fabric = trainers(orchestrationMode=mode, overprovision=overprovision).fabric
    assert fabric is not None
    faults = faults_of(fabric.faults, "fabric-scale-set")
    words = () if faults is UNKNOWN or faults is None else faults
    assert any("overprovisions" in word for word in words) is expected
