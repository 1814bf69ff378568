"""No group of machines grows beyond the size that the caps count."""

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.machine_counts import machines_counted
from gpuinfra.rules.rule import FactMessages, Finding, Rule, each_group, not_knowable, row_check


def _group(group: Group) -> Finding:
    good = f"at most {machines_counted(group) or group.maximum}; the caps count all of them"
    messages = FactMessages(good=good, unknown="it is unknown whether it can exceed its maximum")
    finding = judge_rule_faults(group.subject, group.faults, RULE.id, messages)
    if finding.outcome == "fine" and isinstance(group.maximum, Unknown):
        return not_knowable(group.subject, "its maximum number of machines is not known yet")
    return finding


RULE = Rule(
    id="pool-maximum",
    family="budget",
    title="Pools do not exceed the maximum that the caps count",
    why="A cap counts a pool at its maximum; machines beyond it are billed and not counted.",
    fix="set an enforced maximum, or remove what can exceed it",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-capacity-limits.html",
    check=row_check(each_group, _group),
    alone=True,
)
