"""Roles that trust tokens of an issuer that many tenants share.

A role that demands no subject, and nothing else of whose the token is, lets in workflows, projects
and accounts outside of one's control:
https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-idp_oidc.html
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe.rights.conditions import (
    accepts_missing_key,
    kind_of,
    requires_key,
    tests_of,
)
from gpuinfra.clouds.observing.grants import GrantFault
from gpuinfra.clouds.observing.issuers import SUBJECT, SharedIssuer, issuer_of
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Known, Unknown
from gpuinfra.records import record

_PROVIDER: Final = ":oidc-provider/"
_TEXTS: Final = ("string", "arn")
"""How the operators of tests begin that compare a claim with texts."""

_GUESTS: Final = re.compile(r"cognito-identity\.[a-z.]+:amr")
_GUEST: Final = "unauthenticated"
"""The claim by which an identity pool tells who signed in, and its value for who did not:
https://docs.aws.amazon.com/cognito/latest/developerguide/role-trust-and-permissions.html"""
_ANYBODY: Final = "lets everyone assume the role, as a guest of an identity pool without a login"


@record(kw_only=False)
class _Test:
    """A test of a token's claim against texts; `lenient` if a token without the claim passes."""

    key: str
    values: tuple[Any, ...]
    lenient: bool


def shared_issuer_faults(statement: Any) -> Iterator[GrantFault]:
    """Yield the token issuers of which a statement admits every tenant, and whether guests too."""
    tests = tuple(_tests(at(statement, "Condition")))
    if any(map(_takes_guests, tests)):
        yield _ANYBODY
    for name in dict.fromkeys(_issuers(statement, tests)):
        issuer = issuer_of(name)
        if issuer is None:
            continue
        narrowed = [_excludes_tenants(issuer, name, test) for test in tests]
        if True in narrowed:
            continue
        yield UNKNOWN if UNKNOWN in narrowed else f"lets every {issuer.who} assume the role"


def _takes_guests(test: _Test) -> bool:
    """Return whether a test accepts tokens of users who did not sign in."""
    patterns = (str(value) for value in test.values if not isinstance(value, Unknown))
    return _GUESTS.fullmatch(test.key) is not None and any(
        matches_pattern(pattern, _GUEST) for pattern in patterns
    )


def _issuers(statement: Any, tests: tuple[_Test, ...]) -> Iterator[str]:
    """Yield the issuers that a statement trusts; one not known yet by the claims that it tests."""
    for issuer in as_list(at(statement, "Principal", "Federated")):
        if isinstance(issuer, str):
            yield issuer.rpartition(_PROVIDER)[2].lower()
        elif isinstance(issuer, Unknown):
            yield from (test.key.rpartition(":")[0] for test in tests)


def _tests(condition: Any) -> Iterator[_Test]:
    """Yield the tests of a token's claims against texts, with their keys in lower case."""
    tests = tuple(tests_of(condition)) if isinstance(condition, Mapping) else ()
    demanded = {key for operator, key, values in tests if requires_key(operator, values)}
    for operator, key, values in tests:
        kind = kind_of(operator)
        if key and "not" not in kind and kind.startswith(_TEXTS):  # not: it leaves all others in
            lenient = accepts_missing_key(operator) and key not in demanded
            yield _Test(key, values, lenient)


def _excludes_tenants(issuer: SharedIssuer, name: str, test: _Test) -> Known:
    """Return whether a test excludes the tokens of any tenant."""
    issuer_url, _, claim = test.key.rpartition(":")
    if issuer_url != name or (test.lenient and claim not in {SUBJECT, *issuer.in_aws}):
        return False
    known_values = [str(value) for value in test.values if not isinstance(value, Unknown)]
    if issuer.takes_all(claim, known_values):
        return False
    return UNKNOWN if len(known_values) < len(test.values) else True
