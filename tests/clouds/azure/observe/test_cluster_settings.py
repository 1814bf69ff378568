"""Settings of AKS that start machines or cost by the hour are counted or refused."""

import inspect
from typing import Any

import pytest
from pulumi_azure_native import containerservice

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram

AKS = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
AGIC = "ingressApplicationGateway"
ISTIO = {"ingressGateways": [{"mode": "External", "enabled": True}]}


def seen(**inputs: Any):
    program = AzureProgram()
    program.add(AKS, "aks", **inputs)
    return observe(program.resources())


def mesh(components: Any, mode: str = "Istio") -> dict[str, Any]:
    return {"serviceMeshProfile": {"mode": mode, "istio": {"components": components}}}


def addon(name: str, enabled: Any = True, **config: Any) -> dict[str, Any]:
    return {"addonProfiles": {name: {"enabled": enabled, "config": config}}}


def network(**inputs: Any) -> dict[str, Any]:
    return {"networkProfile": inputs}


def routing(enabled: Any, kind: Any = None) -> dict[str, Any]:
    nginx = {"defaultIngressControllerType": kind}
    return {"ingressProfile": {"webAppRouting": {"enabled": enabled, "nginx": nginx}}}


@pytest.mark.parametrize(
    "inputs",
    [
        {"sku": {"name": "Automatic", "tier": "Standard"}},
        {"sku": UNKNOWN},
        {"nodeProvisioningProfile": {"mode": "Auto"}},
        {"aiToolchainOperatorProfile": {"enabled": True}},
        {"aiToolchainOperatorProfile": {"enabled": UNKNOWN}},
        addon("aciConnectorLinux"),
        addon("ACIConnectorLinux", SubnetName="pods"),
        addon("aciConnectorLinux", UNKNOWN),
        addon("somethingNew"),
        {"addonProfiles": UNKNOWN},
    ],
)
def test_a_setting_that_starts_machines_is_refused_as_a_pool_is(inputs):
    assert POOL in {row.type for row in seen(**inputs).not_judged}


@pytest.mark.parametrize(
    "inputs",
    [
        addon(AGIC, subnetCIDR="10.2.0.0/16"),
        {"addonProfiles": {AGIC: {"enabled": True, "config": UNKNOWN}}},
        addon("httpApplicationRouting"),
        routing(UNKNOWN),
        routing(True, UNKNOWN),
        mesh(ISTIO),
        mesh({"ingressGateways": UNKNOWN}),
        {"securityProfile": {"defender": {"securityMonitoring": {"enabled": True}}}},
        network(advancedNetworking={"enabled": True}),
        {"bootstrapProfile": {"artifactSource": "Cache"}},
    ],
)
def test_a_setting_that_costs_by_the_hour_has_no_price(inputs):
    assert [row.type for row in seen(**inputs).not_judged] == [AKS]


@pytest.mark.parametrize(
    "inputs",
    [
        {"sku": {"name": "Base", "tier": "Standard"}},
        {"nodeProvisioningProfile": {"mode": "Manual"}},
        {"aiToolchainOperatorProfile": {"enabled": False}},
        addon("aciConnectorLinux", False),
        addon("omsAgent", logAnalyticsWorkspaceResourceID="/w"),
        addon("azureKeyvaultSecretsProvider"),
        addon("azurepolicy"),
        addon("somethingNew", False),
        addon(AGIC, applicationGatewayId="/gateway"),
        addon(AGIC, applicationGatewayId=UNKNOWN),
        routing(False),
        routing(True),
        routing(True, "None"),
        routing(True, "Internal"),
        mesh({}),
        mesh({"ingressGateways": [{"mode": "Internal", "enabled": False}]}),
        mesh(ISTIO, "Disabled"),
        {"securityProfile": {"workloadIdentity": {"enabled": True}}},
        network(networkPlugin="azure", advancedNetworking={"enabled": False}),
        {"bootstrapProfile": {"artifactSource": "Cache", "containerRegistryId": UNKNOWN}},
        {"azureMonitorProfile": {"metrics": {"enabled": True}}},
    ],
)
def test_a_setting_that_costs_nothing_is_left_alone(inputs):
    assert seen(**inputs).not_judged == ()


@pytest.mark.parametrize(
    ("inputs", "judged"),
    [
        ({"enableUltraSSD": True}, False),
        ({"mode": "Gateway", "gatewayProfile": {"publicIPPrefixSize": 28}}, False),
        ({"mode": UNKNOWN}, False),
        ({"mode": "System", "enableUltraSSD": False}, True),
        ({"mode": "User"}, True),
    ],
)
def test_the_settings_of_pools_are_judged_in_a_cluster_and_alone(inputs, judged):
    spec = {"name": "a", "vmSize": "Standard_NC4as_T4_v3", "count": 1, **inputs}
    inside = seen(agentPoolProfiles=[spec])
    alone = AzureProgram()
    alone.add(POOL, "a", **spec)
    for rows in (inside, observe(alone.resources())):
        assert [row.type for row in rows.not_judged] == ([] if judged else [POOL])


def quantities(item: str, **inputs: Any) -> list[Any]:
    return [row.quantity for row in seen(**inputs).items if row.item == item]


