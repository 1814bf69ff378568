"""Autoscale settings: a pool's metric or fixed size, and the end of a training workload."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.clouds.azure.userdata import GPU_MEMORY, GPU_UTILIZATION, METRIC_NAMESPACE
from gpuinfra.clouds.declaring.deadline import long_before
from gpuinfra.graph import compute
from gpuinfra.model import Group, Unknown
from gpuinfra.specs.schema import ScaleOn

SHRINKS_AT: Final = Decimal("0.6")
"""The share of its target below which a pool shrinks. Azure takes no machine away when the rest
would at once be above the other threshold; two that are near would move back and forth:
https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-flapping"""

METRIC_INTERVAL: Final = "PT1M"
WINDOW: Final = "PT5M"
"""The figure is the mean of the last minutes over all machines."""

GROWS_AFTER: Final = "PT5M"
SHRINKS_AFTER: Final = "PT10M"
"""How long after a change the next may come: a new machine pulls its image and loads its model."""


def pool_metric(scale_on: ScaleOn) -> tuple[str, Decimal]:
    """Return the metric that a pool's machines publish, and its target in percent.

    Raises:
        ValueError: it is another one; planning refuses requests, which nothing counts here.
    """
    if scale_on.gpu_utilization is not None:
        return GPU_UTILIZATION, scale_on.gpu_utilization * 100
    if scale_on.gpu_memory is not None:
        return GPU_MEMORY, scale_on.gpu_memory * 100
    raise ValueError("a pool on Azure scales on GPU load or GPU memory")


def autoscale(
    children: Children, group: Group, machines: Any, metric: str, target: Decimal
) -> None:
    """Declare the setting that scales the set up and down by the metric.

    Args:
        children: of the component.
        group: its size, at least and at most.
        machines: the scale set's id, to which its machines publish the figure.
        metric: the figure.
        target: in percent.
    """
    children.make(
        "azure-native:monitor:AutoscaleSetting",
        "autoscale",
        enabled=True,
        targetResourceUri=machines,
        profiles=[
            {
                "name": "size",
                "capacity": {
                    "minimum": str(group.minimum),
                    "maximum": str(group.maximum),
                    "default": str(group.minimum),
                },
                "rules": [
                    {
                        "metricTrigger": _trigger(machines, metric, "GreaterThan", target),
                        "scaleAction": _action("Increase", GROWS_AFTER),
                    },
                    {
                        "metricTrigger": _trigger(
                            machines, metric, "LessThan", target * SHRINKS_AT
                        ),
                        "scaleAction": _action("Decrease", SHRINKS_AFTER),
                    },
                ],
            }
        ],
    )


def time_limit_setting(
    children: Children, nodes: int, time: timedelta, moment: Any, machines: Any
) -> None:
    """Declare the setting that ends a scale set at a moment: none of its machines is left.

    Until then a profile holds it at its size; for all other times Azure uses the default profile,
    which it looks at every minute at most, and scales in to its maximum:
    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-understanding-settings,
    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-best-practices

    Args:
        children: of the component.
        nodes: the set's size.
        time: how long its machines stay.
        moment: when that is over, in UTC and without its zone.
        machines: the scale set's id.
    """
    window = {
        "timeZone": "UTC",
        "start": compute(partial(long_before, time), moment),
        "end": moment,
    }
    children.make(
        "azure-native:monitor:AutoscaleSetting",
        "end",
        enabled=True,
        targetResourceUri=machines,
        profiles=[
            {"name": "after the run", "capacity": _fixed_size(0), "rules": []},
            {"name": "run", "capacity": _fixed_size(nodes), "rules": [], "fixedDate": window},
        ],
    )


def fixed_size_setting(children: Children, count: int | Unknown, machines: Any) -> None:
    """Declare the setting that holds a scale set at a size, for as long as the set exists.

    An evicted machine is deleted and lowers the size of its set. Azure tries to restore it for a
    limited time only, and not at all where an autoscale setting is, which scales back out to its
    minimum:
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot#try--restore
    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-best-practices

    Args:
        children: of the component.
        count: the size.
        machines: the scale set's id.
    """
    children.make(
        "azure-native:monitor:AutoscaleSetting",
        "autoscale",
        enabled=True,
        targetResourceUri=machines,
        profiles=[{"name": "size", "capacity": _fixed_size(count), "rules": []}],
    )


def _fixed_size(count: int | Unknown) -> Mapping[str, str]:
    """Return a size that is kept; Azure wants the number as text."""
    return dict.fromkeys(("minimum", "maximum", "default"), str(count))


def _trigger(machines: Any, metric: str, operator: str, threshold: Decimal) -> Mapping[str, Any]:
    return {
        "metricName": metric,
        "metricNamespace": METRIC_NAMESPACE,
        "metricResourceUri": machines,
        "operator": operator,
        "statistic": "Average",
        "threshold": float(threshold),
        "timeAggregation": "Average",
        "timeGrain": METRIC_INTERVAL,
        "timeWindow": WINDOW,
    }


def _action(direction: str, cooldown: str) -> Mapping[str, str]:
    """Return a scale action of one machine; Azure requires the number as text."""
    return {"direction": direction, "type": "ChangeCount", "value": "1", "cooldown": cooldown}
