"""Login, and other ports that give a machine away, are not open to the internet."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each_group, fact, opposite

WORDS: Final = Words(
    "login is closed to the internet",
    "a port for login, control or data is open to the whole internet",
    "whether login is open to the internet is not known",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group, and each firewall that none of them answers for."""
    if judged.plan.groups or not judged.plan.doors:
        yield from each_group(judged, _judge)
    for door in judged.plan.doors:
        yield fact(door.subject, opposite(door.open), WORDS)


def _judge(group: Group) -> Finding:
    """Judge one group; rules of another stack are for that stack to change."""
    found = fact(group.subject, opposite(group.safety.open_login), WORDS)
    if found.outcome != "not-knowable":
        return found
    private = ", though it has no public address" if group.safety.public_ip is False else ""
    return replace(
        found,
        message=f"{found.message}{private}: not every rule that lets traffic in is in this stack,"
        " or says from where",
        fix="judge the stack that makes its security groups or firewall rules, or waive this",
    )


RULE = Rule(
    id="open-login",
    family="security",
    title="Login is not open to the internet",
    why="Open SSH and RDP ports are found and tried within minutes. Docker, Ray, Jupyter, Kubelet"
    " and most databases ask for no password by default: whoever reaches them runs code or reads"
    " data.",
    fix="let 0.0.0.0/0 and ::/0 in to the ports that you serve alone, and to no port for login,"
    " control or data",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html",
    check=check,
)
