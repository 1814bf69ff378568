"""Over every child of every component: names that never meet, and arguments that can be read."""

from itertools import permutations

import pulumi
import pytest

from gpuinfra.clouds.aws.build import bucket, budget, names, network, pool, training
from gpuinfra.clouds.aws.network import pool_network, training_network
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.shapes import shapes_of

ZONES = tuple(f"us-east-1{letter}" for letter in "abcdef")
COMPONENTS: dict[str, Kinds] = {
    "training": {**training.KINDS, **network.kinds(training_network("us-east-1", ZONES, 2))},
    "pool": {**pool.KINDS, **network.kinds(pool_network("us-east-1", ZONES))},
    "bucket": bucket.KINDS,
    "budget": budget.KINDS,
}
KINDS = {kind for kinds in COMPONENTS.values() for kind in kinds.values()}


def meets(one: str, other: str) -> bool:
    """Whether some component's child `one` is named as another component's child `other`."""
    return names.logical("", one).endswith(names.logical("", other))


@pytest.mark.parametrize("kinds", COMPONENTS.values(), ids=COMPONENTS)
def test_no_two_components_make_children_of_one_name_and_type(kinds: Kinds) -> None:
    same = [(one, other) for one, other in permutations(kinds, 2) if kinds[one] is kinds[other]]

    assert [pair for pair in same if meets(*pair)] == []


def test_the_comparison_sees_a_name_that_ends_in_another() -> None:
    assert meets("clients_security_group", "security_group")
    assert not meets("insecurity_group", "security_group")


@pytest.mark.parametrize("kind", sorted(KINDS, key=str), ids=lambda kind: kind.__name__)
def test_the_blocks_of_every_child_can_be_read(kind: type[pulumi.CustomResource]) -> None:
    hinted = {
        name
        for name, hint in kind._internal_init.__annotations__.items()  # type: ignore[attr-defined]
        if "ArgsDict" in str(hint)
    }
    blocks = {name for name, shape in shapes_of(kind).items() if shape.keys}

    assert blocks == hinted
