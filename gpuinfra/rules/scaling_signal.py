"""A group that may scale has a scaling signal, and a group with a signal may scale."""

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    each_group,
    fine,
    for_each,
    not_applicable,
    not_knowable,
    violated,
)


def _group(group: Group) -> Finding:
    least, most = group.minimum, group.maximum
    if group.kept.grows is None:
        return not_applicable(group.subject, "its size is fixed")
    if isinstance(group.kept.grows, Unknown):
        return not_knowable(group.subject, "whether anything tells it to grow is not known")
    if not group.kept.grows:
        return violated(
            group.subject, f"it may have {_range(least, most)}, and nothing tells it when"
        )
    if least == most and not isinstance(most, Unknown):
        return violated(
            group.subject,
            f"it is told to grow, and may not: at least {least}, at most {most} machines",
            fix="set its maximum above its minimum, or leave out what scales it",
        )
    return fine(group.subject, f"something tells it to grow: {_range(least, most)}")


def _range(least: int | Unknown, most: int | Unknown) -> str:
    """How many machines a group may have, in words."""
    known = [str(one) if isinstance(one, int) else "an unknown number" for one in (least, most)]
    return f"{' to '.join(dict.fromkeys(known))} machines"


RULE = Rule(
    id="scaling-signal",
    family="hygiene",
    title="A group that may grow is told when",
    why="A group between 1 and 20 machines that nothing scales stays where somebody left it, and "
    "an autoscaler between 8 and 8 does nothing: both look like scaling and are none.",
    fix="scale it on a figure: a target tracking policy (AWS), an autoscaler that is on (Google "
    "Cloud), an autoscale setting with a rule and enabled: true (Azure)",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-target-tracking.html",
    check=for_each(each_group, _group),
    level="advisory",
)
