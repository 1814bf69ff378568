"""Firewalls that no machines answer for: no machine of this stack is behind them."""

from collections.abc import Iterable, Iterator

from gpuinfra.clouds.gcp.observe import kinds, options, traffic
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.networks import Vpc, vpc_of, wires_of
from gpuinfra.clouds.observing.doors import doors_of
from gpuinfra.model import Door, Group, Resource, Unknown


def doors(groups: Iterable[Group], index: Index) -> Iterator[Door]:
    """Return where the internet may log in, besides what the groups of machines tell."""
    walls = index.of(kinds.FIREWALL)
    if not walls:
        return
    machines = list(_machines({one.subject for one in groups}, index))
    for wall in walls:
        vpc = vpc_of(wall, "network", wall.inputs.get("network"), index)
        if not _answered(wall, vpc, machines, index):
            yield from doors_of("gcp", wall, traffic.lets_login(wall, vpc, index))


def _machines(subjects: set[str], index: Index) -> Iterator[tuple[frozenset[str], traffic.Marks]]:
    """The networks that judged machines stand in, and what firewalls know them by."""
    for kind in sorted(kinds.MACHINES):
        for machines in index.of(kind):
            if machines.urn not in subjects:
                continue
            for option in options.asked_of(machines, index).options:
                wires = wires_of(option.launch, index)
                placed = () if isinstance(wires, Unknown) else wires
                networks = (one.vpc for one in placed if isinstance(one.vpc, Vpc))
                yield (
                    frozenset(one.key for one in networks),
                    traffic.marks_of(option.launch, index),
                )


def _answered(
    wall: Resource,
    vpc: Vpc | Unknown,
    machines: Iterable[tuple[frozenset[str], traffic.Marks]],
    index: Index,
) -> bool:
    """Whether machines that are judged stand behind a firewall, and so say what it opens."""
    return not isinstance(vpc, Unknown) and any(
        vpc.key in networks and traffic.is_behind(wall, vpc, marks, index) is not False
        for networks, marks in machines
    )
