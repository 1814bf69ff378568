"""Policies and roles grant the permissions that are needed, not all."""

from typing import Final

from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import FactMessages, Rule, each_row

WORDS: Final = FactMessages(
    good="no wildcard grants broad permissions", unknown="its permissions are unknown"
)

RULE = Rule(
    id="wildcard-policy",
    family="security",
    title="Policies and roles grant specific permissions",
    why="A wildcard grants broad permissions to everyone, or to anyone with a stolen key.",
    fix="name the actions, the resources and the principals, each as narrowly as the work allows",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=lambda judged, _: each_row(
        judged,
        judged.plan.grants,
        "no policies or roles",
        lambda grant: judge_rule_faults(grant.subject, grant.faults, "wildcard-policy", WORDS),
    ),
    alone=True,
    text_inputs=("policy", "assumeRolePolicy", "inlinePolicies", "policyData"),
)
