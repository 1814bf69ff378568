"""Witnesses of a whole declared stack on Google Cloud: that its resources fit each other.

They hold firewalls against what listens, roles against what a script mounts, settings against
those without which they do nothing, and what is left out against the documented default.
"""

from collections.abc import Iterator

from gpuinfra.graph import ResourceGraph


def complaints(graph: ResourceGraph) -> list[str]:
    """Everything that does not fit, each with the resource's key."""
    return list(_of(graph))


def _of(graph: ResourceGraph) -> Iterator[str]:
    from tests.witnesses.aws.stack import Stack
    from tests.witnesses.google import defaults, idle, mounted, openings

    stack = Stack(graph, "gcp:")
    for witness in (defaults, idle, mounted, openings):
        yield from witness.complaints(stack)
