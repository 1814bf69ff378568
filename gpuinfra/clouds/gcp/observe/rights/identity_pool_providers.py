"""Workload identity pool providers that admit tokens of an issuer that many tenants share.

What a binding names of the pool is only as narrow as what the provider lets in, so Google asks for
a condition where the issuer has many tenants:
https://docs.cloud.google.com/iam/docs/workload-identity-federation-with-deployment-pipelines
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.issuers import SUBJECT, SharedIssuer, issuer_of, split_expression
from gpuinfra.clouds.observing.values import all_of, any_of, at, flag, text
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown, Usage

_NAME: Final = r"(?P<name>(?:assertion|attribute|google)(?:\.\w+|\[['\"]\w+['\"]\]))"
_TEXT: Final = r"(?P<quote>['\"])(?P<text>[^'\"]*)(?P=quote)"
_TESTS: Final = {
    "is": re.compile(rf"{_NAME}\s*==\s*{_TEXT}"),
    "si": re.compile(rf"{_TEXT}\s*==\s*{_NAME}"),
    "begins": re.compile(rf"{_NAME}\.startsWith\(\s*{_TEXT}\s*\)"),
    "in": re.compile(rf"{_NAME}\s+in\s+\[(?P<texts>[^\]]*)\]"),
    "matches": re.compile(rf"{_NAME}\.matches\(\s*{_TEXT}\s*\)"),
}
"""Tests of the Common Expression Language that leave others out:
https://github.com/google/cel-spec/blob/master/doc/langdef.md"""
_OPEN: Final = re.compile(r"has\([^()]*\)|[^()]*!=[^()]*|true|false")
"""Tests that do not single out a tenant; `false`, which lets no one in, is among them."""
_COMMENT: Final = re.compile(r"//[^'\"\n]*(?=\n|$)")
_BEGINNING: Final = re.compile(r"\^(?P<literal>[\w/:@-]+)(?![\w/:@?*{-])[^|]*")
"""A regular expression whose matches surely begin with a text, of the syntax of RE2:
https://github.com/google/re2/wiki/Syntax (2026-11-26, not re-read: unverified)"""
_QUOTED_TEXT: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_ASSERTION_CLAIM: Final = re.compile(r"assertion(?:\.(\w+)|\[['\"](\w+)['\"]\])")


def pool_provider(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return the tenants that a provider admits to its pool."""
    return grant_rows("gcp", resource, _faults(resource))


def _faults(resource: Resource) -> Iterator[GrantFault]:
    url = text(at(resource.inputs.get("oidc"), "issuerUri"))
    issuer = issuer_of(url) if isinstance(url, str) else None
    if issuer is None or not issuer.open or flag(resource.inputs.get("disabled")) is True:
        return  # an issuer that is not known yet is made in the update, and is one's own
    condition = text(resource.inputs.get("attributeCondition"))
    mapping = resource.inputs.get("attributeMapping")
    narrow: Known = UNKNOWN
    if condition is None or isinstance(condition, str):
        narrow = bool(condition) and _excludes_tenants(condition or "", issuer, mapping)
    if narrow is UNKNOWN:
        yield UNKNOWN
    elif narrow is False:
        yield f"lets every {issuer.who} into its pool"


def _excludes_tenants(condition: str, issuer: SharedIssuer, mapping: Any) -> Known:
    """Return whether an expression excludes the tokens of any other tenant.

    One of other functions or operators may, where it reads what names the tenant.
    """
    condition = _COMMENT.sub("", condition).strip()
    either = list(split_expression(condition, "||"))
    if len(either) > 1:
        return all_of(_excludes_tenants(part, issuer, mapping) for part in either)
    both = list(split_expression(condition, "&&"))
    if len(both) > 1:
        return any_of(_excludes_tenants(part, issuer, mapping) for part in both)
    if condition.startswith("(") and _is_one_group(condition):
        return _excludes_tenants(condition[1:-1].strip(), issuer, mapping)
    for kind, pattern in _TESTS.items():
        test = pattern.fullmatch(condition)
        if test is not None:
            return _is_tested(kind, test, issuer, mapping)
    if _OPEN.fullmatch(condition):
        return False
    names = (_claim(name[0], mapping) for name in re.finditer(_NAME, condition))
    return UNKNOWN if any(name in {SUBJECT, *issuer.claims} for name in names) else False


def _is_tested(kind: str, test: re.Match[str], issuer: SharedIssuer, mapping: Any) -> Known:
    claim = _claim(test["name"], mapping)
    if not claim:
        return False
    values = _values(kind, test)
    if isinstance(values, Unknown):
        return UNKNOWN
    return not issuer.takes_all(claim, values)


def _is_one_group(condition: str) -> bool:
    """Return whether the first bracket of an expression is closed by its last character."""
    depth = 0
    for position, sign in enumerate(condition):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return position == len(condition) - 1
    return False


def _values(kind: str, test: re.Match[str]) -> list[str] | Unknown:
    """Return the patterns that a test accepts; UNKNOWN for other regular expressions."""
    if kind == "in":
        return [single or double for single, double in _QUOTED_TEXT.findall(test["texts"])] or [
            "*"
        ]
    if kind == "matches":
        beginning = _BEGINNING.fullmatch(test["text"])
        return UNKNOWN if beginning is None else [f"{beginning['literal']}*"]
    return [test["text"] + ("*" if kind == "begins" else "")]


def _claim(name: str, mapping: Any) -> str:
    """Return the token claim that an attribute maps unchanged; empty for other mappings."""
    direct = _ASSERTION_CLAIM.fullmatch(name)
    if direct is None and isinstance(mapping, Mapping):
        key = re.sub(r"\[['\"](\w+)['\"]\]", r".\1", name)
        mapped = text(mapping.get(key))
        direct = _ASSERTION_CLAIM.fullmatch(mapped.strip()) if isinstance(mapped, str) else None
    return "" if direct is None else direct[1] or direct[2]
