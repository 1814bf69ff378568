"""Declares the network that a region's workloads share; each has its own security groups."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.network import association_of, make_own
from gpuinfra.clouds.aws.declare.zones import offered_zones
from gpuinfra.clouds.aws.interfaces import addresses, nic_layout
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import (
    BALANCER,
    NetworkPlan,
    pool_zones,
    private_name,
    shared_network,
    shared_room,
)
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.network import NetworkMember, NetworkPlace
from gpuinfra.errors import InputError
from gpuinfra.graph import ResourceGraph, compute
from gpuinfra.specs.schema import Training


def declare_network(
    spec: BuildSpec, members: Mapping[str, NetworkMember], graph: ResourceGraph
) -> Mapping[str, NetworkPlace]:
    """Declare the network of all members; return the location of each in it.

    Raises:
        InputError: a zone has too few addresses for all machines.
    """
    zones = {name: _zones(spec, member) for name, member in members.items()}
    layout = shared_network(
        spec.region, [zone for used in zones.values() for zone in used], spec=spec.network
    )
    _refuse_too_many_machines(spec, members, zones)
    children = Children(spec, ROOT_KEY, graph=graph, prefix=f"network.{spec.region}.")
    network = make_own(children, layout, _zones_with_offers(children, spec, members, zones))
    subnets = dict(
        zip((subnet.zone for subnet in layout.private), network.subnet_ids, strict=True)
    )
    return {
        name: NetworkPlace(
            vpc_id=network.vpc_id,
            subnet_ids=[subnets[zone] for zone in used],
            cidr_block=network.cidr_block,
            start_after=_keys_to_wait_for(
                network.start_after, [zone for zone in subnets if zone not in used]
            ),
        )
        for name, used in zones.items()
    }


def _keys_to_wait_for(keys: Sequence[str], other_keys: Sequence[str]) -> tuple[str, ...]:
    """Return the keys that machines wait for, without the routes of zones that they are not in."""
    association_keys = tuple(f".{association_of(private_name(zone))}" for zone in other_keys)
    return tuple(key for key in keys if not key.endswith(association_keys or "/"))


def _zones(spec: BuildSpec, member: NetworkMember) -> tuple[str, ...]:
    """Return one zone for training machines, or the load balancer's zones for a pool."""
    rung_zones = member.group.rung.zones
    if isinstance(member.work, Training):
        return REGIONS.chosen(spec.region, rung_zones)
    return pool_zones(spec.region, rung_zones, spec.network)


def _zones_with_offers(
    children: Children,
    spec: BuildSpec,
    members: Mapping[str, NetworkMember],
    zones: Mapping[str, Sequence[str]],
) -> Mapping[str, Any]:
    """Return the zones by name, once known to offer a type of every workload in them."""
    checked: dict[str, list[Any]] = {}
    for name, member in members.items():
        types = member.group.machines or (member.group.rung.machine,)
        layout: NetworkPlan = shared_network(spec.region, zones[name], spec=spec.network)
        for zone, value in offered_zones(children, layout, types).items():
            checked.setdefault(zone, []).append(value)
    return {
        zone: values[0] if len(values) == 1 else compute(_zone, *values, known_value=zone)
        for zone, values in checked.items()
    }


def _zone(zone: str, *_: str) -> str:
    return zone


def _refuse_too_many_machines(
    spec: BuildSpec, members: Mapping[str, NetworkMember], zones: Mapping[str, Sequence[str]]
) -> None:
    """Refuse more machines than a zone has addresses for.

    Raises:
        InputError: there are.
    """
    addresses_by_zone: dict[str, int] = {}
    for name, member in members.items():
        for zone in zones[name]:
            addresses_by_zone[zone] = addresses_by_zone.get(zone, 0) + _addresses(member)
    most_machines = shared_room(spec.network)
    if full := [zone for zone, count in addresses_by_zone.items() if count > most_machines]:
        zone = full[0]
        raise InputError.of(
            f"the shared network has {most_machines:,} addresses for machines in "
            f"{zone}, and the workloads there need {addresses_by_zone[zone]:,}",
            path=("network", "shared"),
            value="true",
            allowed=f"workloads of up to {most_machines:,} addresses in a zone",
            fix="give the largest workload a network of its own: network: {nat: true}",
        )


def _addresses(member: NetworkMember) -> int:
    """Return the most addresses that a workload takes in one zone, with all machines there."""
    group, work = member.group, member.work
    machine = planned_machine(group.rung)
    if isinstance(work, Training):
        nics = nic_layout(machine, fabric=group.fabric is not None, layout=work.efa_layout)
        return work.nodes * addresses(nics)
    most = work.replicas.maximum or work.replicas.minimum
    return most * addresses(nic_layout(machine, fabric=False)) + BALANCER
