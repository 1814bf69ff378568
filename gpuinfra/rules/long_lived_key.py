"""No key without an expiry: in a script, or made by the stack."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups, opposite, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group, and each key that the stack makes."""
    words = Words(
        "no access key in the start-up script",
        "the start-up script contains an access key",
        "the start-up script is unknown",
    )
    if judged.plan.groups or not judged.plan.credentials:
        yield from of_groups(judged, lambda group: opposite(group.safety.long_lived_key), words)
    for key in judged.plan.credentials:
        yield violated(
            key.subject,
            f"{key.what}; it is valid until it is revoked",
            fix="use a role, a workload identity or a managed identity, and remove the key",
        )


RULE = Rule(
    id="long-lived-key",
    family="security",
    title="No credential is valid without an end",
    why="A long-lived key gets copied, and anyone who has it can use it until it is revoked.",
    fix="remove the key from the script, revoke it, and give the machine a role",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
    check=check,
    alone=True,
    texts=(
        *("userData", "userDataBase64", "metadataStartupScript", "metadata"),
        *("osProfile", "virtualMachineProfile"),
    ),
)
