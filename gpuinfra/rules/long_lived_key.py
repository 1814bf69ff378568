"""No key without an expiry: in a script, or made by the stack."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    Words,
    each_group,
    fact,
    not_knowable,
    violated,
)

IN_SCRIPT: Final = Words(
    good="no access key in the start-up script",
    bad="the start-up script contains an access key",
    unknown="the start-up script is unknown",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group, and each key that the stack makes."""
    if judged.plan.groups or not judged.plan.credentials:
        yield from each_group(judged, _group)
    for key in judged.plan.credentials:
        yield violated(
            key.subject,
            f"{key.what}; it is valid until it is revoked",
            fix="use a role, a workload identity or a managed identity, and remove the key",
        )


def _group(group: Group) -> Finding:
    """Judge the scripts of a group, then the data that it uses."""
    opened, key = group.safety.opened_by_keys, group.safety.long_lived_key
    if key is True or not opened:
        return fact(group.subject, opposite(key), IN_SCRIPT)
    if isinstance(opened, Unknown):
        return not_knowable(group.subject, "whether keys open the storage it uses is not known")
    return violated(
        group.subject,
        f"the storage account {', '.join(opened)}, which it uses, takes account keys, which do not"
        " end by themselves",
        fix="set allowSharedKeyAccess to false, so that roles alone open the storage account",
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
