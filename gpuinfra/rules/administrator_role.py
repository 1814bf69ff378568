"""Machines have no administrator role."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups, opposite


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "the role is limited",
        "the role may do everything",
        "what the role may do is not known",
    )
    return of_groups(judged, lambda group: opposite(group.safety.administrator), words)


RULE = Rule(
    id="administrator-role",
    family="security",
    title="Machines are no administrators",
    why="Code on the machine holds its role: an administrator role gives it the whole account.",
    fix="give the machines a role with only the actions and buckets they need",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=check,
    texts=("policy",),
)
