"""Rules on the reported faults of resources of several kinds."""

from collections.abc import Callable, Sequence
from typing import Any

from gpuinfra.model import Plan
from gpuinfra.rules.fault_findings import judge_rule_faults, with_faults
from gpuinfra.rules.rule import Check, FactMessages, Rule, each_row


def _faults_check(
    rows: Callable[[Plan], Sequence[Any]], rule: str, *, empty_message: str, messages: FactMessages
) -> Check:
    """Return the check of a rule's faults of some rows; `empty_message` says there are none."""
    return lambda rule_input, _: each_row(
        rule_input,
        rows(rule_input.plan),
        empty_message,
        lambda row: judge_rule_faults(row.subject, row.faults, rule, messages),
    )


RESOURCE_SETTINGS = Rule(
    id="resource-settings",
    family="hygiene",
    title="Resource settings are valid and take effect",
    why="The cloud refuses, or ignores, a policy with a misspelt action, an alarm without "
    "a metric, a topic that its publisher can't use, or a subnet outside of its VPC.",
    fix="change the setting as the message says",
    source="https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html",
    check=_faults_check(
        lambda plan: with_faults(plan.defects, "resource-settings"),
        "resource-settings",
        empty_message="no invalid resource settings",
        messages=FactMessages(good="its settings are valid", unknown="not known yet"),
    ),
    level="advisory",
)

WILDCARD_POLICY = Rule(
    id="wildcard-policy",
    family="security",
    title="Policies and roles grant specific permissions",
    why="A wildcard grants broad permissions to everyone, or to anyone with a stolen key.",
    fix="name the actions, the resources and the principals, each as narrowly as the work allows",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=_faults_check(
        lambda plan: plan.grants,
        "wildcard-policy",
        empty_message="no policies or roles",
        messages=FactMessages(
            good="no wildcard grants broad permissions", unknown="its permissions are unknown"
        ),
    ),
    alone=True,
    text_inputs=("policy", "assumeRolePolicy", "inlinePolicies", "policyData"),
)

VALID_NAMES = Rule(
    id="valid-names",
    family="hygiene",
    title="Names satisfy the cloud's naming rules",
    why="A bucket name with a capital letter is refused only after other resources were created.",
    fix="change the name as the message says, or let Pulumi generate one, where it does",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    check=_faults_check(
        lambda plan: (*plan.groups, *plan.buckets, *with_faults(plan.defects, "valid-names")),
        "valid-names",
        empty_message="no machines and no buckets",
        messages=FactMessages(good="names are valid", unknown="its names are not known yet"),
    ),
    alone=True,
)
