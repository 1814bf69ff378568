"""Machine metadata needs a token."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, of_groups

WORDS: Final = Words(
    "metadata requires a token",
    "no visible option, image or default requires a metadata token",
    "it is unknown whether metadata requires a token; a default of the account that this "
    "update makes counts for machines that depend on it",
)

RULE = Rule(
    id="metadata-v2",
    family="security",
    title="Instance metadata requires a token",
    why="With version 1 a request forgery inside the machine can read the role's credentials.",
    fix="require tokens in the metadata options",
    ways={"aws": "metadataOptions.httpTokens: required, in the launch template or the instance"},
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html",
    check=of_groups(lambda group: group.safety.metadata_v2, WORDS),
    alone=True,
)
