from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN, Resource, Usage
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import cluster
from tests.rules.cases.azure_program import AzureProgram

both = pytest.mark.parametrize("moment", ["preview", "created"])

T4 = "Standard_NC4as_T4_v3"
A100 = "Standard_NC24ads_A100_v4"


def machine(program: AzureProgram, name: str = "one", **inputs: Any) -> Any:
    size = {"vmSize": T4}
    return program.add(
        "azure-native:compute:VirtualMachine", name, **{"hardwareProfile": size, **inputs}
    )


def reasons(program: AzureProgram) -> list[str]:
    return [row.reason for row in observe(program.resources()).not_judged]


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


@pytest.mark.parametrize("price", [UNKNOWN, "a lot", "-2", "NaN"], ids=str)
def test_a_maximum_price_that_is_no_amount_leaves_the_machine_unpriced(price):
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


def aks(**inputs: Any) -> AzureProgram:
    program = AzureProgram()
    program.add("azure-native:containerservice:ManagedCluster", "aks", **inputs)
    return program


@both
def test_the_pools_of_a_cluster_are_groups_of_their_own(moment):
    pools = [
        {"name": "system", "vmSize": "Standard_D4s_v5", "count": 2},
        {
            "name": "gpu",
            "vmSize": T4,
            "enableAutoScaling": True,
            "minCount": 0,
            "maxCount": 6,
            "scaleSetPriority": "Spot",
            "spotMaxPrice": -1,
            "availabilityZones": ["1"],
            "osDiskSizeGB": 256,
        },
    ]
    seen = observe(aks(agentPoolProfiles=pools).resources(moment))
    assert [(group.name, group.maximum) for group in seen.groups] == [
        ("aks/system", 2),
        ("aks/gpu", 6),
    ]
    gpu = seen.groups[1]
    assert (gpu.rung.capacity, gpu.rung.zones, gpu.minimum) == ("spot", ("eastus-1",), 0)
    assert [(item.group, item.item) for item in seen.items] == [
        ("aks/system", "disk-premium-p10"),
        ("aks/gpu", "disk-premium-p15"),
        (None, "lb-standard-first-5-rules-hour"),
        (None, "lb-standard-data"),
        (None, "public-ip-standard-static-hour"),
    ]
    assert seen.not_judged == ()


@both
def test_a_pool_of_its_own_finds_its_cluster(moment):
    program = AzureProgram()
    cluster_ = program.add("azure-native:containerservice:ManagedCluster", "aks")
    pool = program.add(
        "azure-native:containerservice:AgentPool",
        "gpu",
        resourceName=cluster_.out("name"),
        vmSize=T4,
        count=3,
        scaleSetEvictionPolicy="Delete",
    )
    (group,) = observe(program.resources(moment)).groups
    assert (group.subject, group.maximum) == (pool.urn, 3)
    assert group.safety.administrator is False
    (fault,) = (fault for fault in group.faults if fault.rule == "eviction-policy")
    assert "eviction policy" in fault.message
    program.change(cluster_, identityProfile={"kubeletidentity": {"resourceId": "/x"}})
    assert observe(program.resources(moment)).groups[0].safety.administrator is UNKNOWN


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (
            {"loadBalancerProfile": {"managedOutboundIPs": {"count": 3}}},
            ["lb-standard-first-5-rules-hour 1", "lb-standard-data None", "public-ip 3"],
        ),
        (
            {"outboundType": "managedNATGateway"},
            ["nat-gateway-hour 1", "nat-gateway-data None", "public-ip 1"],
        ),
        ({"outboundType": "userDefinedRouting"}, []),
        (
            UNKNOWN,
            [
                "lb-standard-first-5-rules-hour UNKNOWN",
                "lb-standard-data None",
                "public-ip UNKNOWN",
            ],
        ),
    ],
    ids=str,
)
def test_the_way_out_that_a_cluster_makes(network, expected):
    items = observe(aks(networkProfile=network).resources()).items
    short = [f"{row.item} {row.quantity!r}" for row in items]
    spelled = [item.replace("-standard-static-hour", "") for item in short]
    assert [item.replace("Decimal('", "").replace("')", "") for item in spelled] == expected


def test_a_pool_of_several_sizes_is_not_taken_for_one_of_them():
    scale = {"manual": [{"size": "Standard_NC96ads_A100_v4", "count": 10}]}
    pool = {
        "name": "pool",
        "type": "VirtualMachines",
        "vmSize": "Standard_D4s_v5",
        "virtualMachinesProfile": {"scale": scale},
    }
    program = aks(agentPoolProfiles=[pool])
    assert observe(program.resources()).groups == ()
    assert "virtualMachinesProfile" in reasons(program)[0]


@pytest.mark.parametrize(
    ("tier", "paid"),
    [
        (None, []),
        ("Free", []),
        ("Standard", ["aks-cluster-standard-hour"]),
        ("Premium", ["aks-cluster-premium-hour"]),
    ],
)
def test_a_control_plane_is_paid_by_its_tier(tier, paid):
    program = aks(sku={"name": "Base", "tier": tier})
    assert [row.item for row in observe(program.resources()).items if "aks" in row.item] == paid
    assert not any("tier" in reason for reason in reasons(program))


def test_a_control_plane_of_another_tier_is_in_no_table():
    assert "tier Gold" in reasons(aks(sku={"name": "Base", "tier": "Gold"}))[0]
    assert "not known yet" in reasons(aks(sku={"name": "Base", "tier": UNKNOWN}))[0]


@pytest.mark.parametrize(
    ("size", "stated", "item"),
    [
        ("Standard_NC4as_T4_v3", None, "p10"),
        ("Standard_NC8as_T4_v3", None, "p15"),
        ("Standard_NC16as_T4_v3", 0, "p20"),
        ("Standard_NC64as_T4_v3", None, "p30"),
        ("Standard_D4s_v5", None, "p10"),
        ("Standard_E16-4ads_v5", None, "p20"),
        ("Standard_D192s_v6", None, "p30"),
        ("Standard_DS3_v2", None, "p30"),
        ("Standard_NC64as_T4_v3", 128, "p10"),
    ],
)
def test_a_node_s_disk_is_sized_by_its_vcpus_where_no_size_is_stated(size, stated, item):
    pool = {"name": "pool", "vmSize": size, "count": 1, "osDiskSizeGB": stated}
    rows = observe(aks(agentPoolProfiles=[pool]).resources()).items
    assert [(row.item, row.quantity) for row in rows if row.kind == "disk"] == [
        (f"disk-premium-{item}", 1)
    ]


def test_infiniband_in_a_cluster_is_not_known_where_it_trains():
    program = aks(
        agentPoolProfiles=[{"name": "ib", "vmSize": "Standard_ND96isr_H100_v5", "count": 4}]
    )
    serves = Usage(purpose={"aks/ib": "inference"})
    assert observe(program.resources(), serves).groups[0].fabric is None
    for usage in (Usage(), Usage(purpose={"aks/ib": "training"})):
        fabric = observe(program.resources(), usage).groups[0].fabric
        assert fabric is not None
        assert (fabric.interfaces, fabric.placement) == (8, UNKNOWN)


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
