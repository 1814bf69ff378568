"""Whom a provider of a workload identity pool lets in by tokens of an issuer that many share.

What a binding names of the pool is only as narrow as what the provider lets in, so Google asks for
a condition where the issuer has many tenants:
https://docs.cloud.google.com/iam/docs/workload-identity-federation-with-deployment-pipelines
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.issuers import Issuer, issuer_of, parts
from gpuinfra.clouds.observing.values import at, flag, text
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_NAME: Final = r"(?P<name>(?:assertion|attribute|google)(?:\.\w+|\[['\"]\w+['\"]\]))"
_TEXT: Final = r"(?P<quote>['\"])(?P<text>[^'\"]*)(?P=quote)"
_TESTS: Final = {
    "is": re.compile(rf"{_NAME}\s*==\s*{_TEXT}"),
    "si": re.compile(rf"{_TEXT}\s*==\s*{_NAME}"),
    "begins": re.compile(rf"{_NAME}\.startsWith\(\s*{_TEXT}\s*\)"),
    "in": re.compile(rf"{_NAME}\s+in\s+\[(?P<texts>[^\]]*)\]"),
}
"""Tests of the Common Expression Language that leave others out:
https://github.com/google/cel-spec/blob/master/doc/langdef.md"""
_QUOTED: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_ASSERTED: Final = re.compile(r"assertion(?:\.(\w+)|\[['\"](\w+)['\"]\])")


def pool_provider(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return whom a provider lets into its pool."""
    return granted("gcp", resource, _faults(resource))


def _faults(resource: Resource) -> Iterator[GrantFault]:
    url = text(at(resource.inputs.get("oidc"), "issuerUri"))
    issuer = issuer_of(url) if isinstance(url, str) else None
    if issuer is None or not issuer.open or flag(resource.inputs.get("disabled")) is True:
        return  # an issuer that is not known yet is made in the update, and is one's own
    condition = text(resource.inputs.get("attributeCondition"))
    if isinstance(condition, Unknown):
        yield UNKNOWN
    elif condition is None or not _narrows(
        condition, issuer, resource.inputs.get("attributeMapping")
    ):
        yield f"lets every {issuer.who} into its pool"


def _narrows(condition: str, issuer: Issuer, mapping: Any) -> bool:
    """Whether an expression surely leaves out the tokens of any other tenant."""
    either = list(parts(condition, "||"))
    if len(either) > 1:
        return all(_narrows(part, issuer, mapping) for part in either)
    both = list(parts(condition, "&&"))
    if len(both) > 1:
        return any(_narrows(part, issuer, mapping) for part in both)
    if condition.startswith("(") and condition.endswith(")"):
        return _narrows(condition[1:-1].strip(), issuer, mapping)
    for kind, pattern in _TESTS.items():
        test = pattern.fullmatch(condition)
        if test is not None:
            claim = _claim(test["name"], mapping)
            return bool(claim) and not issuer.takes_all(claim, _values(kind, test))
    return False


def _values(kind: str, test: re.Match[str]) -> list[str]:
    if kind == "in":
        return [single or double for single, double in _QUOTED.findall(test["texts"])] or ["*"]
    return [test["text"] + ("*" if kind == "begins" else "")]


def _claim(name: str, mapping: Any) -> str:
    """The claim of a token that a name stands for; empty where it is no claim as it is."""
    direct = _ASSERTED.fullmatch(name)
    if direct is None and isinstance(mapping, Mapping):
        key = re.sub(r"\[['\"](\w+)['\"]\]", r".\1", name)
        mapped = text(mapping.get(key))
        direct = _ASSERTED.fullmatch(mapped.strip()) if isinstance(mapped, str) else None
    return "" if direct is None else direct[1] or direct[2]
