"""Pods in clusters whose nodes are all counted: they add no machines and no cost."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.observing.index import Index
from gpuinfra.model import Resource, Rows

_Index = TypeVar("_Index", bound=Index)


def pod_rows(
    silent: Rows, resource: Resource, index: _Index, counts_nodes: Callable[[_Index], bool]
) -> Rows:
    """Return the rows of an object in a cluster: none for pods where all nodes are counted.

    Args:
        silent: what is said of it without a cluster.
        resource: the object.
        index: of the stack.
        counts_nodes: whether the clusters have machines that count, and none are made for pods.
    """
    reason = machineless_types.no_machine_reason(resource.type, resource.inputs)
    if not reason or not index.memo("nodes counted", lambda: counts_nodes(index)):
        return silent
    return Rows(
        not_judged=tuple(
            replace(row, reason=reason, may_start_machines=False) for row in silent.not_judged
        )
    )
