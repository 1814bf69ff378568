"""Settings that Azure refuses with the purchase option of machines, fleets and nodes."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.azure.observe.groups import T4
from tests.rules.cases.azure_program import AzureProgram

MACHINE = "azure-native:compute:VirtualMachine"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
FLEET = "azure-native:azurefleet:Fleet"
SPOT = {"priority": "Spot", "evictionPolicy": "Delete"}
SPOT_NODES = {"vmSize": T4, "scaleSetPriority": "Spot"}


def faults(program: AzureProgram, rule: str = "spot-settings") -> Any:
    (group,) = observe(program.resources()).groups
    return faults_of(group.faults, rule)


def machine(**inputs: Any) -> AzureProgram:
    program = AzureProgram()
    program.add(MACHINE, "box", **{"hardwareProfile": {"vmSize": T4}, **inputs})
    return program


def scale_set(**profile: Any) -> AzureProgram:
    program = AzureProgram()
    program.add(SCALE_SET, "set", sku={"name": T4, "capacity": 2}, virtualMachineProfile=profile)
    return program


def pool(**inputs: Any) -> AzureProgram:
    program = AzureProgram()
    program.add("azure-native:containerservice:AgentPool", "pool", count=1, **inputs)
    return program


def price(amount: Any) -> dict[str, Any]:
    return {"billingProfile": {"maxPrice": amount}}


REGULAR_PRICE = "a maximum price of 0.5 on regular machines: only spot machines have one"


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (SPOT, ()),
        ({**SPOT, **price(-1)}, ()),
        ({**SPOT, **price("-1")}, ()),
        ({**SPOT, **price(0.5)}, ()),
        ({**SPOT, **price(0)}, ("a maximum price of 0: use -1, or an amount above zero",)),
        ({**SPOT, **price(-2)}, ("a maximum price of -2: use -1, or an amount above zero",)),
        (
            {**SPOT, **price("a lot")},
            ("a maximum price of a lot: use -1, or an amount above zero",),
        ),
        ({**SPOT, **price("NaN")}, ("a maximum price of NaN: use -1, or an amount above zero",)),
        (price(0.5), (REGULAR_PRICE,)),
        ({"priority": "Regular", **price("0.5")}, (REGULAR_PRICE,)),
        (price(-1), ()),
        (price(UNKNOWN), ()),
        ({"priority": "spot"}, ()),
        ({"priority": "Low"}, ()),
        ({"priority": "Cheap"}, ("unknown priority Cheap: use Regular or Spot",)),
        (
            {**SPOT, "capacityReservation": {"capacityReservationGroup": {"id": "g"}}},
            ("capacity reservation and priority: Spot: Azure does not reserve spot machines",),
        ),
        ({"capacityReservation": {"capacityReservationGroup": {"id": "g"}}}, ()),
    ],
)
def test_the_maximum_price_and_the_priority_of_machines(inputs, expected):
    assert faults(machine(**inputs)) == faults(scale_set(**inputs)) == expected


@pytest.mark.parametrize(
    ("size", "priority", "refused"),
    [
        ("Standard_B2s", "Spot", True),
        ("Standard_B4als_v2", "Spot", True),
        ("standard_b2s", "Spot", True),
        ("Standard_NC6_Promo", "Spot", True),
        ("Standard_B2s", "Regular", False),
        ("Standard_D2s_v5", "Spot", False),
        (T4, "Spot", False),
    ],
)
def test_sizes_that_are_never_sold_as_spot(size, priority, refused):
    found = faults(machine(hardwareProfile={"vmSize": size}, priority=priority))
    assert bool(found) is refused
    assert all("is not sold as spot: choose another size" in fault for fault in found)


@pytest.mark.parametrize(
    ("inputs", "word"),
    [
        ({**SPOT_NODES, "mode": "User", "spotMaxPrice": -1}, ""),
        ({**SPOT_NODES, "spotMaxPrice": 0.4}, ""),
        ({**SPOT_NODES, "mode": "System"}, "AKS refuses spot nodes in a system pool"),
        ({**SPOT_NODES, "mode": UNKNOWN}, None),
        ({**SPOT_NODES, "spotMaxPrice": 0}, "a maximum price of 0"),
        ({**SPOT_NODES, "capacityReservationGroupID": "g"}, "does not reserve spot machines"),
        ({"vmSize": T4, "mode": "System"}, ""),
        ({"vmSize": T4, "spotMaxPrice": -1}, ""),
        ({"vmSize": T4, "spotMaxPrice": 0.5}, "on regular machines"),
    ],
)
def test_the_purchase_settings_of_nodes(inputs, word):
    found = faults(pool(**inputs))
    if word is None:
        assert found is UNKNOWN
    else:
        assert (len(found), word in "".join(found)) == (bool(word), True)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ({"maxPricePerVM": -1}, ()),
        ({"maxPricePerVM": 0}, ("a maximum price of 0: use -1, or an amount above zero",)),
    ],
)
def test_the_maximum_price_of_a_fleet(profile, expected):
    program = AzureProgram()
    spot = {"capacity": 2, **profile}
    program.add(FLEET, "fleet", vmSizesProfile=[{"name": T4}], spotPriorityProfile=spot)
    assert faults(program) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("Delete", ()),
        ("deallocate", ()),
        ("Stop", ("unknown eviction policy Stop: use Deallocate or Delete",)),
    ],
)
def test_the_eviction_policy_of_spot_machines_has_two_values(policy, expected):
    fleet = AzureProgram()
    spot = {"capacity": 2, "evictionPolicy": policy}
    fleet.add(FLEET, "fleet", vmSizesProfile=[{"name": T4}], spotPriorityProfile=spot)
    for program in (
        fleet,
        machine(priority="Spot", evictionPolicy=policy),
        pool(**SPOT_NODES, scaleSetEvictionPolicy=policy),
    ):
        assert faults(program, "eviction-policy") == expected


@pytest.mark.parametrize(
    ("size", "kind", "refused"),
    [
        (T4, "ConfidentialVM", True),
        ("Standard_D2as_v5", "ConfidentialVM", True),
        ("Standard_NC24ads_A100_v4", "ConfidentialVM", True),
        ("Standard_NCC40ads_H100_v5", "ConfidentialVM", False),
        ("standard_dc4as_v5", "ConfidentialVM", False),
        ("Standard_EC4ads_v6", "ConfidentialVM", False),
        (T4, "TrustedLaunch", False),
        (T4, UNKNOWN, False),
    ],
)
def test_machines_are_confidential_where_their_size_can_be(size, kind, refused):
    program = machine(hardwareProfile={"vmSize": size}, securityProfile={"securityType": kind})
    words = "does not support the security type ConfidentialVM"
    assert any(words in fault for fault in faults(program, "launch-settings")) is refused
