"""Internet-facing listeners require TLS 1.2 or newer."""

from typing import Final

from gpuinfra.model import UNKNOWN, Listener
from gpuinfra.rules.rule import Finding, Rule, each_row, fine, not_knowable, violated

_FIX: Final = (
    "listen with a certificate and a TLS policy of 1.2 or newer, and redirect plain "
    "HTTP to it; or make the load balancer internal"
)
_INGRESS_FIX: Final = (
    f"{_FIX}; an Ingress without a class has the default IngressClass of the stack where it "
    "depends on it (dependsOn)"
)


def _listener(listener: Listener) -> Finding:
    if listener.public is False:
        return fine(listener.subject, "not reachable from the internet")
    reach_text = "to the internet" if listener.public is True else "possibly to the internet"
    if listener.encrypted is False:
        return _weak_tls_finding(listener, f"it serves plain {listener.protocol} {reach_text}")
    if listener.modern is False:
        return _weak_tls_finding(listener, f"it accepts TLS older than 1.2 {reach_text}")
    if UNKNOWN not in (listener.encrypted, listener.modern):
        return fine(listener.subject, "it requires TLS 1.2 or newer, or redirects HTTP to HTTPS")
    if listener.public is UNKNOWN:
        return not_knowable(listener.subject, "it is unknown whether the internet can reach it")
    return not_knowable(
        listener.subject,
        "the internet can reach it, and it is unknown whether the backend requires "
        "TLS 1.2 or newer",
    )


def _weak_tls_finding(listener: Listener, message: str) -> Finding:
    """Return a finding for plain HTTP or old TLS; not knowable while public access is unknown."""
    if listener.public is UNKNOWN:
        is_ingress = ":Ingress::" in listener.subject
        return not_knowable(listener.subject, message, fix=_INGRESS_FIX if is_ingress else "")
    return violated(listener.subject, message)


RULE = Rule(
    id="front-tls",
    family="security",
    title="Internet-facing listeners require TLS 1.2 or newer",
    why="Prompts, answers and keys over plain HTTP or old TLS can be read and changed in transit.",
    fix=_FIX,
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html",
    check=lambda judged, _: each_row(
        judged, judged.plan.listeners, "nothing serves requests", _listener
    ),
    alone=True,
)
