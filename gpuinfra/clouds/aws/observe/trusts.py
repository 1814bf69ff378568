"""Whom a role lets in by tokens of an issuer that many tenants share.

A role that demands no subject, and nothing else of whose the token is, lets in workflows, projects
and accounts outside of one's control:
https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-idp_oidc.html
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.grants import GrantFault
from gpuinfra.clouds.observing.issuers import Issuer, issuer_of
from gpuinfra.clouds.observing.values import at, listed
from gpuinfra.model import UNKNOWN, Known, Unknown

_PROVIDER: Final = ":oidc-provider/"
_SETS: Final = ("foranyvalue:", "forallvalues:")
_TEXTS: Final = ("string", "arn")
"""How the operators of tests begin that compare a claim with texts."""


def strangers(statement: Any) -> Iterator[GrantFault]:
    """Yield the issuers whose every tenant a statement lets in."""
    tests = tuple(_tests(at(statement, "Condition")))
    for name in dict.fromkeys(_issuers(statement, tests)):
        issuer = issuer_of(name)
        if issuer is None:
            continue
        demands = [_narrows(issuer, name, *test) for test in tests]
        if True in demands:
            continue
        yield UNKNOWN if UNKNOWN in demands else f"lets every {issuer.who} assume the role"


def _issuers(statement: Any, tests: tuple[tuple[str, tuple[Any, ...]], ...]) -> Iterator[str]:
    """The issuers that a statement trusts; one not known yet by the claims that it tests."""
    for named in listed(at(statement, "Principal", "Federated")):
        if isinstance(named, str):
            yield named.rpartition(_PROVIDER)[2].lower()
        elif isinstance(named, Unknown):
            yield from (key.rpartition(":")[0] for key, _ in tests)


def _tests(condition: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The tests that a token has to pass with a text: their keys in lower case, and values."""
    for operator, test in condition.items() if isinstance(condition, Mapping) else ():
        kind = str(operator).lower()
        for prefix in _SETS:
            kind = kind.removeprefix(prefix)
        if "not" in kind or not kind.startswith(_TEXTS):
            continue  # it leaves all others in
        for key, values in test.items() if isinstance(test, Mapping) else ():
            yield str(key).lower(), listed(values)


def _narrows(issuer: Issuer, name: str, key: str, values: tuple[Any, ...]) -> Known:
    """Whether a test leaves out the tokens of any tenant."""
    of, _, claim = key.rpartition(":")
    if of != name:
        return False
    known = [str(value) for value in values if not isinstance(value, Unknown)]
    if issuer.takes_all(claim, known):
        return False
    return UNKNOWN if len(known) < len(values) else True
