"""A development machine stops when it is idle."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Rule, Words, each_group, fact, for_each, not_applicable

WORDS: Final = Words(
    good="something stops it when it does nothing",
    bad="nothing stops it when it does nothing",
    unknown="whether anything stops it when it does nothing is not known",
)


def _group(group: Group) -> Finding:
    if group.kept.stops_idle is None:
        return not_applicable(group.subject, "it is no machine that somebody works on alone")
    return fact(group.subject, group.kept.stops_idle, WORDS)


RULE = Rule(
    id="idle-stop",
    family="hygiene",
    title="A machine that idles stops",
    why="A development machine left on from Friday to Monday costs more than the week's work.",
    fix="stop it by an alarm on its GPUs or processors (AWS; idle_stop in a stack file), by an "
    "instance schedule (Google Cloud), or by an auto-shutdown schedule (Azure)",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/UsingAlarmActions.html",
    check=for_each(each_group, _group),
    level="advisory",
)
