"""Internet-facing listeners require TLS 1.2 or newer."""

from gpuinfra.model import UNKNOWN, Front
from gpuinfra.rules.rule import Finding, Rule, each, fine, not_knowable, violated


def _front(front: Front) -> Finding:
    if front.public is False:
        return fine(front.subject, "not reachable from the internet")
    where = "to the internet" if front.public is True else "possibly to the internet"
    if front.encrypted is False:
        return _bad(front, f"it serves plain HTTP {where}")
    if front.modern is False:
        return _bad(front, f"it accepts TLS older than 1.2 {where}")
    if front.public is UNKNOWN:
        return not_knowable(front.subject, "it is unknown whether the internet can reach it")
    if UNKNOWN in (front.encrypted, front.modern):
        return not_knowable(
            front.subject,
            "the internet can reach it, and it is unknown whether the backend requires "
            "TLS 1.2 or newer",
        )
    return fine(front.subject, "it requires TLS 1.2 or newer, or redirects to it")


def _bad(front: Front, words: str) -> Finding:
    """Plain HTTP or old TLS; not knowable while it is unknown whether the internet reaches it."""
    if front.public is UNKNOWN:
        return not_knowable(front.subject, words)
    return violated(front.subject, words)


RULE = Rule(
    id="front-tls",
    family="security",
    title="Internet-facing listeners require TLS 1.2 or newer",
    why="Prompts, answers and keys over plain HTTP or old TLS can be read and changed in transit.",
    fix="listen with a certificate and a TLS policy of 1.2 or newer, and redirect plain "
    "HTTP to it; or make the load balancer internal",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html",
    check=lambda judged, _: each(judged, judged.plan.fronts, "nothing serves requests", _front),
    alone=True,
)
