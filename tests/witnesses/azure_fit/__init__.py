"""Witnesses of a whole declared stack on Azure: that its resources fit each other.

They hold what one resource says against what another one does: a script against the roles of its
machines, a port against the one that is served, a container against its mounts, and what is left
out against what Azure then does by itself.
"""

from collections.abc import Iterator
from typing import Final

from gpuinfra.graph import ResourceGraph

PACKAGE: Final = "azure-native:"


def complaints(graph: ResourceGraph) -> list[str]:
    """Everything that does not fit, each with the resource's key."""
    return list(_of(graph))


def _of(graph: ResourceGraph) -> Iterator[str]:
    from tests.witnesses.aws import defaults
    from tests.witnesses.aws.stack import Stack
    from tests.witnesses.azure_fit import budgets, machines, served, stored
    from tests.witnesses.azure_fit.table import DEFAULTS

    stack = Stack(graph, PACKAGE)
    yield from defaults.complaints(stack, DEFAULTS)
    for witness in (budgets, machines, served, stored):
        yield from witness.complaints(stack)
