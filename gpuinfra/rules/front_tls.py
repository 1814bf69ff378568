"""Internet-facing listeners require TLS 1.2 or newer."""

from gpuinfra.model import UNKNOWN, Front
from gpuinfra.rules.rule import Finding, Rule, each, fine, not_knowable, violated


def _front(front: Front) -> Finding:
    if front.public is False:
        return fine(front.subject, "the internet does not reach it")
    where = "to the internet" if front.public is True else "perhaps to the internet"
    if front.encrypted is False:
        return _bad(front, f"it speaks plain HTTP {where}")
    if front.modern is False:
        return _bad(front, f"it speaks TLS of before 1.2 {where}")
    if front.public is UNKNOWN:
        return not_knowable(front.subject, "whether the internet reaches it is not known")
    if UNKNOWN in (front.encrypted, front.modern):
        return not_knowable(
            front.subject,
            "it stands open to the internet, and whether what it passes on is TLS of 1.2 or "
            "later is not known",
        )
    return fine(front.subject, "it speaks TLS of 1.2 or later only, or sends everybody there")


def _bad(front: Front, words: str) -> Finding:
    """Plain HTTP or old TLS; not knowable while it is unknown whether the internet reaches it."""
    if front.public is UNKNOWN:
        return not_knowable(front.subject, words)
    return violated(front.subject, words)


RULE = Rule(
    id="front-tls",
    family="security",
    title="What the internet reaches speaks TLS",
    why="Prompts, answers and keys in plain HTTP or old TLS are read and changed on the way.",
    fix="listen with a certificate and a policy of TLS 1.2 or later, and redirect plain HTTP to "
    "it; or make the load balancer internal",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html",
    check=lambda judged, _: each(judged, judged.plan.fronts, "nothing takes requests", _front),
    alone=True,
)