@pytest.mark.parametrize(
    ("profile", "count"),
    [
        ({}, 1),
        ({"loadBalancerProfile": {"managedOutboundIPs": {"count": 3}}}, 3),
        ({"loadBalancerProfile": {"managedOutboundIPs": {"countIPv6": 100}}}, 101),
        ({"ipFamilies": ["IPv4", "IPv6"]}, 2),
        ({"ipFamilies": ["IPv4", UNKNOWN]}, UNKNOWN),
        ({"loadBalancerProfile": {"managedOutboundIPs": {"countIPv6": UNKNOWN}}}, UNKNOWN),
    ],
)
def test_the_addresses_of_both_families_are_counted(profile, count):
    assert quantities("public-ip-standard-static-hour", **network(**profile)) == [count]


@pytest.mark.parametrize(
    ("access", "hours"),
    [
        ({}, []),
        ({"enablePrivateCluster": False}, []),
        ({"enablePrivateCluster": True}, [1]),
        ({"enablePrivateCluster": UNKNOWN}, [UNKNOWN]),
        ({"enablePrivateCluster": True, "enableVnetIntegration": True}, []),
    ],
)
def test_the_private_endpoint_of_a_private_cluster_is_counted(access, hours):
    assert quantities("private-endpoint-hour", apiServerAccessProfile=access) == hours


def test_each_setting_of_a_cluster_of_the_sdk_is_settled():
    """An input that a newer SDK has is put into the table, or among those that need no row."""
    paths = [
        path
        for row in TABLES.rows("cluster_settings")
        for case in row["unless"]
        for path in case
        if row["of"] == "cluster"
    ]
    plain = TABLES.table("cluster_settings")["settings"].split()
    given = inspect.signature(containerservice.ManagedClusterArgs).parameters
    settled = {*plain, *(path.partition(".")[0] for path in paths)}
    assert {name.casefold() for name in settled} == {name.replace("_", "") for name in given}


BALANCER, RULES = "lb-standard-first-5-rules-hour", "lb-standard-extra-rule-hour"
ADDRESS = "public-ip-standard-static-hour"
PRIVATE = {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"}
CONTROLLER = "kubernetes:approuting.kubernetes.azure.com/v1alpha1:NginxIngressController"


@pytest.mark.parametrize(
    ("kind", "own", "expected"),
    [
        (None, None, {BALANCER: 2, RULES: 2, ADDRESS: 2}),
        ("External", None, {BALANCER: 2, RULES: 2, ADDRESS: 2}),
        ("Internal", None, {BALANCER: 2, RULES: 2, ADDRESS: 1}),
        (None, PRIVATE, {BALANCER: 2, RULES: 2, ADDRESS: 1}),
        ("None", None, {BALANCER: 1, ADDRESS: 1}),
    ],
)
def test_application_routing_pays_for_the_balancer_of_its_controller(kind, own, expected):
    program = AzureProgram()
    program.add(AKS, "aks", location="eastus", **routing(True, kind))
    if own is not None:
        default = {"metadata": {"name": "default"}, "spec": {"loadBalancerAnnotations": own}}
        program.add(CONTROLLER, "own", **default)
    items = observe(program.resources()).items
    counted = {
        item: sum(each.quantity for each in items if each.item == item)
        for item in {each.item for each in items if each.quantity is not None}
    }
    assert counted == expected


@pytest.mark.parametrize(
    ("annotations", "addresses"), [(None, [1]), (PRIVATE, []), (UNKNOWN, [1])]
)
def test_a_further_controller_has_a_balancer_of_its_own(annotations, addresses):
    program = AzureProgram()
    program.add(AKS, "aks", location="eastus")
    spec = {"ingressClassName": "inner", "loadBalancerAnnotations": annotations}
    inner = program.add(CONTROLLER, "inner", metadata={"name": "inner"}, spec=spec)
    seen = observe(program.resources())
    items = [each for each in seen.items if each.subject == inner.urn]
    assert [each.quantity for each in items if each.item == ADDRESS] == addresses
    assert [each.quantity for each in items if each.item == RULES] == [2]
    assert not any(row.subject == inner.urn for row in seen.not_judged)


@pytest.mark.parametrize(
    ("settings", "class_", "is_judged"),
    [
        ([{}], None, True),
        ([{}, {}], None, True),
        ([{}], "ours", False),
        ([{}], UNKNOWN, False),
        ([addon(AGIC)], None, False),
        ([addon(AGIC, UNKNOWN)], None, False),
        ([routing(True)], None, False),
        ([{}, routing(UNKNOWN)], None, False),
    ],
)
def test_an_ingress_without_a_class_costs_nothing_where_no_cluster_has_a_controller(
    settings, class_, is_judged
):
    program = AzureProgram()
    for number, inputs in enumerate(settings):
        program.add(AKS, f"aks-{number}", location="eastus", **inputs)
    kind = "kubernetes:networking.k8s.io/v1:Ingress"
    ingress = program.add(kind, "it", spec={"ingressClassName": class_})
    rows = observe(program.resources()).not_judged
    assert any(row.subject == ingress.urn for row in rows) is not is_judged
