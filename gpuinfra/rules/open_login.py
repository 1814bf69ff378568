"""Login is not open to the internet."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups, opposite


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "login is closed to the internet",
        "ports 22 or 3389 are open to the whole internet",
        "whether login is open to the internet is not known",
    )
    return of_groups(judged, lambda group: opposite(group.safety.open_login), words)


RULE = Rule(
    id="open-login",
    family="security",
    title="Login is not open to the internet",
    why="Open SSH and RDP ports are found and tried within minutes.",
    fix="remove rules that open ports 22 or 3389 to 0.0.0.0/0 or ::/0",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html",
    check=check,
)
