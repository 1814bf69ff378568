"""Machines are replaced from the current template, in small batches, and leave no leftovers."""

from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_reachability
from gpuinfra.rules.rule import Finding, Rule, each_group, row_check


def _group(group: Group) -> Finding:
    return judge_reachability(
        group.subject,
        group.lifecycle.upkeep,
        RULE.id,
        unjudged="this rule does not apply to its cloud",
        unknown="its update and repair settings are not known yet",
        good="update, repair and disk settings are valid",
    )


RULE = Rule(
    id="machine-upkeep",
    family="hygiene",
    title="Groups replace failed machines, roll out the current template, "
    "and leave no unused disks",
    why="Without repair, a run on spot machines stops while its other machines are billed. "
    "A template that no update rolls out has no effect. An update of all machines at once is an "
    "outage. Unused disks are billed.",
    fix="change the update, repair or restore policy, or the disks, as the message says",
    source="https://docs.cloud.google.com/compute/docs/instance-groups/update-on-repair",
    check=row_check(each_group, _group),
    level="advisory",
)
