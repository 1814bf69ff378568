"""The declared graphs that tests share: every stack on its first and on its last rung."""

from functools import cache

from gpuinfra.graph import ResourceGraph
from gpuinfra.planning import choices, declared
from gpuinfra.stackfile import Document
from tests.components.test_invariant import documents

RUNGS = {"first": 0, "last": -1}


@cache
def shared() -> dict[str, Document]:
    """The stacks of the tests by name."""
    return documents()


def graph(name: str, rung: str) -> ResourceGraph:
    """What a stack declares with every workload on the rung."""
    stack = shared()[name].stack
    rungs = {group.name: group.rungs[RUNGS[rung]].label for group in choices(stack).groups}
    return declared(stack, choices(stack, rungs=rungs))
