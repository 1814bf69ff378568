"""Which machines a resource asks for, and the words of Azure's refusals."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin.azure import machines
from gpuinfra.sandbox.plugin.azure.machines import MachinesInLocation
from gpuinfra.sandbox.plugin.cloud import MachineRequest
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.operation_context import OperationContext


def world(short: str, **inputs: Any) -> OperationContext:
    token = f"azure-native:{short}"
    call = Call(token, "x", f"urn:pulumi:dev::p::{token}::x", inputs, "eastus", lambda _: None)
    return OperationContext(call, lambda _: [], lambda _: False)


ND = "Standard_ND96isr_H100_v5"


@pytest.mark.parametrize(
    ("short", "inputs", "expected"),
    [
        (
            "compute:VirtualMachine",
            {"hardwareProfile": {"vmSize": ND}, "zones": ["1"], "location": "East US"},
            [(ND, ("eastus-1",), "on-demand", 1)],
        ),
        (
            "compute:VirtualMachine",
            {"hardwareProfile": {"vmSize": ND}, "priority": "Spot"},
            [(ND, (), "spot", 1)],
        ),
        (
            "compute:VirtualMachineScaleSet",
            {"sku": {"name": ND, "capacity": 4}, "zones": ["2"]},
            [(ND, ("eastus-2",), "on-demand", 4)],
        ),
        (
            "compute:VirtualMachineScaleSet",
            {
                "sku": {"name": ND, "capacity": 10},
                "virtualMachineProfile": {"priority": "Spot"},
                "priorityMixPolicy": {
                    "baseRegularPriorityCount": 2,
                    "regularPriorityPercentageAboveBase": 25,
                },
            },
            [(ND, (), "on-demand", 4), (ND, (), "spot", 6)],
        ),
        ("compute:VirtualMachineScaleSet", {"sku": {"name": ND, "capacity": 0}}, []),
        (
            "compute:CapacityReservation",
            {"sku": {"name": ND, "capacity": 2}, "zones": ["3"]},
            [(ND, ("eastus-3",), "on-demand", 2)],
        ),
        (
            "containerservice:AgentPool",
            {"vmSize": ND, "count": 3, "scaleSetPriority": "Spot", "availabilityZones": ["1"]},
            [(ND, ("eastus-1",), "spot", 3)],
        ),
        (
            "containerservice:ManagedCluster",
            {"agentPoolProfiles": [{"name": "a", "vmSize": ND, "count": 1}]},
            [(ND, (), "on-demand", 1)],
        ),
        ("network:VirtualNetwork", {}, []),
    ],
)
def test_machines_are_asked_for(short: str, inputs: dict[str, Any], expected: list[Any]) -> None:
    demands = machines.demands(world(short, **inputs))

    assert [
        (demand.machine, demand.zones, demand.capacity, demand.count)
        for demand in demands
        if isinstance(demand, MachinesInLocation)
    ] == expected


@pytest.mark.parametrize(
    ("demand", "code", "message"),
    [
        (
            MachinesInLocation(ND, (), "on-demand", "eastus", 2),
            "AllocationFailed",
            "in this region",
        ),
        (
            MachinesInLocation(ND, ("eastus-1",), "on-demand", "eastus", 2),
            "ZonalAllocationFailed",
            "in this zone",
        ),
        (
            MachinesInLocation(ND, ("eastus-1",), "spot", "eastus", 2),
            "SkuNotAvailable",
            f"{ND}' is currently not available in location 'eastus'",
        ),
    ],
)
def test_no_capacity_is_said_in_azures_words(
    demand: MachineRequest, code: str, message: str
) -> None:
    refusal = machines.no_capacity(demand)

    assert refusal.code == code
    assert message in refusal.message


@pytest.mark.parametrize(
    ("machine", "capacity", "count", "quota", "cores"),
    [
        (ND, "on-demand", 4, "standardNDSH100v5Family Cores", 384),
        ("Standard_ND96asr_v4", "on-demand", 1, "Standard NDASv4_A100 Family Cores", 96),
        ("Standard_NC24ads_A100_v4", "on-demand", 2, "StandardNCADSA100v4Family Cores", 48),
        ("Standard_NC4as_T4_v3", "on-demand", 1, "Standard NCASv3_T4 Family Cores", 4),
        ("Standard_D2s_v5", "on-demand", 1, "Total Regional Cores", 2),
        (ND, "spot", 1, "LowPriorityCores", 96),
    ],
)
def test_no_quota_names_the_family_and_the_cores(
    machine: str, capacity: str, count: int, quota: str, cores: int
) -> None:
    refusal = machines.no_quota(MachinesInLocation(machine, (), capacity, "eastus", count))

    assert refusal.code == "OperationNotAllowed"
    assert f"exceeding approved {quota} quota" in refusal.message
    assert (
        f"Location: eastus, Current Limit: 0, Current Usage: 0, Additional Required: {cores}"
        in (refusal.message)
    )
