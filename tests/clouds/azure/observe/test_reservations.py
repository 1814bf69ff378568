"""Capacity that Azure keeps for a stack, and the scale sets that grow within it: paid once."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import Index
from gpuinfra.clouds.azure.observe.machines.reserved_machines import occupancy
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import TODAY, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment

SIZE = "Standard_NC4as_T4_v3"


def priced(
    *kept: Any,
    moment: Moment = "created",
    capacity: Any = 0,
    scaled: tuple[Any, Any] | None = None,
    enabled: bool = True,
    nightly: bool = False,
    usage: Usage | None = None,
    **changes: Any,
) -> Quote:
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    for number, count in enumerate(kept):
        program.add(
            "azure-native:compute:CapacityReservation",
            f"kept{number}",
            capacityReservationGroupName=group.out("name"),
            sku={"name": SIZE, "capacity": count},
        )
    profile = {
        "capacityReservation": {"capacityReservationGroup": {"id": group.id}},
        **changes.pop("profile", {}),
    }
    sku = {"name": SIZE, "capacity": capacity}
    servers = stacks.scale_set(program, profile=profile, sku=sku, **changes)
    if scaled is not None:
        least, most = scaled
        limits = {"minimum": least, "maximum": most, "default": least}
        none = {"minimum": "0", "maximum": "0", "default": "0"}
        night = {"name": "night", "capacity": none, "recurrence": {"frequency": "Week"}}
        program.add(
            "azure-native:monitor:AutoscaleSetting",
            "scale",
            enabled=enabled,
            targetResourceUri=servers.id,
            profiles=[{"name": "load", "capacity": limits, "rules": []}, *([night] * nightly)],
        )
    return estimate(
        of_resources(program.resources(moment), usage=usage), PricingTerms(as_of=TODAY)
    )


def paid(quote: Quote, figure: str = "per_hour") -> Decimal:
    """What the machines of the stack cost, in machines."""
    lines = [line for line in quote.lines if line.item == SIZE]
    return sum((getattr(line, figure) for line in lines), Decimal(0)) / (lines[0].rate or 1)


@both
@pytest.mark.parametrize(
    ("kept", "inputs", "surely", "most"),
    [
        ((4,), {"scaled": ("0", "4")}, 4, 4),
        ((4,), {"scaled": ("1", "4")}, 4, 4),
        ((4,), {"scaled": ("4", "4")}, 4, 4),
        ((4,), {"scaled": ("0", "4"), "capacity": 2}, 4, 4),
        ((8,), {"scaled": ("0", "4")}, 8, 8),
        ((4,), {"scaled": ("0", "6")}, 4, 6),
        ((4,), {"scaled": ("5", "6")}, 5, 6),
        ((4, 4), {"scaled": ("0", "6")}, 8, 8),
        ((2, 2), {"scaled": ("1", "6")}, 4, 6),
        ((4,), {"scaled": ("0", "4"), "enabled": False}, 4, 4),
        ((4,), {"capacity": 4}, 4, 4),
        ((4,), {"scaled": ("0", "4"), "zones": ["1"]}, 4, 8),
    ],
    ids=str,
)
def test_what_is_kept_and_a_scale_set_that_grows_within_it_are_paid_once(
    moment: Moment, kept: tuple[int, ...], inputs: dict[str, Any], surely: int, most: int
) -> None:
    quote = priced(*kept, moment=moment, **inputs)

    assert paid(quote) == most
    assert paid(quote, "minimum_per_hour") == surely


def test_a_scale_set_of_an_unknown_maximum_takes_only_its_minimum() -> None:
    lines = {line.name: line for line in priced(4, scaled=("1", UNKNOWN)).lines}

    assert lines["kept0"].quantity == 3


def test_a_machine_that_ends_leaves_its_place_in_it_paid_for() -> None:
    usage = Usage(ends_after={"servers": Decimal(10)})
    quote = priced(4, usage=usage, capacity=4, scaled=("0", "4"), nightly=True)

    assert paid(quote, "per_month") == 4 * 730


OWN = {"type": "UserAssigned", "userAssignedIdentities": ["aks"]}
SYSTEM = {"name": "system", "vmSize": "Standard_D4s_v3", "count": 1}


def in_cluster(
    moment: Moment, pool: dict[str, Any], *, alone: bool, identity: Any = OWN, kept: int = 4
) -> Quote:
    """A node pool, a resource of its own or a part of its cluster, that names a reservation."""
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    program.add(
        "azure-native:compute:CapacityReservation",
        "kept0",
        capacityReservationGroupName=group.out("name"),
        sku={"name": SIZE, "capacity": kept},
    )
    spec = {
        "vmSize": SIZE,
        "count": 4,
        "capacityReservationGroupID": group.id,
        "upgradeSettings": {"maxSurge": "0"},
        **pool,
    }
    parts = [SYSTEM] if alone else [SYSTEM, {"name": "gpu", **spec}]
    cluster = program.add(
        "azure-native:containerservice:ManagedCluster",
        "aks",
        identity=identity,
        agentPoolProfiles=parts,
    )
    if alone:
        token = "azure-native:containerservice:AgentPool"
        program.add(token, "gpu", resourceName=cluster.out("name"), agentPoolName="gpu", **spec)
    return estimate(of_resources(program.resources(moment)), PricingTerms(as_of=TODAY))


@both
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(
    ("pool", "surely", "most"),
    [
        ({}, 4, 4),
        ({"count": 6}, 6, 6),
        ({"count": 1}, 4, 4),
        ({"enableAutoScaling": True, "minCount": 0, "maxCount": 4}, 4, 4),
        ({"availabilityZones": ["1"]}, 8, 8),
        ({"capacityReservationGroupID": None}, 8, 8),
        ({"vmSize": "Standard_NC8as_T4_v3"}, 4, 4),
        ({"scaleSetPriority": "Spot"}, 8, 8),
    ],
    ids=str,
)
def test_what_is_kept_and_a_node_pool_in_it_are_paid_once(
    moment: Moment, alone: bool, pool: dict[str, Any], surely: int, most: int
) -> None:
    quote = in_cluster(moment, pool, alone=alone)

    assert paid(quote) == most
    assert paid(quote, "minimum_per_hour") == surely


@both
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("identity", [None, {"type": "SystemAssigned"}, {"type": UNKNOWN}])
def test_a_cluster_without_an_identity_of_the_users_own_may_run_beside_it(
    moment: Moment, alone: bool, identity: Any
) -> None:
    assert paid(in_cluster(moment, {}, alone=alone, identity=identity)) == 8


def test_a_cluster_with_two_pools_in_it_uses_it_by_both() -> None:
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    named = {"vmSize": SIZE, "capacityReservationGroupID": group.id}
    program.add(
        "azure-native:containerservice:ManagedCluster",
        "aks",
        identity=OWN,
        agentPoolProfiles=[{"name": "a", "count": 1, **named}, {"name": "b", "count": 2, **named}],
    )
    kept = program.add(
        "azure-native:compute:CapacityReservation",
        "kept0",
        capacityReservationGroupName=group.out("name"),
        sku={"name": SIZE, "capacity": 4},
    )
    index = Index(program.resources())
    (reservation,) = [each for each in index if each.urn == kept.urn]

    assert list(occupancy(reservation, index).machines.values()) == [3]
