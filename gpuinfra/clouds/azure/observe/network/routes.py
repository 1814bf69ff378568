"""The outbound path of a subnet: NAT gateway, route table, Azure's own; and to storage."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import as_list, at, flag, text
from gpuinfra.model import Known, Resource, Unknown

_STORAGE: Final = "microsoft.storage"
"""The service endpoint of storage, free of charge; `Microsoft.Storage.Global` reaches all regions:
https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview"""


def outbound_remarks(
    subnet: Resource, index: Index, *, public: Known, stores: bool
) -> Iterator[Remark]:
    """Yield which parts of a subnet's outbound path are open, and which are not.

    Args:
        subnet: the machines' subnet.
        index: the resources that it may refer to.
        public: whether the machines have an address of their own, or share a balancer's.
        stores: whether the machines may read or write storage accounts.
    """
    ranges = (*as_list(subnet.inputs.get("addressPrefix")), *_address_prefixes(subnet))
    known_prefixes = [prefix for prefix in ranges if isinstance(prefix, str)]
    if ranges and len(known_prefixes) == len(ranges):
        yield True, f"{', '.join(known_prefixes)} in {subnet.name}"
    through = at(subnet.inputs.get("natGateway"), "id")
    if through is not None:
        yield from _through_nat(subnet, index)
    else:
        yield from _without_nat(subnet, public=public)
    if flag(subnet.inputs.get("defaultOutboundAccess")) is False:
        yield True, f"{subnet.name} is private: Azure gives it no default outbound access"
    yield from _storage(subnet, index, billed=stores and through is not None)


def _address_prefixes(subnet: Resource) -> tuple[object, ...]:
    return as_list(subnet.inputs.get("addressPrefixes"))


def _without_nat(subnet: Resource, *, public: Known) -> Iterator[Remark]:
    """Yield the outbound path without a NAT gateway; a private subnet alone has none.

    https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
    """
    default = flag(subnet.inputs.get("defaultOutboundAccess"))
    if subnet.inputs.get("routeTable") is not None:
        yield True, f"the route table of {subnet.name}"
    elif public is True:
        yield True, "a public address, or a load balancer's"
    elif default is None or default is True:
        yield True, f"Azure's default outbound access of {subnet.name}"
    elif public is False and default is False:
        yield (
            False,
            (
                f"the subnet {subnet.name} has no outbound route: it is private, without a NAT "
                "gateway"
            ),
        )


def _through_nat(subnet: Resource, index: Index) -> Iterator[Remark]:
    value = at(subnet.inputs.get("natGateway"), "id")
    targets = index.targets(subnet, "natGateway", resource_types.NAT, [value])
    if not targets.certain:
        yield True, "a NAT gateway"
    for gateway in targets.certain:
        kind = text(at(gateway.inputs.get("sku"), "name"))
        gateway_addresses = _addresses(gateway, index)
        if gateway_addresses is None:
            yield False, f"the NAT gateway {gateway.name} has no public address"
            continue
        yield True, f"a NAT gateway {f'({kind}) ' if isinstance(kind, str) else ''}out"
        for address in gateway_addresses.certain:
            yield from _basic_address_faults(gateway, address)


def _addresses(gateway: Resource, index: Index) -> Targets | None:
    """Return the addresses of a gateway; None where it surely has none.

    An address may name its gateway, too.
    """
    prefixes = ("publicIpPrefixes", "publicIpAddressesV6", "publicIpPrefixesV6")
    address_references = gateway.inputs.get("publicIpAddresses")
    ids = [at(address, "id") for address in as_list(address_references)]
    if ids:
        return index.targets(gateway, "publicIpAddresses", resource_types.ADDRESS, ids)
    if any(gateway.inputs.get(key) for key in prefixes) or isinstance(address_references, Unknown):
        return Targets(complete=False)
    has_other_way_out = any(
        resource.inputs.get("natGateway") is not None
        for resource in index.of_kind(resource_types.ADDRESS)
    )
    return Targets(complete=False) if has_other_way_out else None


def _basic_address_faults(gateway: Resource, address: Resource) -> Iterator[Remark]:
    """Yield a basic address of a NAT gateway, which takes only standard ones; no SKU is basic.

    https://learn.microsoft.com/azure/nat-gateway/nat-overview,
    https://github.com/Azure/bicep/issues/5914
    """
    kind = text(at(address.inputs.get("sku"), "name"))
    if kind is None or (isinstance(kind, str) and kind.lower() == "basic"):
        yield (
            False,
            (f"the NAT gateway {gateway.name} does not support a basic address ({address.name})"),
        )


def _storage(subnet: Resource, index: Index, *, billed: bool) -> Iterator[Remark]:
    endpoints = subnet.inputs.get("serviceEndpoints")
    services = [text(at(endpoint, "service")) for endpoint in as_list(endpoints)]
    names = [service for service in services if isinstance(service, str)]
    if any(service.lower().startswith(_STORAGE) for service in names):
        yield True, f"{', '.join(names)} direct"
    elif billed and len(names) == len(services) and not index.of_kind(resource_types.ENDPOINT):
        yield (
            False,
            (
                f"the subnet {subnet.name} reaches storage through the NAT gateway, which is "
                "billed by the byte"
            ),
        )
