"""Policies and roles give what is needed, not everything."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.faults import reported
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each_row

WORDS: Final = Words(
    good="no wildcard grants more than intended",
    bad="",
    unknown="its permissions are unknown",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every policy and role that is granted."""
    return each_row(
        judged,
        judged.plan.grants,
        "no policies or roles",
        lambda grant: reported(grant.subject, grant.faults, RULE.id, WORDS),
    )


RULE = Rule(
    id="wildcard-policy",
    family="security",
    title="Policies and roles grant specific permissions",
    why="A wildcard grants a stolen key, or everyone, more than intended.",
    fix="name the actions, the resources and the principals, each as narrowly as the work allows",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=check,
    alone=True,
    texts=("policy", "assumeRolePolicy", "inlinePolicies", "policyData"),
)
