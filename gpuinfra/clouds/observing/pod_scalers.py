"""Scalers of pods: how many replicas of a StatefulSet they may make."""

import re
from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.namespaces import may_be_in, namespace_of
from gpuinfra.clouds.observing.values import at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_SCALER: Final = re.compile(
    r"kubernetes:(?:autoscaling/v\w+:HorizontalPodAutoscaler|keda\.sh/v\w+:ScaledObject)"
)
_MAXIMA: Final = ("maxReplicas", "maxReplicaCount")
"""https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
https://keda.sh/docs/latest/reference/scaledobject-spec/ (neither re-read: *unverified*)"""


def scaled_replicas(pods: Resource, index: Index) -> Iterator[int | Unknown]:
    """Yield the most replicas of a StatefulSet that each scaler of the stack may make."""
    scalers = index.memo(
        "scalers of pods", lambda: [each for each in index if _SCALER.fullmatch(each.type)]
    )
    for scaler in scalers:
        if _may_scale(scaler, pods):
            spec = scaler.inputs.get("spec")
            stated = (whole_number(at(spec, key)) for key in _MAXIMA)
            yield next((most for most in stated if most is not None), UNKNOWN)


def _may_scale(scaler: Resource, pods: Resource) -> bool:
    """Return whether a scaler may set the replicas of a StatefulSet."""
    target = at(scaler.inputs.get("spec"), "scaleTargetRef")
    names = text(at(target, "name")), text(at(pods.inputs, "metadata", "name"))
    have_different_names = all(isinstance(name, str) for name in names) and names[0] != names[1]
    may_refer = not have_different_names and may_be_in(namespace_of(scaler.inputs), pods.inputs)
    return may_refer and text(at(target, "kind")) in {UNKNOWN, "StatefulSet"}
