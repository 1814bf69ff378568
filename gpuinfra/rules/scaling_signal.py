"""A group that may scale has a scaling signal, and a group with a signal may scale."""

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    each_group,
    fine,
    not_applicable,
    not_knowable,
    row_check,
    violated,
)


def _group(group: Group) -> Finding:
    least, most = group.minimum, group.maximum
    if group.lifecycle.grows is None:
        return not_applicable(group.subject, "its size is fixed")
    if isinstance(group.lifecycle.grows, Unknown):
        return not_knowable(group.subject, "it is unknown whether anything scales it")
    if not group.lifecycle.grows:
        return violated(group.subject, f"it may have {_range(least, most)}, and nothing scales it")
    if least == most and not isinstance(most, Unknown):
        return violated(
            group.subject,
            f"something scales it, but its size can't change: at least {least}, at most "
            f"{most} machines",
            fix="set its maximum above its minimum, or remove what scales it",
        )
    return fine(group.subject, f"scaled automatically: {_range(least, most)}")


def _range(minimum: int | Unknown, maximum: int | Unknown) -> str:
    """Return how many machines a group may have, as text."""
    size_texts = dict.fromkeys(
        str(bound) if isinstance(bound, int) else "an unknown number"
        for bound in (minimum, maximum)
    )
    of = " of" if isinstance(maximum, Unknown) else ""
    return f"{'from ' if len(size_texts) > 1 else ''}{' to '.join(size_texts)}{of} machines"


RULE = Rule(
    id="scaling-signal",
    family="hygiene",
    title="Groups that may grow have a scaling policy",
    why="A group of 1 to 20 machines without a scaling policy keeps its size, and an "
    "autoscaler between 8 and 8 never acts: both look like scaling.",
    fix="scale it on a metric",
    fix_by_cloud={
        "aws": "add a target tracking policy",
        "gcp": "add an autoscaler that is on",
        "azure": "add an autoscale setting with a rule and enabled: true",
    },
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-target-tracking.html",
    check=row_check(each_group, _group),
    level="advisory",
)
