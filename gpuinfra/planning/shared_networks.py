"""The networks that workloads share, in each region that one of them may use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.children import ROOT
from gpuinfra.clouds.declaring.network import NetworkMember
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.model import Caps, Group, Item, Plan, SharedNetwork
from gpuinfra.planning.declared_stack import network_spec, shares
from gpuinfra.planning.graph_rows import rows
from gpuinfra.planning.resource_plan import from_resources
from gpuinfra.specs.schema import Stack


def networks(stack: Stack, plan: Plan, shared: Sequence[Item]) -> Iterator[SharedNetwork]:
    """Yield the shared networks of each region in which workloads have rungs, declared or not.

    Args:
        stack: the file.
        plan: its workloads, with all rungs.
        shared: what costs money in those that are declared.
    """
    stand = {group.name: (group.cloud, group.rung.region) for group in plan.groups}
    for place, groups in _members(stack, plan).items():
        cloud, region = place
        items = tuple(item for item in shared if (item.cloud, item.region) == place)
        most = items
        if len(groups) > sum(stand[name] == place for name in {group.name for group in groups}):
            most = _items(stack.name, _graph(stack, place, groups))
        yield SharedNetwork(
            cloud=cloud,
            region=region,
            workloads=tuple(dict.fromkeys(group.name for group in groups)),
            items=items,
            maximum_items=most,
        )


def _members(stack: Stack, plan: Plan) -> dict[tuple[str, str], tuple[Group, ...]]:
    """Return the workloads that may share a network, by cloud and region, on their rungs there.

    Of the rungs of a workload that have the same zones, the first; active ones come first.
    """
    stand = [(group, group.active_rung) for group in plan.groups]
    rung_positions = [(group, index) for group in plan.groups for index in range(len(group.rungs))]
    workloads = stack.workloads
    members: dict[tuple[str, str], dict[tuple[str, tuple[str, ...]], Group]] = {}
    for group, index in (*stand, *rung_positions):
        rung = group.rungs[index]
        if shares(stack, workloads[group.name]):
            network_place = members.setdefault((group.cloud, rung.region), {})
            network_place.setdefault((group.name, rung.zones), replace(group, active_rung=index))
    return {network_place: tuple(groups.values()) for network_place, groups in members.items()}


def _graph(
    stack: Stack, cloud_and_region: tuple[str, str], groups: Sequence[Group]
) -> ResourceGraph:
    """Return the network of a region alone, with all workloads that may use it."""
    graph = ResourceGraph()
    graph.add(Resource(ROOT_KEY, ROOT, stack.name, {}))
    cloud, region = cloud_and_region
    workloads = stack.workloads
    members = {
        f"{group.name} {index}": NetworkMember(group=group, work=workloads[group.name])
        for index, group in enumerate(groups)
    }
    provider_of(cloud).declare.declare_network(network_spec(stack, region), members, graph)
    return graph


def _items(name: str, graph: ResourceGraph) -> tuple[Item, ...]:
    """Return the items with a price in a network that is declared alone, as the stack's own."""
    return tuple(
        replace(item, subject=name, name=name, resource="", group=None)
        for item in from_resources(rows(graph), name=name, caps=Caps()).items
    )
