"""The zones of a workload's own network, checked to offer the machine types."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.network import NetworkPlan
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.errors import InputError
from gpuinfra.graph import Lookup, compute


def offered_zones(
    children: Children, network: NetworkPlan, types: Sequence[str]
) -> Mapping[str, Any]:
    """Return the network's zones by name; refuse each that offers none of the types.

    Accounts have other zones behind the same letters, and few zones have the newest machines. So
    this is asked in the preview, before the network and its gateway exist and cost money.
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypeOfferings.html
    """
    used = tuple(dict.fromkeys(subnet.zone for subnet in network.subnets))
    lookup = Lookup(
        "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings",
        {
            "locationType": "availability-zone",
            "filters": [{"name": "instance-type", "values": list(types)}],
            "region": children.spec.region,
        },
        "locations",
    )
    check = partial(_checked_zone, children.spec, tuple(types), used)
    return {zone: compute(partial(check, zone), lookup, known_value=zone) for zone in used}


def _checked_zone(
    spec: BuildSpec, types: Sequence[str], used: Sequence[str], zone: str, locations: Sequence[str]
) -> str:
    """Return the zone if all used zones offer a type, or too few zones of the region do.

    Raises:
        InputError: other zones would do, or none of this region does.
    """
    offering_zones = sorted(set(locations))
    missing = [name for name in used if name not in offering_zones]
    if not missing or 0 < len(offering_zones) < len(used):
        return zone
    raise InputError.of(
        f"{spec.name}: this account has no {' or '.join(types)} in {', '.join(missing)}",
        path=("where", "zones"),
        allowed=", ".join(offering_zones) or f"another region: {spec.region} has none",
        fix=f"set zones: [{', '.join(offering_zones[: len(used)])}] under where"
        if offering_zones
        else "allow another region under where.regions",
    )
