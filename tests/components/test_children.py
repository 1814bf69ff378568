"""Over every child that the stacks of the tests declare: names that never meet, and blocks."""

from collections import defaultdict
from functools import cache
from itertools import permutations

import pytest

from gpuinfra.clouds import CLOUDS, cloud_of
from gpuinfra.clouds.declaring import names
from gpuinfra.components.argument_types import shapes_of
from gpuinfra.components.register import class_of
from gpuinfra.graph import STASH
from gpuinfra.planning import choices, stack_graph
from tests.components.stack_documents import documents

Children = dict[str, str]
"""Types by child."""


@cache
def components() -> dict[tuple[str, str], Children]:
    """The children of every kind of component, by cloud and the component's type."""
    children: dict[tuple[str, str], Children] = defaultdict(dict)
    for document in documents().values():
        graph = stack_graph(document.stack, choices(document.stack))
        for resource in graph.resources.values():
            cloud = cloud_of(resource.type)
            if cloud is not None and resource.parent is not None and resource.type != STASH:
                children[cloud, graph.resources[resource.parent].type][resource.child] = (
                    resource.type
                )
    return children


def meets(first: str, other: str) -> bool:
    """Whether some component's child `one` is named as another component's child `other`."""
    return names.logical("", first).endswith(names.logical("", other))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_two_components_make_children_of_one_name_and_type(cloud: str) -> None:
    kinds = {kind: of for (where, kind), of in components().items() if where == cloud}
    met = [
        (kind, first, other)
        for kind, children in kinds.items()
        for first, other in permutations(children, 2)
        if children[first] == children[other]
        and not kind.endswith(":Stack")
        and meets(first, other)
    ]

    assert len(kinds) >= 4
    assert met == []


def test_the_comparison_sees_a_name_that_ends_in_another() -> None:
    assert meets("clients_security_group", "security_group")
    assert not meets("insecurity_group", "security_group")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_blocks_of_every_child_can_be_read(cloud: str) -> None:
    types = {
        type_
        for (where, _), children in components().items()
        if where == cloud
        for type_ in children.values()
    }
    for kind in map(class_of, types):
        hinted = {
            name
            for name, hint in vars(kind)["_internal_init"].__annotations__.items()
            if "ArgsDict" in str(hint)
        }
        blocks = {name for name, shape in shapes_of(kind).items() if shape.keys}

        assert blocks == hinted, kind
