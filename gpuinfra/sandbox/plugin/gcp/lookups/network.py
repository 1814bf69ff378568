"""Look-ups of networks and subnetworks, including those of every project."""

import ipaddress
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.gcp import addresses, places, resource_names
from gpuinfra.sandbox.plugin.gcp.lookups.accounts import project, region

_NETWORK = "gcp:compute/network:Network"
_SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
_DEFAULT = "default"
# Auto-mode networks give each region a /20: docs.cloud.google.com/vpc/docs/subnets#ip-ranges
_AUTO = ipaddress.ip_network("10.128.0.0/9")


def _network(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    path = _path(lookup_context, args, "networks", "global")
    name = resource_names.last_segment(path)
    existing = _existing_resource(lookup_context, _NETWORK, path)
    if existing is None and name != _DEFAULT:
        raise _not_found_error(path)
    values = existing or {"autoCreateSubnetworks": True, "networkId": "1", "gatewayIpv4": ""}
    subnets = [
        record.properties["selfLink"]
        for record in lookup_context.records(_SUBNETWORK)
        if resource_names.last_segment(str(record.properties.get("network"))) == name
    ]
    return {
        "id": path,
        "name": name,
        "project": path.split("/")[1],
        "selfLink": f"{resource_names.COMPUTE}{path}",
        "description": values.get("description") or "",
        "gatewayIpv4": values.get("gatewayIpv4") or "",
        "internalIpv6Range": values.get("internalIpv6Range") or "",
        "networkId": int(values.get("networkId") or 0),
        "networkProfile": values.get("networkProfile") or "",
        "numericId": str(values.get("numericId") or ""),
        "subnetworksSelfLinks": subnets,
    }


def _subnetwork(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    place = "" if args.get("selfLink") else region(lookup_context, args)
    path = _path(lookup_context, args, "subnetworks", f"regions/{place}")
    parts = path.split("/")
    existing = _existing_resource(lookup_context, _SUBNETWORK, path)
    if existing is None and parts[-1] != _DEFAULT:
        raise _not_found_error(path)
    values = existing or _default(path)
    keys = (
        "description",
        "externalIpv6Prefix",
        "gatewayAddress",
        "internalIpv6Prefix",
        "ipCidrRange",
        "ipv6AccessType",
        "network",
        "stackType",
    )
    return {
        **{key: values.get(key) or "" for key in keys},
        "id": path,
        "name": parts[-1],
        "project": parts[1],
        "region": parts[3],
        "selfLink": f"{resource_names.COMPUTE}{path}",
        "privateIpGoogleAccess": bool(values.get("privateIpGoogleAccess")),
        "secondaryIpRanges": values.get("secondaryIpRanges") or [],
        "subnetworkId": int(values.get("subnetworkId") or 0),
    }


def _default(path: str) -> dict[str, Any]:
    parts = path.split("/")
    number = places.regions().index(parts[3])
    cidr = str(list(_AUTO.subnets(new_prefix=20))[number])
    return {
        "ipCidrRange": cidr,
        "gatewayAddress": addresses.gateway(cidr),
        "network": f"{resource_names.COMPUTE}projects/{parts[1]}/global/networks/{_DEFAULT}",
        "stackType": "IPV4_ONLY",
    }


def _path(lookup_context: LookupContext, args: dict[str, Any], collection: str, place: str) -> str:
    reference = args.get("selfLink") or args.get("name")
    if not reference:
        raise CloudRefusalError("invalid", "one of name or selfLink must be set")
    return resource_names.full_path(
        str(reference), collection, project(lookup_context, args), place
    )


def _existing_resource(
    lookup_context: LookupContext, token: str, path: str
) -> dict[str, Any] | None:
    return next(
        (record.properties for record in lookup_context.records(token) if record.id == path), None
    )


def _not_found_error(path: str) -> CloudRefusalError:
    return CloudRefusalError("notFound", f"Error 404: The resource '{path}' was not found")


INVOKES: dict[str, Invoke] = {
    "gcp:compute/getNetwork:getNetwork": _network,
    "gcp:compute/getSubnetwork:getSubnetwork": _subnetwork,
}
