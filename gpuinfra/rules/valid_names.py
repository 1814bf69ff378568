"""Names satisfy the cloud's naming rules."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Bucket, Defect, Group
from gpuinfra.rules.fault_findings import judge_rule_faults, with_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, RuleInput, not_applicable

WORDS: Final = FactMessages(good="names are valid", unknown="its names are not known yet")


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group, every bucket, and each other resource whose name is refused."""
    plan = rule_input.plan
    others = with_faults(plan.defects, RULE.id)
    rows: tuple[Group | Bucket | Defect, ...] = (*plan.groups, *plan.buckets, *others)
    if not rows:
        yield not_applicable(plan.name, "no machines and no buckets")
    for row in rows:
        yield judge_rule_faults(row.subject, row.faults, RULE.id, WORDS)


RULE = Rule(
    id="valid-names",
    family="hygiene",
    title="Names satisfy the cloud's naming rules",
    why="A bucket name with a capital letter is refused only after other resources were created.",
    fix="change the name as the message says, or let Pulumi generate one, where it does",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    check=check,
    alone=True,
)
