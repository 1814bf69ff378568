"""Firebase security rules that give everyone access to documents and objects.

Where a project allows anonymous sign-in, anyone can be signed in.
"""

import re
from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe.exposure.firebase_conditions import ConditionResult, Conditions
from gpuinfra.clouds.gcp.observe.exposure.firebase_texts import (
    allow_statements,
    mask_comments_and_strings,
)
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, with_grants
from gpuinfra.clouds.observing.values import any_of, as_list, at, is_on
from gpuinfra.model import UNKNOWN, Known, Resource, Rows

_RELEASE: Final = "gcp:firebaserules/release:Release"
"""Rules are in force once they are released:
https://firebase.google.com/docs/rules/manage-deploy (2026-11-27, not re-read: unverified)"""

_CONFIG: Final = "gcp:identityplatform/config:Config"
_ANONYMOUS: Final = ("signIn", "anonymous", "enabled")
"""Anonymous accounts are signed in, too: https://firebase.google.com/docs/auth/web/anonymous-auth
(2026-11-27, not re-read: unverified)"""

_ACT: Final = re.compile(r"\w+")


def with_open_rules(resource: Resource, rows: Rows, index: Index) -> Rows:
    """Return the rows with what a ruleset allows everyone, if the stack releases rulesets."""
    if not index.of_kind(_RELEASE):
        return rows
    return with_grants("gcp", resource, rows, _faults(resource, index))


def _faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    signs_in_guests = _signs_in_guests(index)
    for file in as_list(at(resource.inputs.get("source"), "files")):
        content = at(file, "content")
        if isinstance(content, str):
            yield from _rules_faults(mask_comments_and_strings(content), signs_in_guests)


def _rules_faults(rules: str, signs_in_guests: Known) -> Iterator[GrantFault]:
    """Yield the faults of a file of rules: https://firebase.google.com/docs/rules/insecure-rules.

    A condition on the time alone, as of test mode, is one that everyone meets.
    """
    anonymous, accounts = (Conditions(rules, signed_in=is_known) for is_known in (False, True))
    for acts, condition in allow_statements(rules):
        condition_result = anonymous.lets_client_in(condition)
        if condition_result is ConditionResult.ALWAYS:
            yield _EVERYONE_FAULT.format(_actions_text(acts))
        elif condition_result is ConditionResult.UNKNOWN:
            yield UNKNOWN
        elif (
            signs_in_guests is not False
            and (guest_result := accounts.lets_client_in(condition)) >= ConditionResult.UNKNOWN
        ):
            is_sure = guest_result is ConditionResult.ALWAYS and signs_in_guests is True
            yield _GUESTS_FAULT.format(_actions_text(acts)) if is_sure else UNKNOWN


_EVERYONE_FAULT: Final = "lets everyone {} data that it protects"
_GUESTS_FAULT: Final = "lets everyone {} data that it protects, by an anonymous sign-in"


def _actions_text(acts: str) -> str:
    return " and ".join(_ACT.findall(acts))


def _signs_in_guests(index: Index) -> Known:
    """Return whether the stack's own settings of a project let anyone sign in as a guest."""
    settings = (at(config.inputs, *_ANONYMOUS) for config in index.of_kind(_CONFIG))
    return any_of(is_on(setting) for setting in settings)
