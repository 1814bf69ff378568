"""The internal load balancer of a pool: one address, and a health probe of each server."""

from typing import Any, Final

from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.graph import Resource, compute, concat
from gpuinfra.records import record

LISTENS: Final = 80
INTERVAL: Final = 15
FAILURES: Final = 2
"""Seconds between two probes of a server, and how many it may fail before it gets no traffic."""

_FRONTEND: Final = "front"
_SERVERS: Final = "servers"
_PROBE: Final = "health"


@record
class PoolEndpoint:
    """The endpoint of a pool; `backend` is the address pool that its machines join."""

    id: Any
    backend: Any
    url: Any


def declare_frontend(
    children: Children, resource_group: Resource, subnet: Any, *, serves: int, health: str
) -> PoolEndpoint:
    """Declare the load balancer; its name is fixed, since its rules refer to its parts by id.

    Args:
        children: of the component.
        resource_group: the workload's own.
        subnet: where its address is taken from.
        serves: the servers' port.
        health: the path that answers 200 when a server is ready.
    """
    name = children.name("load_balancer")
    balancer_id = concat(resource_group["id"], "/providers/Microsoft.Network/loadBalancers/", name)
    balancer = children.make(
        "azure-native:network:LoadBalancer",
        "load_balancer",
        loadBalancerName=name,
        sku={"name": "Standard", "tier": "Regional"},
        frontendIPConfigurations=[
            {
                "name": _FRONTEND,
                "privateIPAllocationMethod": "Dynamic",
                "subnet": {"id": subnet},
            }
        ],
        backendAddressPools=[{"name": _SERVERS}],
        probes=[
            {
                "name": _PROBE,
                "protocol": "Http",
                "port": serves,
                "requestPath": health,
                "intervalInSeconds": INTERVAL,
                "probeThreshold": FAILURES,
            }
        ],
        loadBalancingRules=[
            {
                "name": "serve",
                "protocol": "Tcp",
                "frontendPort": LISTENS,
                "backendPort": serves,
                "enableTcpReset": True,
                "frontendIPConfiguration": _part(
                    balancer_id, "frontendIPConfigurations", _FRONTEND
                ),
                "backendAddressPool": _part(balancer_id, "backendAddressPools", _SERVERS),
                "probe": _part(balancer_id, "probes", _PROBE),
            }
        ],
    )
    return PoolEndpoint(
        id=balancer["id"],
        backend=concat(balancer["id"], "/backendAddressPools/", _SERVERS),
        url=compute(_url, balancer["id"], balancer["frontendIPConfigurations"]),
    )


def _part(balancer: Any, kind: str, name: str) -> dict[str, Any]:
    return {"id": concat(balancer, "/", kind, "/", name)}


def _url(_: str, frontends: list[dict[str, Any]]) -> str:
    """Return the pool's URL, at the address from its subnet; known once the balancer's id is."""
    return f"http://{frontends[0].get('privateIPAddress')}"
