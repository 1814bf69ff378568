"""Machines are replaced from today's template, a few at a time, and leave nothing behind."""

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Rule, each_group, for_each, reached


def _group(group: Group) -> Finding:
    return reached(
        group.subject,
        group.kept.upkeep,
        RULE.id,
        unjudged="how its machines are replaced is not judged",
        unknown="how its machines are replaced is not known yet",
        good="nothing of its upkeep is wrong",
    )


RULE = Rule(
    id="machine-upkeep",
    family="hygiene",
    title="Machines come back after an end, from today's template, and leave nothing behind",
    why="A run on spot machines that nothing starts again stands still while its rest is paid "
    "for; a template that reaches no machine fixes nothing, an update that takes all machines "
    "down at once is an outage, and disks that stay behind are paid for.",
    fix="change the update, repair or restore policy, or the disks, as the message says",
    source="https://docs.cloud.google.com/compute/docs/instance-groups/update-on-repair",
    check=for_each(each_group, _group),
    level="advisory",
)
