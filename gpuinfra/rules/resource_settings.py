"""Resource settings are valid and take effect."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, each, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every resource with which something is wrong."""
    return each(
        judged,
        judged.plan.defects,
        "nothing is known to be wrong with the settings of a resource",
        lambda one: violated(one.subject, "; ".join(one.faults)),
    )


RULE = Rule(
    id="resource-settings",
    family="hygiene",
    title="Resources are set as the cloud takes them and take effect",
    why="A policy with a misspelt action, an alarm without a metric, a topic whose publisher is "
    "shut out or a subnet outside of its VPC is refused at the deployment, or does nothing.",
    fix="change the setting as the message says",
    source="https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html",
    check=check,
    level="advisory",
)
