"""Machines have no administrator role."""

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.rule import Rule, of_groups

RULE = Rule(
    id="administrator-role",
    family="security",
    title="Machine roles are not administrators",
    why="Every process on a machine can use the machine's role; an administrator role "
    "gives it the whole account.",
    fix="give the machines a role with only the actions and buckets they need",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=of_groups(
        lambda group: opposite(group.safety.administrator),
        good="the role has limited permissions",
        bad="the role has administrator permissions",
        unknown="the role's permissions are unknown",
    ),
    texts=("policy",),
)
