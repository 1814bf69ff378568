"""The layout of subnets: addresses outside the VPC, overlaps, and zones of other regions."""

import ipaddress
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import text
from gpuinfra.model import Resource

_Network = ipaddress.IPv4Network
_FURTHER: Final = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"
_LARGEST, _SMALLEST = 16, 28
"""https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""


def faults_of(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the faults of a subnet's addresses and zone."""
    if resource_types.canonical(resource.type) != resource_types.SUBNET:
        return
    yield from _zone(resource)
    subnet_range = _network(resource.inputs.get("cidrBlock"))
    if subnet_range is None:
        return
    if not _LARGEST <= subnet_range.prefixlen <= _SMALLEST:
        yield f"a subnet must have a prefix of /16 to /28; this one has /{subnet_range.prefixlen}"
    vpcs = index.targets(resource, "vpcId", resource_types.NETWORK)
    for vpc in vpcs.certain if vpcs.exact else ():
        yield from _outside_vpc(subnet_range, vpc, index)
        yield from _overlap_faults(resource, subnet_range, vpc, index)


def _network(value: Any) -> _Network | None:
    """Return a block of addresses; None where the value is unknown or no block."""
    try:
        return ipaddress.IPv4Network(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _outside_vpc(subnet_range: _Network, vpc: Resource, index: Index) -> Iterator[str]:
    """Yield addresses outside the VPC's block, unless the VPC has further blocks."""
    whole = _network(vpc.inputs.get("cidrBlock"))
    if whole is not None and not subnet_range.subnet_of(whole) and not index.of_kind(_FURTHER):
        yield f"its addresses {subnet_range} are outside of the VPC's, {whole}"


def _overlap_faults(
    resource: Resource, subnet_range: _Network, vpc: Resource, index: Index
) -> Iterator[str]:
    """Yield a subnet's overlap with an earlier one; AWS refuses the second."""
    for other in index.referrers(vpc, resource_types.SUBNET, "vpcId").certain:
        if other.urn == resource.urn:
            return
        other_range = _network(other.inputs.get("cidrBlock"))
        if other_range is not None and subnet_range.overlaps(other_range):
            yield f"its addresses {subnet_range} overlap those of {other.name}, {other_range}"


def _zone(resource: Resource) -> Iterator[str]:
    """Yield an error for a zone that is not in the subnet's region.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html
    """
    zone = text(resource.inputs.get("availabilityZone"))
    region = text(resource.inputs.get("region")) or resource.region
    if not isinstance(zone, str) or not isinstance(region, str) or "${" in zone:
        return
    if not zone.startswith(region):
        yield f"the zone {zone} is not one of {region}"
    elif zone[len(region) :] not in _LETTERS and "-" not in zone[len(region) :]:
        yield f"{region} has no zone {zone}"


_LETTERS: Final = frozenset("abcdef")
"""No region names more than six zones (us-east-1 has a to f)."""
