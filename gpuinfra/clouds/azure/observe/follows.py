"""The figures by which autoscale settings let a scale set grow and shrink."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.scaling import settings_of
from gpuinfra.clouds.observing.faults import Said
from gpuinfra.clouds.observing.values import at, listed, text
from gpuinfra.model import UNKNOWN, Resource

_NEVER: Final = {"Increase": "shrinks again", "Decrease": "grows again"}


def said_of(resource: Resource, index: Index) -> Iterator[Said]:
    """Yield the figures by which a set grows and shrinks, and a way that it never goes.

    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-best-practices
    """
    for setting in settings_of(resource, index):
        profiles = listed(setting.inputs.get("profiles"))
        rules = [rule for one in profiles for rule in listed(at(one, "rules"))]
        ways = {text(at(rule, "scaleAction", "direction")) for rule in rules}
        for rule in rules:
            trigger = at(rule, "metricTrigger")
            named = (text(at(trigger, "metricNamespace")), text(at(trigger, "metricName")))
            if named[1] and UNKNOWN not in named:
                way = text(at(rule, "scaleAction", "direction"))
                yield True, f"{way} by {named[0] or 'its own'} {named[1]}"
        if len(ways) == 1 and (never := _NEVER.get(str(*ways))):
            yield False, f"autoscaling has rules in one direction alone: the set never {never}"
