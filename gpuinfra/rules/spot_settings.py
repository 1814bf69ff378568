"""Machine settings are valid for the purchase mode."""

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Rule, Words, each_group, for_each, reported


def _group(group: Group) -> Finding:
    good = f"declared as {group.rung.capacity} machines are taken"
    words = Words(good=good, bad="", unknown="how its machines are bought is not known yet")
    return reported(group.subject, group.faults, RULE.id, words)


RULE = Rule(
    id="spot-settings",
    family="spot",
    title="Settings fit the way in which machines are bought",
    why="The cloud refuses spot machines that restart by themselves, and the like, at the launch.",
    fix="make the settings agree with spot or on demand: the message says which two disagree",
    source="https://cloud.google.com/compute/docs/instances/create-use-spot",
    check=for_each(each_group, _group),
    alone=True,
)
