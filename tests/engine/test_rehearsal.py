"""A program run without an engine: everything that it registers, again and again."""

from pathlib import Path

from gpuinfra.engine.rehearsal import Rehearsal, rehearse
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import read

STACKS = Path(__file__).parents[2] / "stacks"


def of(name: str) -> Rehearsal:
    stack = read(STACKS / name).stack
    return rehearse(stack, from_stack(stack))


def test_it_shows_types_names_and_inputs() -> None:
    made = {one.name: one for one in of("quickstart").resources}

    assert made["trainer-group"].type == "aws:autoscaling/group:Group"
    assert made["trainer-group"].inputs["maxSize"] == 2
    assert not made["trainer-group"].component
    assert made["trainer"].component


def test_a_second_run_is_as_the_first() -> None:
    first, second = of("quickstart"), of("quickstart")

    assert [(one.type, one.name) for one in sorted(first.resources, key=str)] == [
        (one.type, one.name) for one in sorted(second.resources, key=str)
    ]


def test_all_that_is_registered_stands_below_the_root() -> None:
    run = of("quickstart")
    below, todo = set(), [run.root]
    while todo:
        one = todo.pop()
        below.add((one.pulumi_resource_type, one.pulumi_resource_name))
        todo += one._childResources

    assert below == {(one.type, one.name) for one in run.resources}
