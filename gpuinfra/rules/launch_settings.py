"""Launch template settings are valid."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_faults

WORDS: Final = Words(
    good="nothing of the launch is refused",
    bad="",
    unknown="how its machines start is not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group."""
    return of_faults(judged, RULE.id, WORDS)


RULE = Rule(
    id="launch-settings",
    family="hygiene",
    title="Launch templates are written as the cloud takes them",
    why="What is said twice or in another form is refused at the launch, or passed over.",
    fix="write it as the message says",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html",
    check=check,
    alone=True,
)
