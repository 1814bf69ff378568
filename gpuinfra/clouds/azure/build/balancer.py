"""The internal load balancer of a pool: one address, and a probe that asks after each server."""

from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.azure.build.children import Children
from gpuinfra.clouds.building.children import Kinds

KINDS: Final[Kinds] = {"load_balancer": azure.network.LoadBalancer}

LISTENS: Final = 80
INTERVAL: Final = 15
FAILURES: Final = 2
"""Seconds between two probes of a server, and how many it may fail before it gets no traffic."""

_FRONT: Final = "front"
_SERVERS: Final = "servers"
_PROBE: Final = "health"


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Where a pool answers; `backend` is the address pool that its machines join."""

    id: pulumi.Output[str]
    backend: pulumi.Output[str]
    url: pulumi.Output[str]


def make_front(
    children: Children,
    resource_group: azure.resources.ResourceGroup,
    subnet: pulumi.Input[str],
    *,
    serves: int,
    health: str,
) -> Front:
    """Make the load balancer. Its name is set, since its rules refer to its own parts by id.

    Args:
        children: of the component.
        resource_group: the workload's own.
        subnet: where its address is taken from.
        serves: the servers' port.
        health: the path that answers 200 when a server is ready.
    """
    name = children.name("load_balancer")
    own = pulumi.Output.concat(
        resource_group.id, "/providers/Microsoft.Network/loadBalancers/", name
    )
    made = children.make(
        azure.network.LoadBalancer,
        "load_balancer",
        load_balancer_name=name,
        sku={"name": "Standard", "tier": "Regional"},
        frontend_ip_configurations=[
            {
                "name": _FRONT,
                "private_ip_allocation_method": "Dynamic",
                "subnet": {"id": subnet},
            }
        ],
        backend_address_pools=[{"name": _SERVERS}],
        probes=[
            {
                "name": _PROBE,
                "protocol": "Http",
                "port": serves,
                "request_path": health,
                "interval_in_seconds": INTERVAL,
                "probe_threshold": FAILURES,
            }
        ],
        load_balancing_rules=[
            {
                "name": "serve",
                "protocol": "Tcp",
                "frontend_port": LISTENS,
                "backend_port": serves,
                "enable_tcp_reset": True,
                "frontend_ip_configuration": _part(own, "frontendIPConfigurations", _FRONT),
                "backend_address_pool": _part(own, "backendAddressPools", _SERVERS),
                "probe": _part(own, "probes", _PROBE),
            }
        ],
    )
    address = made.frontend_ip_configurations.apply(_address)
    return Front(
        id=made.id,
        backend=pulumi.Output.concat(made.id, "/backendAddressPools/", _SERVERS),
        url=pulumi.Output.all(made.id, address).apply(_url),
    )


def _part(balancer: pulumi.Output[str], kind: str, name: str) -> dict[str, Any]:
    return {"id": pulumi.Output.concat(balancer, "/", kind, "/", name)}


def _address(fronts: list[Any]) -> str | None:
    """The address that the balancer took from its subnet; None as long as it is only planned."""
    address: str | None = fronts[0].private_ip_address
    return address


def _url(known: list[Any]) -> str:
    """Where the pool answers; known once the balancer's id is."""
    return f"http://{known[1]}"
