"""Over every child of every component: names that never meet, and arguments that can be read."""

from itertools import permutations

import pulumi
import pytest

from gpuinfra.clouds.azure.build import bucket, budget, identity, pool, training
from gpuinfra.clouds.building import names
from gpuinfra.clouds.building.buckets import Use
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.shapes import shapes_of

USES = [Use(bucket="group", prefix="", writable=writable) for writable in (False, True)]
COMPONENTS: dict[str, Kinds] = {
    "training": {**training.KINDS, **identity.kinds(USES)},
    "pool": {**pool.KINDS, **identity.kinds(USES)},
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


def test_buckets_of_other_names_have_rights_of_their_own() -> None:
    (one,), (other,) = (
        set(identity.kinds([Use(bucket=name, prefix="", writable=False)])) - set(identity.KINDS)
        for name in ("data", "data-2")
    )

    assert one != other


@pytest.mark.parametrize("kind", sorted(KINDS, key=str), ids=lambda kind: kind.__name__)
def test_the_blocks_of_every_child_can_be_read(kind: type[pulumi.CustomResource]) -> None:
    hinted = {
        name
        for name, hint in kind._internal_init.__annotations__.items()  # type: ignore[attr-defined]
        if "ArgsDict" in str(hint)
    }
    blocks = {name for name, shape in shapes_of(kind).items() if shape.keys}

    assert blocks == hinted
