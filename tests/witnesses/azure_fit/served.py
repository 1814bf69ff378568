"""Requests come to where a pool says that it answers, and health is asked where it serves."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from gpuinfra.graph import ComputedValue
from tests.witnesses.aws.stack import Stack, each

HTTP: Final = 80
HEALTH: Final = "virtualMachineProfile.extensionProfile.extensions.settings"


def complaints(stack: Stack) -> Iterator[str]:
    """Ports that do not fit.

    The extension asks from inside of a machine, at the port that is served:
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-health-extension
    """
    for balancer, inputs in stack.of("LoadBalancer"):
        rules = list(each(inputs, "loadBalancingRules"))
        told = _told(stack.graph.outputs.get(str(balancer.parent)))
        for rule in rules:
            if told is not None and rule.get("frontendPort") != told:
                yield f"{balancer.key}: the pool says that it answers at port {told}"
        served = {rule.get("backendPort") for rule in rules}
        for group, own in stack.of("VirtualMachineScaleSet"):
            if group.parent != balancer.parent:
                continue
            for settings in each(own, HEALTH):
                if settings.get("port") not in served:
                    yield f"{group.key}: it is asked for its health where it does not serve"


def _told(output: Any) -> int | None:
    """The port of the URL that a pool's output is; None for anything else."""
    url = getattr(output, "url", output)
    if not isinstance(url, ComputedValue):
        return None
    return urlsplit(url.function("id", [{"privateIPAddress": "10.0.0.4"}])).port or HTTP
