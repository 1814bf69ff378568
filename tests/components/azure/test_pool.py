from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.errors import InputError
from tests.components.mocked.azure import ADDRESS

Served = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Network:
    vpc_id: str = "/…/virtualNetworks/v"
    subnet_ids: tuple[str, ...] = ("/…/virtualNetworks/v/subnets/gpu",)
    cidr_block: str | None = "10.8.0.0/16"


def scale_set(seen: Any) -> dict[str, Any]:
    return seen.of("chat-group").inputs


def profile(seen: Any) -> dict[str, Any]:
    return scale_set(seen)["virtualMachineProfile"]


def autoscale(seen: Any) -> dict[str, Any]:
    (profile,) = seen.of("chat-autoscale").inputs["profiles"]
    return profile


def test_pool_is_the_golden_one(served: Served, golden: Callable[..., None]) -> None:
    golden("azure-inference-pool", served(max_price=Decimal("0.4")).golden())


def test_every_child_stands_under_the_component(served: Served) -> None:
    seen = served()
    (component,) = [resource for resource in seen.resources if resource.type.startswith("tests:")]

    assert {resource.parent for resource in seen.resources if resource is not component} == {
        component.urn
    }


@pytest.mark.parametrize(("base", "share", "percent"), [(1, "1", 0), (0, "1", 0), (2, "0.5", 50)])
def test_a_base_on_demand_and_spot_above(
    served: Served, base: int, share: str, percent: int
) -> None:
    seen = served(on_demand_base=base, spot_share_above_base=Decimal(share))

    assert scale_set(seen)["orchestrationMode"] == "Flexible"
    assert profile(seen)["priority"] == "Spot"
    assert scale_set(seen)["priorityMixPolicy"] == {
        "baseRegularPriorityCount": base,
        "regularPriorityPercentageAboveBase": percent,
    }


def test_an_evicted_machine_of_a_pool_of_fixed_size_comes_back(served: Served) -> None:
    seen = served(minimum=3, maximum=3)

    assert autoscale(seen)["capacity"] == {"minimum": "3", "maximum": "3", "default": "3"}
    assert autoscale(seen)["rules"] == []


def test_a_pool_on_demand_has_nothing_of_spot(served: Served) -> None:
    seen = served(capacity="on-demand", on_demand_base=0, spot_share_above_base=Decimal(0))

    assert profile(seen)["priority"] == "Regular"
    assert "priorityMixPolicy" not in scale_set(seen)
    assert {"evictionPolicy", "billingProfile"}.isdisjoint(profile(seen))
    options = seen.of("chat-group").options
    assert options["replaceOnChanges"] == ["virtualMachineProfile.priority", "zones"]
    assert "replacementTrigger" not in options


def test_the_setting_alone_says_how_many_run(served: Served) -> None:
    seen = served()
    setting = seen.of("chat-autoscale").inputs

    assert setting["enabled"] is True
    assert setting["targetResourceUri"] == seen.of("chat-group").outputs["id"]
    assert autoscale(seen)["capacity"] == {"minimum": "1", "maximum": "20", "default": "1"}
    assert seen.of("chat-group").options["ignoreChanges"] == ["sku.capacity"]


@pytest.mark.parametrize(
    ("scale_on", "metric", "above", "below"),
    [
        ({"gpu_utilization": "70%"}, "gpu_utilization", 70, 42),
        ({"gpu_memory": "80%"}, "gpu_memory", 80, 48),
    ],
)
def test_it_follows_what_its_machines_publish(
    served: Served, scale_on: dict[str, str], metric: str, above: int, below: int
) -> None:
    seen = served(words={"scale_on": scale_on})
    grows, shrinks = autoscale(seen)["rules"]

    for rule, operator, threshold, direction in (
        (grows, "GreaterThan", above, "Increase"),
        (shrinks, "LessThan", below, "Decrease"),
    ):
        trigger = rule["metricTrigger"]
        assert trigger["metricName"] == metric
        assert trigger["metricResourceUri"] == seen.of("chat-group").outputs["id"]
        assert (trigger["operator"], trigger["threshold"]) == (operator, threshold)
        assert rule["scaleAction"]["direction"] == direction
        assert rule["scaleAction"]["value"] == "1"


def test_requests_are_counted_by_nobody(served: Served) -> None:
    with pytest.raises(ValueError, match="Azure scales on GPU load or GPU memory"):
        served(words={"scale_on": {"requests_per_target": 100}})


def test_its_machines_may_publish_figures_of_their_own_group_alone(served: Served) -> None:
    seen = served()
    right = seen.of("chat-metrics").inputs

    assert right["scope"] == seen.of("chat-resource-group").outputs["id"]
    assert right["roleDefinitionId"].endswith("/3913510d-42f4-4e42-8a64-420c390055eb")


def test_the_balancer_is_inside_and_its_parts_name_each_other(served: Served) -> None:
    seen = served()
    front = seen.of("chat-load-balancer")
    (address,) = front.inputs["frontendIPConfigurations"]
    (rule,) = front.inputs["loadBalancingRules"]
    (interface,) = profile(seen)["networkProfile"]["networkInterfaceConfigurations"]
    own = front.outputs["id"]

    assert address["subnet"] == {"id": seen.of("chat-subnet").outputs["id"]}
    assert "publicIPAddress" not in address
    assert rule["frontendIPConfiguration"] == {"id": f"{own}/frontendIPConfigurations/front"}
    assert rule["backendAddressPool"] == {"id": f"{own}/backendAddressPools/servers"}
    assert rule["probe"] == {"id": f"{own}/probes/health"}
    assert (rule["frontendPort"], rule["backendPort"]) == (80, 8000)
    assert interface["ipConfigurations"][0]["loadBalancerBackendAddressPools"] == [
        {"id": f"{own}/backendAddressPools/servers"}
    ]
    assert seen.outputs["url"] == f"http://{ADDRESS}"


def test_unwell_machines_are_replaced_on_the_servers_own_word(served: Served) -> None:
    seen = served(words={"health": "/ready"})
    (extension,) = profile(seen)["extensionProfile"]["extensions"]

    assert extension["type"] == "ApplicationHealthLinux"
    assert extension["settings"] == {"protocol": "http", "port": 8000, "requestPath": "/ready"}
    assert scale_set(seen)["automaticRepairsPolicy"]["enabled"] is True
    assert "healthProbe" not in profile(seen)["networkProfile"]


def test_only_clients_and_probes_reach_the_servers(served: Served) -> None:
    seen = served(given={"network": Network()})
    security = seen.of("chat-firewall").inputs["securityRules"]
    inward = [rule for rule in security if rule["direction"] == "Inbound"]

    assert [
        (rule["access"], rule["sourceAddressPrefix"], rule["destinationPortRange"])
        for rule in inward
    ] == [
        ("Allow", "10.8.0.0/16", "8000"),
        ("Allow", "AzureLoadBalancer", "8000"),
        ("Deny", "*", "*"),
    ]


def test_a_network_that_does_not_say_who_calls_is_refused(served: Served) -> None:
    with pytest.raises(InputError) as refused:
        served(given={"network": Network(cidr_block=None)})

    assert refused.value.problems[0].path == ("chat", "network", "cidr_block")
