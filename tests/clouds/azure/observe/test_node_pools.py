"""The node pools of AKS as groups, and its control plane."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Usage, faults_of
from tests.clouds.azure.observe.groups import T4, reasons
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both


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


@pytest.mark.parametrize(
    ("pool", "refused"),
    [
        ({"mode": "System", "count": 1}, False),
        ({"mode": "System"}, False),
        ({"mode": "User", "count": 0}, False),
        ({"mode": "System", "count": 0}, True),
        ({"mode": "System", "enableAutoScaling": True, "minCount": 1, "maxCount": 3}, False),
        ({"mode": "System", "enableAutoScaling": True, "minCount": 0, "maxCount": 3}, True),
        ({"count": 1000}, False),
        ({"count": 1001}, True),
        ({"enableAutoScaling": True, "minCount": 0, "maxCount": 1000}, False),
        ({"enableAutoScaling": True, "minCount": 0, "maxCount": 1001}, True),
        ({"count": UNKNOWN}, False),
        ({"enableAutoScaling": True, "count": 3, "minCount": 0, "maxCount": 3}, False),
        ({"enableAutoScaling": True, "count": 4, "minCount": 0, "maxCount": 3}, True),
    ],
)
def test_the_numbers_of_nodes_that_aks_takes(pool, refused):
    spec = {"name": "system", "vmSize": "Standard_D4s_v5", **pool}
    (group,) = observe(aks(agentPoolProfiles=[spec]).resources()).groups
    assert bool(faults_of(group.faults, "scaling-settings")) is refused


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (2048, ""),
        (30, ""),
        (0, ""),
        (None, ""),
        (UNKNOWN, ""),
        (5000, "AKS does not support an OS disk of 5,000 GB: use 30 to 2,048"),
        (29, "AKS does not support an OS disk of 29 GB: use 30 to 2,048"),
    ],
)
def test_the_os_disks_of_nodes_that_aks_takes(size, message):
    spec = {"name": "gpu", "vmSize": T4, "osDiskSizeGB": size}
    (group,) = observe(aks(agentPoolProfiles=[spec]).resources()).groups
    assert faults_of(group.faults, "disk-limits") == ((message,) if message else ())


@pytest.mark.parametrize(
    ("pool", "most"),
    [
        ({"maxCount": 3}, 3),
        ({"maxCount": 3, "count": 2}, 3),
        ({"maxCount": 3, "count": 50}, 50),
        ({"maxCount": 3, "count": UNKNOWN}, 3),
        ({"maxCount": UNKNOWN, "count": 2}, UNKNOWN),
    ],
)
def test_a_pool_that_scales_counts_the_nodes_that_it_begins_with(pool, most):
    spec = {"name": "gpu", "vmSize": T4, "enableAutoScaling": True, "minCount": 0, **pool}
    (group,) = observe(aks(agentPoolProfiles=[spec]).resources()).groups
    assert group.maximum == most


@pytest.mark.parametrize(
    ("pods", "refused"), [(10, False), (250, False), (None, False), (251, True), (9, True)]
)
def test_the_pods_of_a_node_that_aks_takes(pods, refused):
    spec = {"name": "gpu", "vmSize": T4, "maxPods": pods}
    (group,) = observe(aks(agentPoolProfiles=[spec]).resources()).groups
    expected = (f"AKS does not support {pods} pods on a node: use 10 to 250",) if refused else ()
    assert faults_of(group.faults, "launch-settings") == expected
