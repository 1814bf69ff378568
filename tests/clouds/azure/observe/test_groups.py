"""Scale sets, fleets and machines of their own, as groups."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN, Resource, Unknown, Usage, faults_of
from tests.clouds.azure.observe.groups import A100, T4, machine, reasons
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both


@both
def test_an_autoscaled_pool_is_one_group_with_the_maximum_of_its_setting(moment):
    program, servers, _ = stacks.pool(minimum="1", maximum="10")
    (group,) = observe(program.resources(moment)).groups
    assert (group.name, group.subject) == ("servers", servers.urn)
    assert (group.minimum, group.maximum, group.purpose) == (1, 10, "inference")
    assert group.rung.region == "westeurope"
    assert group.fabric is None


@both
def test_one_resource_at_a_time_the_setting_brings_the_machines_that_it_adds(moment):
    program, _, setting = stacks.pool(maximum="10")
    known = Index()
    parts = []
    for resource in program.resources(moment):
        known.add(resource)
        parts.append(groups_and_items(resource, known))
    groups = [group for rows in parts for group in rows.groups]
    assert [(group.maximum, group.subject == setting.urn) for group in groups] == [
        (2, False),
        (8, True),
    ]
    disks = [(item.group, item.item) for rows in parts for item in rows.items if item.group]
    assert disks == [("servers", "disk-premium-p6"), ("scale", "disk-premium-p6")]


@pytest.mark.parametrize(
    ("maximum", "single", "refused"),
    [
        ("1000", None, False),
        ("1001", None, True),
        ("100", True, False),
        ("101", True, True),
        ("101", UNKNOWN, False),
        (UNKNOWN, True, False),
    ],
)
@pytest.mark.parametrize("scales", [True, False])
def test_a_scale_set_takes_so_many_machines_at_most(maximum, single, refused, scales):
    program, servers, _ = stacks.pool(**({"maximum": maximum} if scales else {}))
    size = {} if scales else {"sku": {"name": T4, "capacity": maximum}}
    program.change(servers, singlePlacementGroup=single, **size)
    found = faults_of(observe(program.resources()).groups[0].faults, "scaling-settings")
    told = [] if isinstance(found, Unknown) else [words for words in found if "at most" in words]
    assert bool(told) is refused


def test_a_setting_that_is_switched_off_scales_nothing():
    program, _, setting = stacks.pool()
    program.change(setting, enabled=False)
    seen = observe(program.resources())
    assert seen.groups[0].maximum == 2
    assert seen.not_judged == ()


@pytest.mark.parametrize("maximum", [UNKNOWN, None, "many"], ids=str)
def test_a_maximum_that_is_no_number_leaves_the_size_unknown(maximum):
    program, _, _ = stacks.pool(maximum=maximum)
    assert observe(program.resources()).groups[0].maximum is UNKNOWN


def test_a_setting_for_something_else_is_not_judged():
    program = AzureProgram()
    setting = {"enabled": True, "targetResourceUri": "/subscriptions/s/plan", "profiles": []}
    program.add("azure-native:monitor:AutoscaleSetting", "web", **setting)
    assert "the scale set is not in this stack," in reasons(program)[0]


@both
@pytest.mark.parametrize(
    ("price", "expected"),
    [(-1, None), (-1.0, None), ("-1", None), (None, None), (0.9, Decimal("0.9"))],
    ids=["whole", "float", "text", "unsaid", "amount"],
)
def test_spot_and_the_most_that_it_may_cost(moment, price, expected):
    program = AzureProgram()
    billing = {} if price is None else {"billingProfile": {"maxPrice": price}}
    machine(program, priority="Spot", **billing)
    (group,) = observe(program.resources(moment)).groups
    assert group.rung.capacity == "spot"
    assert group.rung.max_price == expected
    assert group.rung.spot_share_above_base == 1


@pytest.mark.parametrize("price", [UNKNOWN, "Infinity"], ids=str)
def test_a_maximum_price_that_is_not_known_leaves_the_machine_unpriced(price):
    program = AzureProgram()
    machine(program, priority="Spot", billingProfile={"maxPrice": price})
    assert "maximum spot price" in reasons(program)[0]


def test_a_regular_machine_s_price_is_nobody_s_business():
    program = AzureProgram()
    machine(program, billingProfile={"maxPrice": UNKNOWN})
    assert observe(program.resources()).groups[0].rung.max_price is None


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({"priority": UNKNOWN}, "the purchase option"),
        ({"hardwareProfile": {"vmSize": UNKNOWN}}, "not known yet"),
        ({"hardwareProfile": UNKNOWN}, "not known yet"),
        ({"hardwareProfile": {}}, "its machine type is not set"),
    ],
)
def test_what_nobody_can_price_is_not_judged(inputs, reason):
    program = AzureProgram()
    machine(program, **inputs)
    assert observe(program.resources()).groups == ()
    assert reason in reasons(program)[0]


@both
def test_a_mix_of_spot_and_regular_machines(moment):
    program = AzureProgram()
    mix = {"baseRegularPriorityCount": 2, "regularPriorityPercentageAboveBase": 25}
    stacks.scale_set(program, profile={"priority": "Spot"}, priorityMixPolicy=mix)
    (group,) = observe(program.resources(moment)).groups
    assert group.rung.capacity == "spot"
    assert (group.rung.on_demand_base, group.rung.spot_share_above_base) == (2, Decimal("0.75"))


def test_a_mix_of_regular_machines_only_is_on_demand():
    program = AzureProgram()
    mix = {"regularPriorityPercentageAboveBase": 100}
    stacks.scale_set(program, profile={"priority": "Spot"}, priorityMixPolicy=mix)
    rung = observe(program.resources()).groups[0].rung
    assert (rung.capacity, rung.spot_share_above_base) == ("on-demand", 0)


def test_a_mix_that_is_not_known_yet_is_not_guessed():
    program = AzureProgram()
    mix = {"regularPriorityPercentageAboveBase": UNKNOWN}
    stacks.scale_set(program, profile={"priority": "Spot"}, priorityMixPolicy=mix)
    assert "mix of spot and regular" in reasons(program)[0]


def test_a_scale_set_of_several_sizes_may_hold_each():
    program = AzureProgram()
    sizes = {"vmSizes": [{"name": T4}, {"name": A100}]}
    stacks.scale_set(program, sku={"name": "Mix", "capacity": 3}, skuProfile=sizes)
    (group,) = observe(program.resources()).groups
    assert (group.machines, group.maximum) == ((T4, A100), 3)


def test_a_flexible_set_without_a_model_is_only_a_place():
    program = AzureProgram()
    inputs = {"orchestrationMode": "Flexible", "platformFaultDomainCount": 1}
    program.add("azure-native:compute:VirtualMachineScaleSet", "place", **inputs)
    seen = observe(program.resources())
    assert (seen.groups, seen.items, seen.not_judged) == ((), (), ())


def fleet(**changes: Any) -> AzureProgram:
    program = AzureProgram()
    inputs: dict[str, Any] = {
        "vmSizesProfile": [{"name": T4}, {"name": A100}],
        "spotPriorityProfile": {"capacity": 4, "maxPricePerVM": 0.4},
        "regularPriorityProfile": {"capacity": 1},
        "computeProfile": {"baseVirtualMachineProfile": {"networkProfile": {}}},
        **changes,
    }
    kept = {key: value for key, value in inputs.items() if value is not None}
    program.add("azure-native:azurefleet:Fleet", "burst", **kept)
    return program


def test_a_fleet_counts_both_kinds():
    (group,) = observe(fleet().resources()).groups
    assert (group.machines, group.maximum) == ((T4, A100), 5)
    assert (group.rung.capacity, group.rung.max_price) == ("spot", Decimal("0.4"))
    assert group.rung.on_demand_base == 1


def test_a_fleet_of_regular_machines_is_on_demand():
    (group,) = observe(fleet(spotPriorityProfile=None).resources()).groups
    assert (group.rung.capacity, group.maximum) == ("on-demand", 1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"vmAttributes": {"vCpuCount": {"min": 4}}}, "by attributes"),
        ({"additionalLocationsProfile": {}}, "several regions"),
        ({"vmSizesProfile": UNKNOWN}, "not known yet"),
        ({"spotPriorityProfile": UNKNOWN}, "mix of spot and regular"),
    ],
)
def test_a_fleet_that_nobody_can_price_is_not_judged(changes, reason):
    assert reason in reasons(fleet(**changes))[0]


def test_a_fleet_counted_in_cores_has_no_known_size():
    assert observe(fleet(capacityType="VCpu").resources()).groups[0].maximum is UNKNOWN


@both
def test_usage_and_zones(moment):
    usage = Usage(
        hours={"workers": Decimal(72)},
        purpose={"workers": "training"},
        checkpoints={"workers": True},
    )
    (group,) = observe(cluster().program.resources(moment), usage).groups
    assert (group.needs.hours, group.rung.zones) == (72, ("eastus-1",))
    assert (group.needs.checkpoints, group.needs.interruptible) == (True, True)


@both
def test_a_machine_stands_where_its_resource_group_does(moment):
    program = AzureProgram("Sweden Central")
    machine(program, zones=["2"])
    rung = observe(program.resources(moment)).groups[0].rung
    assert (rung.region, rung.zones) == ("swedencentral", ("swedencentral-2",))
    program.change(program.group, location=UNKNOWN)
    assert observe(program.resources(moment)).groups[0].rung.region == "unknown"


def test_a_location_that_the_provider_will_fill_in_is_the_group_s():
    program = AzureProgram("West Europe")
    machine(program, location=UNKNOWN)
    (group,) = observe(program.resources("preview")).groups
    assert group.rung.region == "westeurope"


def test_a_location_that_comes_from_the_group_is_the_group_s():
    program = AzureProgram("North Europe")
    machine(program, location=program.group.out("location"))
    assert observe(program.resources("preview")).groups[0].rung.region == "northeurope"


def test_the_provider_s_region_counts_where_a_resource_names_none():
    resource = Resource(
        urn="u",
        type="azure-native:compute:VirtualMachine",
        name="one",
        inputs={"hardwareProfile": {"vmSize": T4}},
        region="westus3",
    )
    assert observe([resource]).groups[0].rung.region == "westus3"


@pytest.mark.parametrize("token", ["compute/v20240301", "compute/v20251101preview"])
def test_an_api_version_in_the_token_means_the_same(token):
    program = AzureProgram()
    program.add(f"azure-native:{token}:VirtualMachine", "old", hardwareProfile={"vmSize": T4})
    assert observe(program.resources()).groups[0].machines == (T4,)


def test_a_generated_package_means_the_same():
    program = AzureProgram()
    token = "azure-native_compute_v20240301:compute:VirtualMachine"
    program.add(token, "old", hardwareProfile={"vmSize": T4})
    assert observe(program.resources()).groups[0].machines == (T4,)


def test_two_groups_of_one_name_are_told_apart():
    program = AzureProgram()
    machine(program, "node")
    stacks.scale_set(program, "node")
    seen = observe(program.resources())
    assert [group.name for group in seen.groups] == ["node", "node (2)"]
    assert {item.group for item in seen.items} == {"node", "node (2)"}
