"""A network that is there: looked at before anything is built in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.network import RESERVED
from gpuinfra.clouds.aws.regions import known_zones
from gpuinfra.clouds.building.network import Place
from gpuinfra.stackfile.networks import NetworkWish


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What machines need of subnets that are there.

    Attributes:
        pool: whether they serve behind a load balancer, which takes two zones; training takes one
            subnet, since the fabric does not leave its zone.
        machines: how many there may be at most.
        each: how many addresses each of them takes.
        several: whether each has several interfaces; EC2 gives none of those a public address.
    """

    pool: bool
    machines: int
    each: int = 1
    several: bool = False

    @property
    def words(self) -> str:
        """How many subnets are taken."""
        if self.pool:
            return "two subnets or more, in different zones, for the load balancer"
        return "one subnet: the fabric does not leave its zone"

    def takes(self, count: int) -> bool:
        """Whether so many subnets are taken."""
        return count > 1 if self.pool else count == 1


def looked_at(children: Children, wish: NetworkWish, need: Need) -> Place:
    """The caller's network, once its subnets are seen to fit.

    Nothing that stands in a subnet counts here, since the machines themselves do after the first
    update; `gpuinfra doctor` looks at the addresses that are free.
    """
    name, region = children.order.name, children.order.region
    options = children.invoke()
    only = [zone for zone in children.order.zones if zone in known_zones(region)]
    found = [
        aws.ec2.get_subnet_output(id=one, region=region, opts=options)
        for one in wish.subnets or ()
    ]

    def checked(subnets: Sequence[Any]) -> list[str]:
        faults = list(subnet_faults(str(wish.vpc), subnets, need, only))
        if faults:
            raise pulumi.RunError(f"{name}: " + "; ".join(faults))
        return [one.id for one in subnets]

    ids: pulumi.Output[list[str]] = pulumi.Output.all(*found).apply(checked)
    block: pulumi.Input[str] | None = wish.cidr
    if block is None and need.pool:
        block = aws.ec2.get_vpc_output(id=wish.vpc, region=region, opts=options).cidr_block
    return Place(
        vpc_id=str(wish.vpc),
        subnet_ids=[ids[index] for index in range(len(found))],
        cidr_block=block,
    )


def subnet_faults(
    vpc: str, subnets: Sequence[Any], need: Need, only: Sequence[str] = ()
) -> Sequence[str]:
    """What keeps machines out of subnets, in words; each subnet as `aws.ec2.get_subnet` has it.

    `only` are the zones that the stack file names; empty for any.
    """
    faults = []
    if not need.takes(len(subnets)):
        faults.append(f"network has {len(subnets)} subnets; allowed: {need.words}")
    zones = {one.availability_zone for one in subnets}
    if need.pool and len(subnets) > 1 and len(zones) == 1:
        faults.append(f"all subnets are in {min(zones)}; allowed: {need.words}")
    for one in subnets:
        if one.vpc_id != vpc:
            faults.append(f"subnet {one.id} is in {one.vpc_id}, not in {vpc}")
        if only and one.availability_zone not in only:
            faults.append(
                f"subnet {one.id} is in {one.availability_zone}, and `where` names only "
                f"{', '.join(only)}; name a subnet there, or its zone under where.zones"
            )
        if need.several and one.map_public_ip_on_launch:
            faults.append(
                f"subnet {one.id} maps public addresses, which EC2 refuses for machines with "
                "several interfaces; turn MapPublicIpOnLaunch off, or name another subnet"
            )
    held = [IPv4Network(one.cidr_block).num_addresses - RESERVED for one in subnets]
    if sum(held) < need.machines * need.each:
        faults.append(
            f"the subnets hold {sum(held):,} addresses, and {need.machines:,} machines take "
            f"{need.machines * need.each:,}; name larger ones"
        )
    return faults
