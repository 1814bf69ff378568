"""The metrics by which autoscale settings scale a scale set."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.scaling import settings_of
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.values import amount, as_list, at, text
from gpuinfra.model import UNKNOWN, Resource

_METRIC_KEYS: Final = (
    *("metricNamespace", "metricName", "metricResourceUri", "statistic", "timeAggregation"),
)
"""The trigger keys that identify a metric."""

_NEVER_REVERSED: Final = {"Increase": "shrinks again", "Decrease": "grows again"}


def autoscale_notes(resource: Resource, index: Index) -> Iterator[Remark]:
    """Yield the metrics by which a set scales, and a direction in which it never does.

    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-best-practices
    """
    for setting in settings_of(resource, index):
        profiles = as_list(setting.inputs.get("profiles"))
        rules = [rule for profile in profiles for rule in as_list(at(profile, "rules"))]
        directions = {text(at(rule, "scaleAction", "direction")) for rule in rules}
        for rule in rules:
            trigger = at(rule, "metricTrigger")
            names = (text(at(trigger, "metricNamespace")), text(at(trigger, "metricName")))
            if names[1] and UNKNOWN not in names:
                direction = text(at(rule, "scaleAction", "direction"))
                yield True, f"{direction} on the metric {names[1]} of {names[0] or 'the set'}"
        if _overlaps(rules):
            yield (
                False,
                (
                    "autoscaling scales in below a threshold above which it scales out: leave "
                    "a margin"
                ),
            )
        if len(directions) == 1 and (never := _NEVER_REVERSED.get(str(*directions))):
            yield False, f"autoscaling has rules in one direction only: the set never {never}"


def _overlaps(rules: Sequence[Any]) -> bool:
    """Return whether rules grow above one value and shrink below a higher one.

    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-flapping
    """
    limits: dict[tuple[Any, ...], dict[Any, Decimal]] = {}
    for rule in rules:
        trigger = at(rule, "metricTrigger")
        figure, limit = (
            tuple(at(trigger, key) for key in _METRIC_KEYS),
            amount(at(trigger, "threshold")),
        )
        if UNKNOWN not in figure and isinstance(limit, Decimal):
            direction_and_operator = (
                at(rule, "scaleAction", "direction"),
                at(trigger, "operator"),
            )
            limits.setdefault(figure, {})[direction_and_operator] = limit
    return any(
        grows <= shrinks
        for by_way in limits.values()
        if (grows := by_way.get(("Increase", "GreaterThan"))) is not None
        and (shrinks := by_way.get(("Decrease", "LessThan"))) is not None
    )
