"""A development machine stops when it is idle."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Rule, Words, each_group, fact, for_each, not_applicable

WORDS: Final = Words(
    good="an alarm or a schedule stops it when it is idle",
    bad="nothing stops it when it is idle",
    unknown="it is unknown whether anything stops it when it is idle",
)


def _group(group: Group) -> Finding:
    if group.kept.stops_idle is None:
        return not_applicable(group.subject, "not a development machine")
    return fact(group.subject, group.kept.stops_idle, WORDS)


RULE = Rule(
    id="idle-stop",
    family="hygiene",
    title="Development machines stop when idle",
    why="A development machine left on from Friday to Monday costs more than the week's work.",
    fix="stop it by an alarm on GPU or CPU use (AWS; idle_stop in a stack file), by an "
    "instance schedule (Google Cloud), or by an auto-shutdown schedule (Azure)",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/UsingAlarmActions.html",
    check=for_each(each_group, _group),
    level="advisory",
)
