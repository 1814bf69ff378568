"""Witnesses of a whole declared stack on AWS: that its resources fit each other.

They hold what one resource says against what another one does: an alarm against the metrics that
machines send, a function's environment against its code, a condition against the tags that are
there, and what is left out against what AWS then does by itself.
"""

from collections.abc import Iterator

from gpuinfra.graph import ResourceGraph


def complaints(graph: ResourceGraph) -> list[str]:
    """Everything that does not fit, each with the resource's key."""
    return list(_of(graph))


def _of(graph: ResourceGraph) -> Iterator[str]:
    from tests.witnesses.aws import (
        code,
        companions,
        defaults,
        granted,
        measured,
        order,
        ports,
        rights,
    )
    from tests.witnesses.aws.stack import Stack

    stack = Stack(graph)
    for witness in (measured, granted, rights, code, companions, defaults, ports, order):
        yield from witness.complaints(stack)
