"""Machines have no administrator role."""

from typing import Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.rule import Rule, Words, of_groups

WORDS: Final = Words(
    "the role has limited permissions",
    "the role has administrator permissions",
    "the role's permissions are unknown",
)

RULE = Rule(
    id="administrator-role",
    family="security",
    title="Machine roles are not administrators",
    why="Every process on a machine can use the machine's role; an administrator role "
    "gives it the whole account.",
    fix="give the machines a role with only the actions and buckets they need",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=of_groups(lambda group: opposite(group.safety.administrator), WORDS),
    texts=("policy",),
)
