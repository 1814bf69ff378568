from typing import Any

import pytest

from gpuinfra.clouds.azure.machines import Capabilities, machine
from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.azure.observe.machines import setting_faults as settings_
from gpuinfra.model import UNKNOWN, Fabric, Usage, faults_of
from tests.rules.cases.azure_cluster import Cluster, cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.azure_stacks import pool
from tests.rules.cases.moments import both

ND = "Standard_ND96isr_H100_v5"


def fabric(case: Cluster, usage: Usage = Usage(), moment: Any = "created") -> Fabric | None:  # noqa: B008
    return observe(case.program.resources(moment), usage).groups[0].fabric


@both
def test_a_cluster_is_joined_by_what_its_machines_bring(moment):
    row = machine(ND)
    assert row is not None
    assert fabric(cluster(), moment=moment) == Fabric(
        requirement="required",
        interfaces=row.fabric_interfaces or 0,
        one_zone=True,
        placement="single-placement-group",
        self_ingress=None,
        self_egress=None,
        public_ip=False,
        driver_image=True,
    )


def changed(**inputs: Any) -> Fabric | None:
    case = cluster()
    case.program.change(case.scaling, **inputs)
    return fabric(case)


@pytest.mark.parametrize(
    "inputs",
    [
        {"singlePlacementGroup": False},
        {"singlePlacementGroup": None, "sku": {"name": ND, "capacity": 1}},
        {"singlePlacementGroup": None, "orchestrationMode": "Flexible"},
        {"overprovision": None, "sku": {"name": "Standard_NC24ads_A100_v4", "capacity": 2}},
        {"singlePlacementGroup": False, "sku": {"name": "Standard_D4s_v5", "capacity": 2}},
    ],
)
def test_who_asks_for_no_fabric(inputs):
    assert changed(**inputs) is None


@pytest.mark.parametrize(
    ("inputs", "wish"),
    [
        ({"singlePlacementGroup": None}, "preferred"),
        ({"orchestrationMode": None}, "required"),
        ({"sku": {"name": ND, "capacity": 1}}, "required"),
        ({"singlePlacementGroup": UNKNOWN}, "preferred"),
        ({"sku": {"name": "Standard_NC24ads_A100_v4", "capacity": 2}}, "required"),
    ],
)
def test_who_asks_for_one(inputs, wish):
    shown = changed(**inputs)
    assert shown is not None
    assert shown.requirement == wish


TRAINS = Usage(purpose={"workers": "training"})


@pytest.mark.parametrize(
    ("inputs", "placement"),
    [
        ({"singlePlacementGroup": False, "overprovision": None}, None),
        ({"singlePlacementGroup": False, "platformFaultDomainCount": None}, None),
        ({"singlePlacementGroup": False, "overprovision": UNKNOWN}, None),
        ({"singlePlacementGroup": False, "orchestrationMode": None}, None),
        ({"singlePlacementGroup": None, "orchestrationMode": "Flexible"}, None),
        ({"singlePlacementGroup": False, "orchestrationMode": "Flexible"}, None),
        ({"singlePlacementGroup": None, "orchestrationMode": UNKNOWN}, UNKNOWN),
    ],
)
def test_machines_that_are_said_to_train_are_judged_in_any_mode(inputs, placement):
    case = cluster()
    case.program.change(case.scaling, **inputs)
    shown = fabric(case, TRAINS)
    assert shown is not None
    assert shown.placement is placement


@pytest.mark.parametrize(
    "inputs",
    [
        {"singlePlacementGroup": False},
        {"orchestrationMode": "Flexible", "sku": {"name": ND, "capacity": 1}},
        {"orchestrationMode": "Flexible", "sku": {"name": "Standard_NC4as_T4_v3", "capacity": 4}},
    ],
    ids=["declined as the build does", "one machine", "no InfiniBand"],
)
def test_machines_that_train_without_a_fabric(inputs):
    case = cluster()
    case.program.change(case.scaling, **{"singlePlacementGroup": False, **inputs})
    assert fabric(case, TRAINS) is None


def test_machines_that_serve_ask_for_one_only_in_so_many_words():
    inputs = {"orchestrationMode": "Uniform", "sku": {"name": ND, "capacity": 2}}
    assert observe(pool(**inputs)[0].resources()).groups[0].fabric is None
    shown = observe(pool(**inputs, singlePlacementGroup=True)[0].resources()).groups[0].fabric
    assert shown is not None


def test_a_placement_that_may_be_spread_is_not_known():
    shown = changed(overprovision=UNKNOWN)
    assert shown is not None
    assert (shown.placement, faults_of(shown.faults, "fabric-scale-set")) == (
        "single-placement-group",
        UNKNOWN,
    )
    shown = changed(sku={"name": ND, "capacity": UNKNOWN})
    assert shown is not None
    assert faults_of(shown.faults, "fabric-scale-set") is UNKNOWN


def test_a_flexible_set_in_one_placement_group_is_not_known():
    shown = changed(orchestrationMode="Flexible")
    assert shown is not None
    assert shown.interfaces is UNKNOWN


def test_an_image_with_the_drivers_of_other_machines():
    case = cluster("Standard_ND96isr_MI300X_v5")
    shown = fabric(case)
    assert shown is not None
    assert shown.driver_image is UNKNOWN


def test_machines_of_their_own_train_together_when_somebody_says_so():
    program = AzureProgram()
    for name in ("one", "two"):
        program.add(
            "azure-native:compute:VirtualMachine",
            name,
            hardwareProfile={"vmSize": ND},
            zones=["1"],
        )
    assert observe(program.resources()).groups[0].fabric is None
    usage = Usage(purpose={"one": "training"})
    groups = observe(program.resources(), usage).groups
    assert groups[0].fabric is not None
    assert groups[0].fabric.interfaces == 0
    assert groups[1].fabric is None


@pytest.mark.parametrize(
    ("profile", "known", "words"),
    [
        ({"securityType": "TrustedLaunch"}, {"trusted_launch": False}, "TrustedLaunch"),
        ({"encryptionAtHost": True}, {"encryption_at_host": False}, "encryption at host"),
    ],
)
def test_what_a_size_does_not_take_is_a_fault_only_where_a_table_says_so(
    monkeypatch, profile, known, words
):
    case = cluster()
    case.profile(securityProfile=profile)

    def faults(**row: Any) -> tuple[str, ...]:
        monkeypatch.setattr(settings_, "capabilities", lambda _: Capabilities(**row))
        (group,) = observe(case.program.resources()).groups
        messages = faults_of(group.faults, "launch-settings")
        assert isinstance(messages, tuple)
        return messages

    (fault,) = faults(**known)
    assert words in fault
    assert faults() == ()
    assert faults(**dict.fromkeys(known, True)) == ()
