"""Where a workload's machines stand, and the network around them, from its resources."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from gpuinfra.model import NOWHERE, Group, Plan, Resource, Unknown
from gpuinfra.records import record

MOST_MACHINES: Final = 8
"""How many machines of a workload are drawn; a cluster of a thousand is not."""

TABLE: Final = Path(__file__).with_name("network_types.json")


@record
class Place:
    """A subnet of a workload and its zone; empty where it is not stated."""

    name: str
    zone: str = ""


@record
class DrawnMachine:
    """One machine in a drawing; `may` says that it is there only while a pool is larger."""

    words: str
    may: bool = False


@record
class Topology:
    """The drawing of one workload.

    Attributes:
        group: the workload.
        cloud: its cloud.
        region: where it stands; `unknown` where that is not stated.
        zones: of its machines; empty where none is named.
        machine: the machine type.
        count: how many machines, in words.
        shown: the machines that are drawn.
        hidden: how many more there may be.
        gpus: the GPUs of one machine, in words; empty where no table knows it.
        interfaces: the fabric interfaces of one machine, in words.
        placement: how the machines are placed, in words; empty where they have no fabric.
        networks: the names of its networks.
        subnets: the subnets in which its machines stand.
        beside: what else stands in these networks, each a kind and its names.
    """

    group: str
    cloud: str
    region: str
    zones: tuple[str, ...]
    machine: str
    count: str
    shown: tuple[DrawnMachine, ...]
    hidden: int
    gpus: str
    interfaces: str
    placement: str
    networks: tuple[str, ...]
    subnets: tuple[Place, ...]
    beside: tuple[tuple[str, tuple[str, ...]], ...]


def topologies(
    plan: Plan,
    resources: Sequence[Resource],
    named: Callable[[Group], str],
    gpus: Callable[[Group], str],
) -> tuple[Topology, ...]:
    """The drawing of each workload of a plan.

    Args:
        plan: the workloads.
        resources: what is declared, or what Pulumi shows.
        named: the name or the URN of the resource that holds a workload's machines.
        gpus: the GPUs of one machine of a workload, in words.
    """
    index = _Index(resources)
    return tuple(_topology(group, index, named(group), gpus(group)) for group in plan.groups)


class _Index:
    """Resources by URN and name, with what each refers to."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self.by_urn = {one.urn: one for one in resources}
        self.by_name: dict[str, Resource] = {one.name: one for one in resources}
        self.to = {one.urn: frozenset(_targets(one)) & self.by_urn.keys() for one in resources}

    def around(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """What a resource refers to, directly or through others, and what is around that.

        The second adds the parts of a network that refer to any of it.
        """
        start = self.by_urn.get(name) or self.by_name.get(name)
        if start is None:
            return frozenset(), frozenset()
        below: set[str] = set()
        waiting = [start.urn]
        while waiting:
            further = self.to[waiting.pop()] - below
            below |= further
            waiting += further
        typed = {urn for urn in below if self.by_urn[urn].type in network_types()}
        around = set(typed)
        while new := {
            one.urn
            for one in self.by_urn.values()
            if one.type in network_types() and one.urn not in around and self.to[one.urn] & around
        }:
            around |= new
        return frozenset(typed), frozenset(around)


def _targets(resource: Resource) -> Iterator[str]:
    for urns in resource.relations.values():
        yield from urns


@cache
def network_types() -> Mapping[str, str]:
    """What each resource type is in a drawing."""
    types: dict[str, str] = json.loads(TABLE.read_text(encoding="utf-8"))["types"]
    return types


def _topology(group: Group, index: _Index, name: str, gpus: str) -> Topology:
    own, around = index.around(name)
    types = network_types()

    def of(urns: Iterable[str], kind: str) -> Iterator[Resource]:
        rows = (index.by_urn[urn] for urn in index.by_urn if urn in urns)
        return (row for row in rows if types[row.type] == kind)

    kinds = (kind for kind in dict.fromkeys(types.values()) if kind not in {"network", "subnet"})
    beside = ((kind, tuple(row.name for row in of(around, kind))) for kind in kinds)
    rung = group.rung
    return Topology(
        group=group.name,
        cloud=group.cloud,
        region=rung.region or NOWHERE,
        zones=rung.zones,
        machine=rung.machine,
        count=_count(group),
        shown=tuple(_drawn(group)),
        hidden=max(0, _most(group) - MOST_MACHINES),
        gpus=gpus,
        interfaces=_interfaces(group),
        placement=_placement(group),
        networks=tuple(row.name for row in of(around, "network")),
        subnets=tuple(Place(name=row.name, zone=_zone(row)) for row in of(own, "subnet")),
        beside=tuple((kind, names) for kind, names in beside if names),
    )


def _zone(subnet: Resource) -> str:
    zone = subnet.inputs.get("availabilityZone")
    return zone if isinstance(zone, str) else ""


def _count(group: Group) -> str:
    least, most = (
        "unknown" if isinstance(one, Unknown) else str(one)
        for one in (group.minimum, group.maximum)
    )
    return least if least == most else f"{least} to {most}"


def _most(group: Group) -> int:
    """How many machines there may be; one stands for a number that is not known."""
    return 1 if isinstance(group.maximum, Unknown) else group.maximum


def _drawn(group: Group) -> Iterator[DrawnMachine]:
    least = 0 if isinstance(group.minimum, Unknown) else group.minimum
    for number in range(1, min(_most(group), MOST_MACHINES) + 1):
        yield DrawnMachine(words=f"machine {number}", may=number > least)


def _interfaces(group: Group) -> str:
    if group.fabric is None:
        return "no fabric interfaces"
    number = group.fabric.interfaces
    shown = "unknown" if isinstance(number, Unknown) else str(number)
    return f"{shown} fabric interface{'' if number == 1 else 's'}"


def _placement(group: Group) -> str:
    if group.fabric is None:
        return ""
    placement = group.fabric.placement
    return "unknown" if isinstance(placement, Unknown) else placement or "none"
