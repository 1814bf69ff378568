"""No key without an expiry is in a script or made by the stack."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.model import Credential, Group, Unknown
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    each_group,
    fact,
    fine,
    not_knowable,
    violated,
)

_HOURS: Final = r"(\d+)h(?:\d+m)?(?:\d+s)?"
_MAX_KEY_LIFETIME: Final = timedelta(days=366)
"""A year: a key that ends later is as good as one without an end. The limit is this rule's own."""

SCRIPT_KEY_MESSAGES: Final = FactMessages(
    good="no access key in the start-up script",
    bad="the start-up script contains an access key",
    unknown="the start-up script is unknown",
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group, and each key that the stack creates."""
    if rule_input.plan.groups or not rule_input.plan.credentials:
        yield from each_group(rule_input, _group)
    for key in rule_input.plan.credentials:
        yield _key(key, rule_input.today)


def _key(key: Credential, today: date) -> Finding:
    """Judge a key by its expiry."""
    if isinstance(key.expiry, Unknown):
        return not_knowable(key.subject, f"{key.description}; its expiry is not known yet")
    if key.expiry is not None and _is_soon(key.expiry, today):
        return fine(key.subject, f"{key.description}; it expires within a year ({key.expiry})")
    end = "it is revoked" if key.expiry is None else key.expiry
    return violated(
        key.subject,
        f"{key.description}; it is valid until {end}",
        fix="use a role or a workload identity, and remove the key",
    )


def _is_soon(day: str, today: date) -> bool:
    """Return whether an expiry is at most a year away; False if it can't be parsed."""
    hours = re.fullmatch(_HOURS, day)
    try:
        if hours is not None:
            return timedelta(hours=int(hours[1])) <= _MAX_KEY_LIFETIME
        return date.fromisoformat(day) - today <= _MAX_KEY_LIFETIME
    except (ValueError, OverflowError):
        return False


def _group(group: Group) -> Finding:
    """Judge the scripts of a group, then the storage that it uses."""
    opened, key = group.safety.opened_by_keys, group.safety.long_lived_key
    if key is True or not opened:
        return fact(group.subject, opposite(key), SCRIPT_KEY_MESSAGES)
    if isinstance(opened, Unknown):
        return not_knowable(
            group.subject, "it is unknown whether keys open the storage that it uses"
        )
    return violated(
        group.subject,
        f"the storage account {', '.join(opened)}, which it uses, accepts account keys, which do "
        "not expire",
        fix="set allowSharedKeyAccess to false, so that roles alone open the storage account",
    )


RULE = Rule(
    id="long-lived-key",
    family="security",
    title="Credentials are valid for at most a year",
    why="A long-lived key gets copied, and anyone who has it can use it until it is revoked.",
    fix="remove the key, revoke it, and use a role or a workload identity",
    fix_by_cloud={
        "aws": "set iamInstanceProfile to a profile with a role",
        "gcp": "set serviceAccount",
        "azure": "set identity to a managed identity",
    },
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
    check=check,
    alone=True,
    text_inputs=(
        *("userData", "userDataBase64", "metadataStartupScript", "metadata"),
        *("osProfile", "virtualMachineProfile"),
    ),
)
