"""The metric that a pool scales on, as the policy of an autoscaler."""

from decimal import Decimal
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.gcp.userdata import MEMORY_USED, UTILIZATION
from gpuinfra.errors import InputError
from gpuinfra.model import Machine
from gpuinfra.specs.schema import ScaleOn

MACHINES: Final = 'resource.type = "gce_instance"'
USED_MEMORY_FILTER: Final = f'{MACHINES} AND metric.labels.memory_state = "used"'

WARMUP: Final = 300
"""Seconds before a new machine's figures count: it pulls its image and loads its model first."""


def policy(
    name: str, scale_on: ScaleOn, machine: Machine, *, minimum: int, maximum: int
) -> dict[str, Any]:
    """Return the policy that scales the group between its bounds to keep the metric at target.

    Raises:
        InputError: nothing on Google Cloud tells the figure.
    """
    return {
        "minReplicas": minimum,
        "maxReplicas": maximum,
        "cooldownPeriod": WARMUP,
        "mode": "ON",
        "metrics": [metric(name, scale_on, machine)],
    }


def metric(name: str, scale_on: ScaleOn, machine: Machine) -> dict[str, Any]:
    """Return the metric of a machine and its target.

    Each GPU has a series of its own; the autoscaler adds up those of a machine, so the target is
    that of all its GPUs together:
    https://docs.cloud.google.com/compute/docs/autoscaler/scaling-cloud-monitoring-metrics

    Raises:
        InputError: the pool wants to follow its requests, which a balancer that passes packets
            on does not count, or the machine's memory is not known.
    """
    gpus = ceil(machine.gpu_count)
    if scale_on.gpu_utilization is not None:
        return _gauge(UTILIZATION, MACHINES, scale_on.gpu_utilization * 100 * gpus)
    if scale_on.gpu_memory is not None and machine.gpu_memory_gib is not None:
        memory_bytes = machine.gpu_memory_gib * GIB * machine.gpu_count
        return _gauge(MEMORY_USED, USED_MEMORY_FILTER, scale_on.gpu_memory * memory_bytes)
    follows = "memory of its GPUs" if scale_on.gpu_memory is not None else "requests"
    raise InputError.of(
        f"{name}: on Google Cloud this pool has no metric for {follows}",
        path=(name, "scale_on"),
        allowed="gpu_utilization; or gpu_memory if the machine type's memory is known",
        fix="set scale_on: {gpu_utilization: 70%}",
    )


def _gauge(name: str, series: str, target: Decimal) -> dict[str, Any]:
    return {"name": name, "filter": series, "type": "GAUGE", "target": float(target)}
