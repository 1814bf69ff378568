"""No group of machines grows beyond the size that the caps count."""

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import Finding, Rule, Words, each_group, for_each, not_knowable, reported


def _group(group: Group) -> Finding:
    more = f" and {group.kept.surge} during an update" if group.kept.surge else ""
    good = f"at most {group.maximum}{more}, and the caps count as many"
    words = Words(good=good, bad="", unknown="whether it may outgrow its maximum is not known yet")
    found = reported(group.subject, group.faults, RULE.id, words)
    if found.outcome == "fine" and isinstance(group.maximum, Unknown):
        return not_knowable(group.subject, "how many machines it may hold is not known yet")
    return found


RULE = Rule(
    id="pool-maximum",
    family="budget",
    title="No pool outgrows what the caps count",
    why="A cap counts a pool at its maximum; what may come on top of it is paid and not seen.",
    fix="give it a maximum that holds, or take away what may exceed it",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-capacity-limits.html",
    check=for_each(each_group, _group),
    alone=True,
)
