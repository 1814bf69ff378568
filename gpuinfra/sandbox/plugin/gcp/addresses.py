"""Generated IP addresses of Google Cloud, derived from names and thus the same in every run."""

import hashlib
import ipaddress
from typing import Any

from gpuinfra.sandbox.plugin.gcp import resource_names
from gpuinfra.sandbox.plugin.operation_context import OperationContext

Values = dict[str, Any]

_PUBLIC = ipaddress.ip_network("203.0.113.0/24")  # RFC 5737: for documentation, not assigned
_DEFAULT = "10.128.0.0/20"  # the first range of auto-mode networks
_RESERVED_ADDRESSES = (
    4  # docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
)
_SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
_ADDRESSES = ("gcp:compute/address:Address", "gcp:compute/globalAddress:GlobalAddress")


def usable_addresses(cidr: str) -> int:
    """Return how many of a subnet's addresses machines can use."""
    return max(0, ipaddress.ip_network(cidr, strict=False).num_addresses - _RESERVED_ADDRESSES)


def gateway(cidr: str | None) -> str:
    """Return the subnet's gateway, which is its second address; empty for None."""
    return str(ipaddress.ip_network(cidr, strict=False)[1]) if cidr else ""


def public(name: str) -> str:
    """Return an external address."""
    return _pick(_PUBLIC, name)


def private(name: str) -> str:
    """Return an internal address in one of Google's own ranges."""
    return _pick(ipaddress.ip_network(_DEFAULT), name)


def subnet(context: OperationContext, reference: str | None) -> Values:
    """Return the outputs of a referenced subnetwork; empty if there is none."""
    inputs = context.call.inputs
    region = inputs.get("region") or context.call.region.rpartition("-")[0]
    path = resource_names.full_path(
        reference or "", "subnetworks", str(inputs.get("project")), f"regions/{region}"
    )
    return next(
        (record.properties for record in context.records(_SUBNETWORK) if record.id == path), {}
    )


def address(context: OperationContext, values: Values) -> Values:
    """Return the address, inside its subnet or external; empty if it is given."""
    if values.get("address"):
        return {}
    if values.get("addressType") == "INTERNAL":
        return {"address": _internal(context, values.get("subnetwork"), values["name"])}
    return {"address": public(values["name"])}


def forwarding_rule(context: OperationContext, values: Values) -> Values:
    """Return the rule's address: as given, of an address resource, or a generated one."""
    stated_address = values.get("ipAddress")
    if stated_address:
        path = resource_names.relative(stated_address)
        for token in _ADDRESSES:
            for record in context.records(token):
                if record.id == path or record.properties.get("address") == stated_address:
                    return {"ipAddress": record.properties["address"]}
        return {}
    if str(values.get("loadBalancingScheme", "")).startswith("INTERNAL"):
        return {"ipAddress": _internal(context, values.get("subnetwork"), values["name"])}
    return {"ipAddress": public(values["name"])}


def instance(context: OperationContext, values: Values) -> Values:
    """Return the interfaces with their names and addresses."""
    interfaces = []
    for index, nic in enumerate(values.get("networkInterfaces") or []):
        name = f"{values['name']}-{index}"
        stated_address = nic.get("networkIp") or _internal(context, nic.get("subnetwork"), name)
        outside = [
            {**config, "natIp": config.get("natIp") or public(name)}
            for config in nic.get("accessConfigs") or []
        ]
        interfaces.append(
            {**nic, "name": f"nic{index}", "networkIp": stated_address, "accessConfigs": outside}
        )
    return {"networkInterfaces": interfaces}


def _internal(context: OperationContext, reference: str | None, name: str) -> str:
    cidr = subnet(context, reference).get("ipCidrRange") or _DEFAULT
    return _pick(ipaddress.ip_network(cidr, strict=False), name)


def _pick(network: Any, name: str) -> str:
    number = int(hashlib.sha256(name.encode()).hexdigest(), 16)
    return str(network[2 + number % max(1, network.num_addresses - _RESERVED_ADDRESSES)])
