"""Policies and roles give what is needed, not everything."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each, reported

WORDS: Final = Words(
    good="it gives nothing away",
    bad="",
    unknown="what it allows is not known",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every policy and role that is granted."""
    return each(
        judged,
        judged.plan.grants,
        "no policies or roles",
        lambda grant: reported(grant.subject, grant.faults, RULE.id, WORDS),
    )


RULE = Rule(
    id="wildcard-policy",
    family="security",
    title="Policies and roles name what they allow",
    why="A wildcard gives a stolen key, or everybody, what nobody meant to give.",
    fix="name the actions, the resources and those who get them, each as narrow as the work is",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=check,
    alone=True,
    texts=("policy", "assumeRolePolicy", "inlinePolicies", "policyData"),
)
