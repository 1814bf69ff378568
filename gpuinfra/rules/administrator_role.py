"""Machines have no administrator role."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "the role has limited permissions",
        "the role has administrator permissions",
        "the role's permissions are unknown",
    )
    return of_groups(judged, lambda group: opposite(group.safety.administrator), words)


RULE = Rule(
    id="administrator-role",
    family="security",
    title="Machine roles are not administrators",
    why="Every process on a machine can use the machine's role; an administrator role "
    "gives it the whole account.",
    fix="give the machines a role with only the actions and buckets they need",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=check,
    texts=("policy",),
)
