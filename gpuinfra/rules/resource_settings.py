"""Resource settings are valid and take effect."""

from typing import Final

from gpuinfra.rules.fault_findings import judge_rule_faults, with_faults
from gpuinfra.rules.rule import FactMessages, Rule, each_row

WORDS: Final = FactMessages(good="its settings are valid", unknown="not known yet")

RULE = Rule(
    id="resource-settings",
    family="hygiene",
    title="Resource settings are valid and take effect",
    why="The cloud refuses, or ignores, a policy with a misspelt action, an alarm without "
    "a metric, a topic that its publisher can't use, or a subnet outside of its VPC.",
    fix="change the setting as the message says",
    source="https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html",
    check=lambda judged, _: each_row(
        judged,
        with_faults(judged.plan.defects, "resource-settings"),
        "no invalid resource settings",
        lambda defect: judge_rule_faults(
            defect.subject, defect.faults, "resource-settings", WORDS
        ),
    ),
    level="advisory",
)
