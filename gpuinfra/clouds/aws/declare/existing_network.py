"""An existing network, checked before anything is built in it."""

from collections.abc import Mapping, Sequence
from functools import partial
from ipaddress import IPv4Network
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.network import RESERVED_ADDRESSES
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.declaring.network import NetworkPlace
from gpuinfra.errors import InputError
from gpuinfra.graph import Lookup, compute, item
from gpuinfra.records import record
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.units import format_count

SUBNET: Final = "aws:ec2/getSubnet:getSubnet"


@record
class SubnetNeed:
    """The requirements of machines on existing subnets.

    Attributes:
        pool: whether they serve behind a load balancer, which takes two zones; training takes one
            subnet, since the fabric does not leave its zone.
        types: the machines that there may be.
        machines: how many there may be at most.
        addresses_each: how many addresses each of them takes.
        has_several_interfaces: whether each has several interfaces; EC2 gives none of those a
            public address.
    """

    pool: bool
    types: tuple[str, ...]
    machines: int
    addresses_each: int = 1
    has_several_interfaces: bool = False

    @property
    def count_text(self) -> str:
        """The required number of subnets, in words."""
        if self.pool:
            return "two subnets or more, in different zones, for the load balancer"
        return "one subnet: the fabric does not leave its zone"

    def accepts(self, count: int) -> bool:
        """Return whether this number of subnets is accepted."""
        return count > 1 if self.pool else count == 1


def existing_network(children: Children, spec: NetworkSpec, need: SubnetNeed) -> NetworkPlace:
    """Return the caller's network, once its subnets are known to fit.

    Existing resources in a subnet don't count, since the machines themselves do after the first
    update; `gpuinfra doctor` looks at the addresses that are free.
    """
    region, vpc, subnets = children.spec.region, str(spec.vpc), spec.subnets or ()
    only = [zone for zone in children.spec.zones if zone in REGIONS.zones(region)]
    ids = compute(
        partial(_fitting_subnet_ids, children.spec.name, vpc, need, only),
        *(Lookup(SUBNET, {"id": subnet, "region": region}) for subnet in subnets),
    )
    block: Any = spec.cidr
    if block is None and need.pool:
        arguments = {"id": spec.vpc, "region": region}
        block = Lookup("aws:ec2/getVpc:getVpc", arguments, "cidrBlock")
    return NetworkPlace(
        vpc_id=vpc,
        subnet_ids=[item(ids, index) for index in range(len(subnets))],
        cidr_block=block,
    )


def _fitting_subnet_ids(
    name: str, vpc: str, need: SubnetNeed, only: Sequence[str], *subnets: Mapping[str, Any]
) -> list[str]:
    """Return the ids of subnets that fit.

    Raises:
        InputError: they do not.
    """
    faults = subnet_faults(vpc, subnets, need, only)
    if faults:
        raise InputError.of(f"{name}: " + "; ".join(faults))
    return [subnet["id"] for subnet in subnets]


def subnet_faults(
    vpc: str, subnets: Sequence[Mapping[str, Any]], need: SubnetNeed, only: Sequence[str] = ()
) -> Sequence[str]:
    """Return why subnets can't take the machines, in words; each subnet as `SUBNET` returns it.

    `only` are the zones that the stack file names; empty for any.
    """
    faults = []
    if not need.accepts(len(subnets)):
        faults.append(
            f"network has {format_count(len(subnets), 'subnet')}; allowed: {need.count_text}"
        )
    zones = {subnet["availabilityZone"] for subnet in subnets}
    if need.pool and len(subnets) > 1 and len(zones) == 1:
        faults.append(f"all subnets are in {min(zones)}; allowed: {need.count_text}")
    for answer in subnets:
        if answer["vpcId"] != vpc:
            faults.append(f"subnet {answer['id']} is in {answer['vpcId']}, not in {vpc}")
        if only and answer["availabilityZone"] not in only:
            faults.append(
                f"subnet {answer['id']} is in {answer['availabilityZone']}, and `where` names "
                f"only {', '.join(only)}; name a subnet there, or its zone under where.zones"
            )
        if need.has_several_interfaces and answer["mapPublicIpOnLaunch"]:
            faults.append(
                f"subnet {answer['id']} maps public addresses, which EC2 refuses for machines "
                "with several interfaces; turn MapPublicIpOnLaunch off, or name another subnet"
            )
    free = [
        IPv4Network(subnet["cidrBlock"]).num_addresses - RESERVED_ADDRESSES for subnet in subnets
    ]
    if sum(free) < need.machines * need.addresses_each:
        take = format_count(f"{need.machines:,}", "machine takes", "machines take")
        faults.append(
            f"the subnets hold {sum(free):,} addresses, and {take} "
            f"{need.machines * need.addresses_each:,}; name larger ones"
        )
    return faults
