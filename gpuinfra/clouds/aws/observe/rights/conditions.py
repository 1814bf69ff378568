"""The conditions of policy statements: whether they exclude any principal or request.

A condition that everyone meets, or that a request without its key meets, narrows nothing:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.end_times import is_far, is_over
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import as_list, flag
from gpuinfra.model import UNKNOWN

_NOT_RESTRICTING_KEYS: Final = frozenset(
    {
        *("aws:securetransport", "s3:tlsversion", "s3:signatureversion", "s3:authtype"),
        *("aws:useragent", "aws:referer", "aws:requestedregion"),
        *("aws:multifactorauthpresent", "aws:multifactorauthage", "aws:principaltype"),
    }
)
"""Keys of how and where a request is made, which its sender chooses, a second factor among them,
and of which kind a principal is, as all that hold a policy are:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html"""
_ALWAYS: Final = frozenset(
    {
        *("aws:currenttime", "aws:epochtime", "aws:principalaccount", "aws:principalarn"),
        *("aws:principaltype", "aws:requestedregion", "aws:userid"),
    }
)
"""Keys that requests of principals have, so that …IfExists tests them, and Null tells nothing."""
_USUAL: Final = _ALWAYS | {
    *("aws:tokenissuetime", "aws:securetransport", "aws:viaawsservice", "aws:useragent"),
    *("aws:principalisawsservice", "aws:sourceip"),
}
"""Keys that requests with the credentials of a role have, from a network of any kind but through
an endpoint: that they exist tells nothing either, by the same page."""
_PRINCIPAL: Final = "aws:principalarn"
_ACCOUNTS: Final = frozenset({"aws:principalaccount", "kms:calleraccount"})
_ACCOUNT: Final = 4
_PROBE_VALUES: Final = tuple(
    f"{first}{second}4815162342" for first in range(10) for second in range(10)
)
"""Accounts that begin in every way."""
_IF_EXISTS: Final = "ifexists"
_FOR_ALL_PREFIX: Final = "forallvalues:"
_FOR_ANY_PREFIX: Final = "foranyvalue:"
PATTERNS: Final = frozenset({"stringlike", "arnlike", "arnequals"})
"""The operators that accept `*` and `?` as wildcards."""


def excludes_any(condition: Any) -> bool:
    """Return whether a condition excludes anyone or anything; an unknown one may."""
    return has_test(condition, _test_narrows)


def has_test(condition: Any, judge: Callable[[str, str, tuple[Any, ...], set[str]], bool]) -> bool:
    """Return whether `judge` is true of a test: operator, key, values, and the required keys."""
    if not isinstance(condition, Mapping):
        return bool(condition)
    tests = list(tests_of(condition))
    present = {key for operator, key, values in tests if requires_key(operator, values)}
    return any(judge(*test, present) for test in tests)


def is_any(pattern: Any) -> bool:
    """Return whether a pattern matches every value."""
    return isinstance(pattern, str) and "*" in pattern and not pattern.strip("*?")


def tests_of(condition: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Yield the tests of a condition: operator and key, in lower case, and values."""
    for operator, test in condition.items():
        operands = test.items() if isinstance(test, Mapping) else [("", test)]
        for key, values in operands:
            yield str(operator).lower(), str(key).lower(), as_list(values)


def kind_of(operator: str) -> str:
    """Return the operator without its set prefix and its IfExists suffix."""
    return (
        operator.removeprefix(_FOR_ALL_PREFIX)
        .removeprefix(_FOR_ANY_PREFIX)
        .removesuffix(_IF_EXISTS)
    )


def requires_key(operator: str, values: tuple[Any, ...]) -> bool:
    """Return whether a test requires that a request has its key."""
    return operator == "null" and [flag(value) for value in values] == [False]


def accepts_missing_key(operator: str) -> bool:
    """Return whether a request without the key meets a test by this operator."""
    return operator.startswith(_FOR_ALL_PREFIX) or operator.endswith(_IF_EXISTS)


def _test_narrows(operator: str, key: str, values: tuple[Any, ...], present: set[str]) -> bool:
    if UNKNOWN in values:
        return True
    if operator == "null":
        return requires_key(operator, values) and key not in _USUAL
    kind = kind_of(operator)
    missing = accepts_missing_key(operator) and key not in _ALWAYS | present
    restricts_nothing = (
        key in _NOT_RESTRICTING_KEYS or "not" in kind or missing or _is_itself(key, values)
    )
    return (
        not restricts_nothing
        and not _takes_accounts(kind, key, values)
        and not _takes_all(kind, values)
    )


def _is_itself(key: str, values: tuple[Any, ...]) -> bool:
    """Return whether a test compares a key with itself: `${aws:username}` of aws:username."""
    return any(str(value).lower() == f"${{{key}}}" for value in values)


def _takes_accounts(kind: str, key: str, values: tuple[Any, ...]) -> bool:
    """Return whether patterns together match principals of most accounts, unrelated ones too."""
    if kind not in PATTERNS or key not in {_PRINCIPAL, *_ACCOUNTS}:
        return False
    accounts = [_account(value) if key == _PRINCIPAL else str(value) for value in values]
    accepted_accounts = sum(
        any(matches_pattern(account, account_pattern) for account in accounts)
        for account_pattern in _PROBE_VALUES
    )
    return 2 * accepted_accounts > len(_PROBE_VALUES)


def _account(arn: Any) -> str:
    """Return the account part of a principal's pattern; empty where there is none."""
    return "".join(str(arn).split(":")[_ACCOUNT : _ACCOUNT + 1])


def _takes_all(kind: str, values: tuple[Any, ...]) -> bool:
    """Return whether the values of a test match every value of its key."""
    if kind in PATTERNS:
        return any(map(is_any, values))
    if kind == "ipaddress":
        return reaches_world(values) is True
    if kind == "bool":
        return any(flag(value) is False for value in values)
    if kind.startswith("dategreater"):
        return all(map(is_over, values))
    return kind.startswith("dateless") and any(map(is_far, values))
