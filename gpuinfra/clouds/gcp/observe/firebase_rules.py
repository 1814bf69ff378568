"""Firebase security rules that give everyone access to documents and objects.

Where a project lets one in without a login, whoever is signed in may be anyone.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.values import any_of, at, is_on, listed
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_RELEASE: Final = "gcp:firebaserules/release:Release"
"""Rules are in force once they are released:
https://firebase.google.com/docs/rules/manage-deploy (2026-11-27, not re-read: unverified)"""

_CONFIG: Final = "gcp:identityplatform/config:Config"
_ANONYMOUS: Final = ("signIn", "anonymous", "enabled")
"""Anonymous accounts are signed in, too: https://firebase.google.com/docs/auth/web/anonymous-auth
(2026-11-27, not re-read: unverified)"""

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ACT: Final = re.compile(r"\w+")
_OPEN: Final = re.compile(
    r"\ballow\s+(?P<acts>\w+(?:\s*,\s*\w+)*)\s*(?::\s*if\s+\(*\s*true\s*\)*\s*)?(?:;|(?=\}))"
)
"""Rules for everyone: with a condition that always holds, or with none.
https://firebase.google.com/docs/rules/insecure-rules"""
_SIGNED_IN: Final = re.compile(
    r"\ballow\s+(?P<acts>\w+(?:\s*,\s*\w+)*)\s*:\s*if\s+\(*\s*"
    r"request\.auth(?:\.uid)?\s*!=\s*null\s*\)*\s*(?:;|(?=\}))"
)
"""Rules for whoever is signed in: https://firebase.google.com/docs/rules/insecure-rules"""


def with_open_rules(resource: Resource, rows: Rows, index: Index) -> Rows:
    """Return the rows with what a ruleset allows everyone, if the stack releases rulesets."""
    faults = tuple(dict.fromkeys(_faults(resource, index)))
    if not faults or not index.of_kind(_RELEASE):
        return rows
    return replace(rows, grants=(*rows.grants, *granted("gcp", resource, faults).grants))


def _faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    guests = _signs_in_guests(index)
    for file in listed(at(resource.inputs.get("source"), "files")):
        content = at(file, "content")
        if isinstance(content, str):
            rules = _COMMENT.sub(" ", content)
            for rule in _OPEN.finditer(rules):
                yield f"lets everyone {_acts(rule)} data that its rules are about"
            for rule in () if guests is False else _SIGNED_IN.finditer(rules):
                yield UNKNOWN if isinstance(guests, Unknown) else _OF_GUESTS.format(_acts(rule))


_OF_GUESTS: Final = "lets everyone {} data that its rules are about, by an anonymous sign-in"


def _acts(rule: re.Match[str]) -> str:
    return " and ".join(_ACT.findall(rule["acts"]))


def _signs_in_guests(index: Index) -> Known:
    """Return whether the stack's own settings of a project let anyone sign in as a guest."""
    settings = (at(config.inputs, *_ANONYMOUS) for config in index.of_kind(_CONFIG))
    return any_of(is_on(setting) for setting in settings)
