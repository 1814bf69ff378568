"""What stands before a resource of a graph."""

from gpuinfra.graph import ResourceGraph, references


def reachable(graph: ResourceGraph, key: str) -> frozenset[str]:
    """The keys of all resources that one refers to or depends on, also indirectly.

    They are created before it, and are deleted after it.
    """
    reached: set[str] = set()
    waiting = [key]
    while waiting:
        new = set(references(graph.resources[waiting.pop()])) - reached
        reached |= new
        waiting += new
    return frozenset(reached)
