"""No access key in a start-up script."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups, opposite


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "no access key in the start-up script",
        "an access key stands in the start-up script",
        "the start-up script is not known",
    )
    return of_groups(judged, lambda group: opposite(group.safety.long_lived_key), words)


RULE = Rule(
    id="long-lived-key",
    family="security",
    title="No access key in a start-up script",
    why="A long-lived key in a script can be read by everyone who can describe the machine.",
    fix="take the key out of the script, revoke it, and give the machine a role",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
    check=check,
    alone=True,
    texts=("userData", "userDataBase64"),
)
