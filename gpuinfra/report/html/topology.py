"""The regions and zones of a workload, and the network around it, from its resources."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from gpuinfra.clouds.declaring.names import group_resource
from gpuinfra.model import NOWHERE, Group, Plan, Resource, Unknown
from gpuinfra.records import record
from gpuinfra.units import format_count

MOST_MACHINES: Final = 8
"""The maximum number of machines drawn per workload."""

MOST_DRAWN: Final = 50
"""The maximum number of workloads drawn."""

MOST_NAMES: Final = 8
"""The maximum number of names of a kind in a drawing."""

_GROUP: Final = group_resource("")
"""The end of the name of the resource that holds a workload's machines."""

TABLE: Final = Path(__file__).with_name("network_types.json")


@record
class DrawnMachine:
    """A machine in a drawing; `is_optional` is true if it runs only while a pool is larger."""

    label: str
    is_optional: bool = False


@record
class Topology:
    """The drawing of one workload.

    Attributes:
        group: the workload.
        cloud: its cloud.
        region: its region; `unknown` where that is not stated.
        zones: of its machines; empty where none is named.
        machine: the machine type.
        count: how many machines, in words.
        drawn_machines: those that the page shows.
        hidden: how many more there may be.
        gpus: the GPUs of one machine, in words; empty where no table knows it.
        interfaces: the fabric interfaces of one machine, in words; empty of a pool, or of a single
            machine, without any.
        placement: how the machines are placed, in words; empty where they have no fabric.
        networks: the names of its networks.
        subnets: the subnets of its machines, each with its zone.
        related_resources: the other resources in these networks, each a kind and its names.
    """

    group: str
    cloud: str
    region: str
    zones: tuple[str, ...]
    machine: str
    count: str
    drawn_machines: tuple[DrawnMachine, ...]
    hidden: int
    gpus: str
    interfaces: str
    placement: str
    networks: tuple[str, ...]
    subnets: tuple[str, ...]
    related_resources: tuple[tuple[str, tuple[str, ...]], ...]


def topologies(
    plan: Plan,
    resources: Sequence[Resource],
    group_name: Callable[[Group], str],
    gpus: Callable[[Group], str],
) -> tuple[Topology, ...]:
    """Return the drawings of the first workloads of a plan.

    Args:
        plan: the workloads.
        resources: what is declared, or what Pulumi shows.
        group_name: the name or the URN of the resource that holds a workload's machines.
        gpus: the GPUs of one machine of a workload, in words.
    """
    index = _References(resources)
    return tuple(
        _topology(group, index, group_name(group), gpus(group), _other_prefixes(group, plan))
        for group in plan.groups[:MOST_DRAWN]
    )


class _References:
    """The resources by URN and name, with the references between them and networks."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self.by_urn = {resource.urn: resource for resource in resources}
        self.by_name = {resource.name: resource for resource in resources}
        self.place = {urn: resource_index for resource_index, urn in enumerate(self.by_urn)}
        self.to = {
            resource.urn: frozenset(_targets(resource)) & self.by_urn.keys()
            for resource in resources
        }
        self.by = defaultdict[str, list[str]](list)
        for resource in resources:
            for urn in self.to[resource.urn] if resource.type in network_types() else ():
                self.by[urn].append(resource.urn)

    def network_resources(self, name: str) -> tuple[list[Resource], list[Resource]]:
        """Return the network resources that a resource refers to, directly or indirectly.

        The second has also the parts that refer to any of these. Both are in the order given.
        """
        start = self.by_urn.get(name) or self.by_name.get(name)
        if start is None:
            return [], []
        referenced_urns = _reachable([start.urn], self.to)
        network_urns = {urn for urn in referenced_urns if self.by_urn[urn].type in network_types()}
        return self._sorted_resources(network_urns), self._sorted_resources(
            network_urns | _reachable(network_urns, self.by)
        )

    def _sorted_resources(self, urns: Iterable[str]) -> list[Resource]:
        return [self.by_urn[urn] for urn in sorted(urns, key=self.place.__getitem__)]


def _reachable(start: Iterable[str], steps: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the URNs reachable from some URNs in one or more steps."""
    reached_urns: set[str] = set()
    waiting = list(start)
    while waiting:
        further = set(steps.get(waiting.pop(), ())) - reached_urns
        reached_urns |= further
        waiting += further
    return reached_urns


