"""Fabric, spot and security rules on raw Azure resources of strangers."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.rules import RULES
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.apart import APART
from tests.rules.cases.azure_cluster import cluster
from tests.rules.cases.azure_faults import BROKEN, HIDDEN, Break, near_but_apart, profile
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.faults import changed, seen
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both

ALWAYS_FINE = {
    *("fabric-self-ingress", "fabric-self-egress", "fabric-interfaces"),
    *("metadata-v2", "disk-encrypted"),
}
"""Azure filters no InfiniBand, asks a header of every metadata request, encrypts every disk."""

NOT_ASKED = {
    *("nvlink", "gpu-maintenance", "fabric-cards", "fabric-networks", "fabric-placement"),
    *("fabric-one-type", "fabric-driver", "shared-storage-zone"),
}


def test_every_rule_about_machines_has_a_broken_and_a_hidden_case():
    about = {rule.id for rule in RULES if rule.family in {"fabric", "security"}}
    judging = (
        {rule for rule in about if not rule.startswith(("bucket", *APART))}
        - NOT_ASKED
        - ALWAYS_FINE
    )
    assert set(BROKEN) == set(HIDDEN) == judging | {"spot-settings", "eviction-policy"}


@both
@pytest.mark.parametrize("rule", [*BROKEN, *sorted(ALWAYS_FINE)])
def test_a_good_cluster_is_fine(rule, moment):
    assert outcomes(seen(cluster(), moment), rule) == ["fine"]


@both
@pytest.mark.parametrize("rule", BROKEN)
def test_one_broken_thing_violates_its_rule(rule, moment):
    case = cluster()
    spoil, words = BROKEN[rule]
    spoil(case)
    (finding,) = findings(seen(case, moment), rule)
    assert finding.outcome == "violated"
    assert words in finding.message
    assert finding.subject == case.scaling.urn
    assert finding.fix


@pytest.mark.parametrize("rule", HIDDEN)
def test_what_is_hidden_is_not_knowable_and_refuses(rule):
    case = cluster()
    HIDDEN[rule](case)
    (finding,) = findings(seen(case), rule)
    assert finding.outcome == "not-knowable"
    assert finding.refuses


def test_azure_asks_nothing_about_host_maintenance():
    assert outcomes(seen(cluster()), "gpu-maintenance") == ["not-applicable"]


FAULTS: dict[str, tuple[Break, str]] = {
    "overprovisioning by default": (changed("scaling", overprovision=None), "overprovisions"),
    "too many": (
        changed("scaling", sku={"name": "Standard_ND96isr_H100_v5", "capacity": 101}),
        "101 machines: a single placement group holds at most 100",
    ),
    "capacity reservation": (
        profile(capacityReservation={"capacityReservationGroup": {"id": "/by/hand"}}),
        "reservation can't be in a single placement group",
    ),
    "proximity is no placement group": (near_but_apart, "several placement groups"),
}


@both
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_words(fault, moment):
    case = cluster()
    spoil, words = FAULTS[fault]
    spoil(case)
    (finding,) = findings(seen(case, moment), "fabric-scale-set")
    assert finding.outcome == "violated"
    assert words in finding.message


@pytest.mark.parametrize("count", [None, 1, 5, UNKNOWN])
@pytest.mark.parametrize("zones", [None, ["1"]])
def test_fault_domains_do_not_tear_a_fabric_apart(count, zones):
    case = cluster()
    case.program.change(case.scaling, platformFaultDomainCount=count, zones=zones)
    assert outcomes(seen(case), "fabric-scale-set") == ["fine"]


def test_one_placement_group_without_a_zone_is_one_zone():
    case = cluster()
    case.program.change(case.scaling, zones=None)
    assert outcomes(seen(case), "fabric-one-zone") == ["fine"]


def near(program: AzureProgram, name: str, **more: Any) -> None:
    program.add(
        "azure-native:compute:VirtualMachine",
        name,
        hardwareProfile={"vmSize": "Standard_ND96isr_H100_v5"},
        networkProfile={"networkInterfaces": []},
        proximityPlacementGroup={"id": "/subscriptions/s/near"},
        **more,
    )


@both
def test_two_lone_machines_never_form_a_fabric(moment):
    program = AzureProgram()
    near(program, "one")
    assert outcomes(of_resources(program.resources(moment)), "fabric-scale-set") == [
        "not-applicable"
    ]
    near(program, "two")
    judged = findings(of_resources(program.resources(moment)), "fabric-scale-set")
    assert [finding.outcome for finding in judged] == ["violated", "violated"]
    assert "outside a scale set" in judged[0].message


@pytest.mark.parametrize("place", ["availabilitySet", "virtualMachineScaleSet"])
def test_machines_that_share_a_set_may_share_a_fabric(place):
    program = AzureProgram()
    for name in ("one", "two"):
        near(program, name, **{place: {"id": "/subscriptions/s/set"}})
    seen = outcomes(of_resources(program.resources()), "fabric-scale-set")
    assert seen == ["not-knowable", "not-knowable"]


SPOT: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "terminate notification": (
        {},
        {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True}}},
        "terminateNotificationProfile is on and the priority is Spot",
    ),
    "a mix in a uniform set": (
        {
            "orchestrationMode": "Uniform",
            "priorityMixPolicy": {"baseRegularPriorityCount": 1},
        },
        {},
        "requires orchestrationMode: Flexible",
    ),
}


@both
@pytest.mark.parametrize("case", SPOT)
def test_settings_that_azure_refuses_with_spot(case, moment):
    inputs, parts, words = SPOT[case]
    program = AzureProgram()
    stacks.scale_set(program, profile={"priority": "Spot", **parts}, **inputs)
    (finding,) = findings(of_resources(program.resources(moment)), "spot-settings")
    assert finding.outcome == "violated"
    assert words in finding.message


def test_a_spot_machine_in_an_availability_set():
    program = AzureProgram()
    near(program, "one", priority="Spot", availabilitySet={"id": "/subscriptions/s/set"})
    (finding,) = findings(of_resources(program.resources()), "spot-settings")
    assert finding.outcome == "violated"
    assert "availabilitySet and priority: Spot" in finding.message


@both
def test_spot_with_an_eviction_policy_is_fine(moment):
    program = AzureProgram()
    stacks.scale_set(program, profile={"priority": "Spot", "evictionPolicy": "Delete"})
    assert outcomes(of_resources(program.resources(moment)), "spot-settings") == ["fine"]


@both
def test_a_tutorial_machine_violates_every_basic_that_it_can(moment):
    judged = of_resources(stacks.open_machine().resources(moment))
    basics = ["public-address", "open-login", "administrator-role", "long-lived-key"]
    assert {rule: outcomes(judged, rule) for rule in basics} == {
        rule: ["violated"] for rule in basics
    }


@pytest.mark.parametrize("rule", [rule for rule in BROKEN if rule.startswith("fabric")])
def test_without_a_fabric_its_rules_do_not_apply(rule):
    assert outcomes(of_resources(stacks.open_machine().resources()), rule) == ["not-applicable"]
