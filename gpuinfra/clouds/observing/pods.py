"""Pods: those on counted nodes, which add no cost, and how many replicas scalers may make."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.namespaces import may_be_in, namespace_of
from gpuinfra.clouds.observing.values import at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown

_Index = TypeVar("_Index", bound=Index)

_SCALER: Final = re.compile(
    r"kubernetes:(?:autoscaling/v\w+:HorizontalPodAutoscaler|keda\.sh/v\w+:ScaledObject)"
)
_MAXIMA: Final = ("maxReplicas", "maxReplicaCount")
"""https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
https://keda.sh/docs/latest/reference/scaledobject-spec/ (neither re-read: *unverified*)"""


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


def scaled_replicas(pods: Resource, index: Index) -> Iterator[int | Unknown]:
    """Yield the most replicas of a StatefulSet that each scaler of the stack may make."""
    scalers = index.memo(
        "scalers of pods",
        lambda: [autoscaler for autoscaler in index if _SCALER.fullmatch(autoscaler.type)],
    )
    for scaler in scalers:
        if _may_scale(scaler, pods):
            spec = scaler.inputs.get("spec")
            maxima = (whole_number(at(spec, key)) for key in _MAXIMA)
            yield next((most for most in maxima if most is not None), UNKNOWN)


def _may_scale(scaler: Resource, pods: Resource) -> bool:
    """Return whether a scaler may set the replicas of a StatefulSet."""
    target = at(scaler.inputs.get("spec"), "scaleTargetRef")
    names = text(at(target, "name")), text(at(pods.inputs, "metadata", "name"))
    apart = all(isinstance(name, str) for name in names) and names[0] != names[1]
    near = not apart and may_be_in(namespace_of(scaler.inputs), pods.inputs)
    return near and text(at(target, "kind")) in {UNKNOWN, "StatefulSet"}