def _targets(resource: Resource) -> Iterator[str]:
    for urns in resource.relations.values():
        yield from urns


@cache
def network_types() -> Mapping[str, str]:
    """Return the network resource types, with their role in a drawing."""
    types: dict[str, str] = json.loads(TABLE.read_text(encoding="utf-8"))["types"]
    return types


def _other_prefixes(group: Group, plan: Plan) -> tuple[str, ...]:
    """Return the name prefixes of other workloads: `chat-`, from a group `chat-group`.

    But for those that its own resources have, too.
    """
    names = {f"{_name_stem(other.name)}-" for other in plan.groups} - {
        f"{_name_stem(group.name)}-"
    }
    return tuple(name for name in names if not group.name.startswith(name))


def _name_stem(name: str) -> str:
    return name.removesuffix(_GROUP)


def _topology(
    group: Group, index: _References, name: str, gpus: str, other_prefixes: tuple[str, ...]
) -> Topology:
    own_network, other_network = index.network_resources(name)
    other_network = [
        row
        for row in other_network
        if row in own_network or not row.name.startswith(other_prefixes)
    ]
    types = network_types()

    def names(kind: str) -> tuple[str, ...]:
        return _first_names([row.name for row in other_network if types[row.type] == kind])

    kinds = (kind for kind in dict.fromkeys(types.values()) if kind not in {"network", "subnet"})
    rung = group.rung
    subnets = [row for row in own_network if types[row.type] == "subnet"]
    return Topology(
        group=group.name,
        cloud=group.cloud,
        region=rung.region or NOWHERE,
        zones=rung.zones,
        machine=rung.machine,
        count=_count(group),
        drawn_machines=tuple(_drawn_machines(group)),
        hidden=max(0, _max_machines(group) - MOST_MACHINES),
        gpus=gpus.removesuffix(" each") if group.maximum == 1 else gpus,
        interfaces=_interfaces(group),
        placement=_placement(group),
        networks=names("network"),
        subnets=_first_names([f"{row.name}{_zone(row)}" for row in subnets]),
        related_resources=tuple((kind, names(kind)) for kind in kinds if names(kind)),
    )


def _first_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first of many names, and how many more there are."""
    omitted_count = len(names) - MOST_NAMES
    return (*names[:MOST_NAMES], *((f"{omitted_count} more",) if omitted_count > 0 else ()))


def _zone(subnet: Resource) -> str:
    """Return a subnet's zone in parentheses; empty if unknown."""
    zone = subnet.inputs.get("availabilityZone")
    return f" ({zone})" if isinstance(zone, str) else ""


def _count(group: Group) -> str:
    least, most = (
        "unknown" if isinstance(number, Unknown) else str(number)
        for number in (group.minimum, group.maximum)
    )
    return least if least == most else f"{least} to {most}"


def _max_machines(group: Group) -> int:
    """Return the maximum number of machines; 1 if it is unknown."""
    return 1 if isinstance(group.maximum, Unknown) else group.maximum


def _drawn_machines(group: Group) -> Iterator[DrawnMachine]:
    least = 0 if isinstance(group.minimum, Unknown) else group.minimum
    for number in range(1, min(_max_machines(group), MOST_MACHINES) + 1):
        yield DrawnMachine(label=f"machine {number}", is_optional=number > least)


def _interfaces(group: Group) -> str:
    if group.fabric is None:
        is_alone = group.maximum == 1
        return "" if is_alone or group.purpose == "inference" else "no fabric interfaces"
    number = group.fabric.interfaces
    number_text = "an unknown number of" if isinstance(number, Unknown) else str(number)
    return format_count(number_text, "fabric interface")


def _placement(group: Group) -> str:
    if group.fabric is None:
        return ""
    placement = group.fabric.placement
    return "unknown" if isinstance(placement, Unknown) else placement or "none"
