"""What machines need until they are gone is deleted after them: their group depends on it.

While a group is deleted its machines still save their run and answer requests. Pulumi deletes a
resource after those that depend on it, so each of these resources has to be reachable from the
group: https://www.pulumi.com/docs/iac/concepts/resources/options/dependson/
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from gpuinfra.graph import Options, Resource, ResourceGraph, references
from gpuinfra.planning import choices, stack_graph
from tests.clouds.farewell import CLOUDS, Needs
from tests.components.stack_documents import documents
from tests.reachable import reachable

HOOK: Final = "aws:autoscaling/lifecycleHook:LifecycleHook"


def graphs(name: str) -> Iterator[ResourceGraph]:
    """A stack as its first rungs declare it, and as its last ones do."""
    stack = documents()[name].stack
    plan = choices(stack)
    for index in (0, -1):
        rungs = {group.name: group.rungs[index].label for group in plan.groups}
        yield stack_graph(stack, choices(stack, rungs=rungs))


def groups(graph: ResourceGraph) -> Iterator[tuple[Resource, Needs]]:
    """The groups of machines, with what their cloud needs."""
    for resource in graph.resources.values():
        for needs in CLOUDS.values():
            if resource.type in needs.groups and resource.parent is not None:
                yield resource, needs


def used(graph: ResourceGraph, group: Resource) -> Iterator[Resource]:
    """What stands in a group's own component, and in those of the buckets that it uses."""
    components = {graph.resources[key].parent for key in reachable(graph, group.key)}
    buckets = {
        component
        for component in components
        if component is not None and component.startswith("bucket.")
    }
    for component in sorted({str(group.parent), *buckets}):
        yield from graph.children(component)


def too_early(graph: ResourceGraph) -> list[tuple[str, str]]:
    """Groups, each with a resource that goes while its machines need it."""
    return [
        (group.key, resource.key)
        for group, needs in groups(graph)
        for resource in used(graph, group)
        if resource.type in needs.needed
        and resource.child not in needs.not_needed
        and resource.key not in reachable(graph, group.key)
    ]


@pytest.mark.parametrize("name", documents())
def test_what_machines_need_is_deleted_after_them(name: str) -> None:
    for graph in graphs(name):
        assert too_early(graph) == []


@pytest.mark.parametrize("name", documents())
def test_a_hook_holds_machines_until_their_group_is_gone(name: str) -> None:
    """Deleted by itself it would go before the group, which it refers to."""
    for graph in graphs(name):
        for resource in graph.resources.values():
            if resource.type == HOOK:
                assert resource.options.deleted_with == f"{resource.parent}/group"


@pytest.mark.parametrize("cloud", [cloud for cloud, needs in CLOUDS.items() if needs.groups])
def test_every_type_that_is_needed_is_declared_by_a_stack(cloud: str) -> None:
    """A type that no stack declares would be tested nowhere."""
    seen = {
        resource.type
        for name in documents()
        for graph in graphs(name)
        for group, _ in groups(graph)
        for resource in used(graph, group)
    }

    assert CLOUDS[cloud].needed - seen == set()
    assert seen & CLOUDS[cloud].groups


@pytest.mark.parametrize("name", documents())
def test_no_resource_depends_on_itself(name: str) -> None:
    for graph in graphs(name):
        for key in graph.resources:
            assert key not in reachable(graph, key)


@pytest.mark.parametrize("cloud", [cloud for cloud, needs in CLOUDS.items() if needs.groups])
def test_a_group_without_its_dependencies_is_seen(cloud: str) -> None:
    graph = next(
        graph
        for name in documents()
        for graph in graphs(name)
        if any(group.type in CLOUDS[cloud].groups for group, _ in groups(graph))
    )
    for group, _ in list(groups(graph)):
        bare = replace(group.options, depends_on=())
        graph.resources[group.key] = replace(group, options=bare)

    assert too_early(graph) != []


def test_reachable_follows_references_and_dependencies() -> None:
    graph = ResourceGraph()
    first = graph.add(Resource("a", "t", "a", {}))
    second = graph.add(Resource("b", "t", "b", {"list": [{"id": first["id"]}]}))
    third = graph.add(Resource("c", "t", "c", {}, options=Options(depends_on=(second.key,))))
    graph.add(Resource("d", "t", "d", {"id": first["id"]}))

    assert reachable(graph, "c") == {"a", "b"}
    assert reachable(graph, "d") == {"a"}
    assert reachable(graph, "a") == frozenset()
    assert references(third) == ("b",)
