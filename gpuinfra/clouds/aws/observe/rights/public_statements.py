"""Checks whether the conditions of a public statement limit who can use it.

Few keys do, and only with fixed values: a stranger chooses what he sends, and has tags, sessions
and an organization of his own.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe.rights.conditions import (
    PATTERNS,
    accepts_missing_key,
    has_test,
    kind_of,
)
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.end_times import is_over
from gpuinfra.clouds.observing.values import flag
from gpuinfra.model import UNKNOWN, Unknown

_POSITIVE: Final = PATTERNS | {"stringequals", "stringequalsignorecase", "ipaddress", "bool"}
_VARIABLE: Final = re.compile(r"\$\{[A-Za-z-]+:")
_ALWAYS: Final = frozenset({"aws:principalaccount"})
"""A key that every request has, those of strangers without an account too:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html"""
_OWN_ACCOUNT_VARIABLES: Final = frozenset({"${aws:resourceaccount}", "${aws:resourceorgid}"})
"""Variables, of which these stand for the owner's own and all others for the caller's:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html"""
_OWNER_CONDITIONS: Final = {
    "aws:resourceaccount": "${aws:principalaccount}",
    "s3:resourceaccount": "${aws:principalaccount}",
    "aws:resourceorgid": "${aws:principalorgid}",
}
"""What the key of the owner has to equal to keep strangers out: the caller's own."""
_ACCOUNT: Final = re.compile(r":(?:\d+|\$\{[^}:]+\}):")
_BUCKET: Final = re.compile(r"arn:[^:]*:s3:(?:[^:]*:){2}(?P<name>[^:*?]+)")
_SESSION: Final = re.compile(r"A[A-Z]{3}[A-Z0-9]{4,}:\S*")
"""An id of a role, which is no other's, and the name of its session:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"""
_CONTACT: Final = re.compile(r".*@[^@*?]+|[a-z]+://[^/*?]+/.*")


def keeps_out(condition: Any) -> bool:
    """Return whether a condition limits who can use a statement; an unknown one may."""
    return has_test(condition, _fixes)


def _fixes(operator: str, key: str, values: tuple[Any, ...], present: set[str]) -> bool:
    """Return whether a test requires fixed values of a key that identifies the caller."""
    if not key:
        return UNKNOWN in values
    kind = kind_of(operator)
    if kind.startswith("dateless"):
        return bool(values) and all(map(is_over, values))
    if kind not in _POSITIVE or (accepts_missing_key(operator) and key not in present | _ALWAYS):
        return False
    if key in _OWNER_CONDITIONS:
        return bool(values) and all(
            str(value).lower() == _OWNER_CONDITIONS[key] for value in values
        )
    fixed_test = _fixed_keys().get(key)
    if fixed_test is _network and reaches_world(map(str, values)) is True:
        return False  # each is a part of the internet, and all together are most of it
    return fixed_test is not None and all(
        isinstance(value, Unknown) or _is_fixed(value, kind, fixed_test) for value in values
    )


def _is_fixed(value: Any, kind: str, is_fixed_value: Callable[[str], bool]) -> bool:
    text = str(value)
    if _VARIABLE.search(text):
        return text.lower() in _OWN_ACCOUNT_VARIABLES
    if kind in {"stringequals", "stringequalsignorecase"}:
        return True  # stars have no meaning of their own there
    return is_fixed_value(text)


@cache
def _fixed_keys() -> Mapping[str, Callable[[str], bool]]:
    """Return the test for a fixed value, by lower-case key."""
    return {row["key"].lower(): _FORMS[row["form"]] for row in TABLES.rows("fixed_keys")}


def _is_plain(text: str) -> bool:
    return not set(text) & set("*?")


def is_of_account(arn: str) -> bool:
    """Return whether an ARN's pattern is limited to one account or to a named bucket."""
    bucket = _BUCKET.fullmatch(arn.partition("/")[0])
    return _is_plain(arn) or _ACCOUNT.search(arn) is not None or bucket is not None


def _is_of_organization(path: str) -> bool:
    organization, divided, _ = path.partition("/")
    return _is_plain(path) or (bool(divided) and _is_plain(organization))


def _is_session(user: str) -> bool:
    return _is_plain(user) or _SESSION.fullmatch(user) is not None


def _is_contact(endpoint: str) -> bool:
    return _is_plain(endpoint) or _CONTACT.fullmatch(endpoint) is not None


def _network(network: str) -> bool:
    return reaches_world((network,)) is not True


_FORMS: Final[Mapping[str, Callable[[str], bool]]] = {
    "text": _is_plain,
    "arn": is_of_account,
    "path": _is_of_organization,
    "session": _is_session,
    "contact": _is_contact,
    "network": _network,
    "flag": lambda text: flag(text) is True,
}
"""What each form of the table takes as fixed."""
