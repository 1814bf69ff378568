"""Openings of security groups are as wide as what listens there, and no wider."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.lustre.tiers import PORTS
from tests.witnesses.aws.stack import Stack

SERVICES: Final = ((80, 80), (443, 443))
"""HTTP and HTTPS: https://www.iana.org/assignments/service-names-port-numbers"""

APT: Final = 80


def complaints(stack: Stack) -> Iterator[str]:
    """Rules that open ports on which nothing is known to listen."""
    yield from _unreached(stack)
    known = {*SERVICES, *PORTS, *_listening(stack)}
    for token in ("SecurityGroupIngressRule", "SecurityGroupEgressRule"):
        for resource, inputs in stack.of(token):
            span = inputs.get("fromPort"), inputs.get("toPort")
            if inputs.get("ipProtocol") == "-1":
                if inputs.get("referencedSecurityGroupId") is None:
                    yield f"{resource.key}: everything is open to more than one group"
            elif span not in known:
                yield f"{resource.key}: nothing listens on {span}"


def _unreached(stack: Stack) -> Iterator[str]:
    """Machines that install packages of Ubuntu reach its mirrors, which apt asks over HTTP.

    https://documentation.ubuntu.com/server/how-to/software/package-management/
    """
    rules = [(rule.parent, inputs) for rule, inputs in stack.of("SecurityGroupEgressRule")]
    reaching = {parent for parent, inputs in rules if inputs.get("fromPort") == APT}
    for template, _ in stack.of("LaunchTemplate"):
        closed = template.parent not in reaching and template.parent in dict(rules)
        if closed and "apt-get" in stack.scripts[template.name]:
            yield f"{template.key}: no rule lets it reach the mirrors of its packages"


def _listening(stack: Stack) -> Iterator[tuple[Any, Any]]:
    """The ports of what takes requests: listeners, targets, health checks."""
    for token in ("Listener", "TargetGroup"):
        for _, inputs in stack.of(token):
            yield inputs.get("port"), inputs.get("port")
            check = inputs.get("healthCheck") or {}
            if str(check.get("port", "")).isdigit():
                yield int(check["port"]), int(check["port"])
