"""Firewalls are as wide as what listens behind them, and no wider."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.graph import Ref
from tests.witnesses.aws.stack import Stack, each

PROXY: Final = "35.235.240.0/20"
LOGIN: Final = "22"
"""Where Identity-Aware Proxy comes from, and what it is for:
https://docs.cloud.google.com/iap/docs/using-tcp-forwarding"""


def complaints(stack: Stack) -> Iterator[str]:
    """Openings where nothing listens, or to more than the machines; machines without a login."""
    walls = list(stack.of("Firewall"))
    entered = {wall.parent for wall, inputs in walls if PROXY in each(inputs, "sourceRanges")}
    for template, _ in stack.of("InstanceTemplate"):
        if template.parent not in entered:
            yield f"{template.key}: no firewall lets Identity-Aware Proxy in"
    for wall, inputs in walls:
        network = wall.inputs.get("network")
        served = _served(stack, network)
        ports = [(allowed, list(each(allowed, "ports"))) for allowed in each(inputs, "allows")]
        for rule, named in ports:
            if not named and not _is_among(stack, wall.inputs, served=bool(served)):
                yield f"{wall.key}: all of {rule.get('protocol')} is open to more than machines"
        known = {LOGIN} if PROXY in each(inputs, "sourceRanges") else served
        for port in {str(port) for _, named in ports for port in named} - known:
            yield f"{wall.key}: nothing listens on {port}"


def _served(stack: Stack, network: Any) -> set[str]:
    """The ports that are forwarded in a network; health checks ask one of them."""
    return {
        str(port)
        for rule, inputs in stack.of("ForwardingRule")
        if rule.inputs.get("network") == network
        for port in each(inputs, "ports")
    }


def _is_among(stack: Stack, inputs: Any, *, served: bool) -> bool:
    """Whether a firewall is about machines that work together: none that serve, no strangers."""
    if inputs.get("sourceServiceAccounts"):
        return inputs.get("sourceServiceAccounts") == inputs.get("targetServiceAccounts")
    network = inputs.get("network")
    ranges = {
        inputs.get("ipCidrRange")
        for subnet, inputs in stack.of("Subnetwork")
        if isinstance(network, Ref) and subnet.inputs.get("network") == network
    }
    return not served and set(inputs.get("sourceRanges") or ["?"]) <= ranges
