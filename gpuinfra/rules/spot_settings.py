"""Machine settings are valid for the purchase mode."""

from gpuinfra.model import Group
from gpuinfra.rules.faults import reported
from gpuinfra.rules.rule import Finding, Rule, Words, each_group, for_each


def _group(group: Group) -> Finding:
    good = f"{group.rung.capacity} settings are valid"
    words = Words(good=good, bad="", unknown="the purchase option is not known yet")
    return reported(group.subject, group.faults, RULE.id, words)


RULE = Rule(
    id="spot-settings",
    family="spot",
    title="Settings match the purchase option",
    why="The cloud refuses the launch when they conflict, for example spot machines that "
    "restart by themselves.",
    fix="change one of the two settings that the message names",
    source="https://cloud.google.com/compute/docs/instances/create-use-spot",
    check=for_each(each_group, _group),
    alone=True,
)
