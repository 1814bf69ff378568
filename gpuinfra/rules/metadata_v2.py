"""Machine metadata needs a token."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "metadata requires a token",
        "metadata answers without a token",
        "it is unknown whether metadata requires a token; a default of the account that this "
        "update makes counts for machines that depend on it",
    )
    return of_groups(judged, lambda group: group.safety.metadata_v2, words)


RULE = Rule(
    id="metadata-v2",
    family="security",
    title="Instance metadata requires a token",
    why="With version 1 a request forgery inside the machine can read the role's credentials.",
    fix="require tokens in the metadata options",
    ways={"aws": "metadataOptions.httpTokens: required, in the launch template or the instance"},
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html",
    check=check,
    alone=True,
)
