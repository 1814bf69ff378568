"""Secrets in policies of API Management, which all readers of its settings can see.

https://learn.microsoft.com/azure/api-management/authentication-basic-policy,
https://learn.microsoft.com/azure/api-management/set-header-policy (not re-read: unverified). A
policy is not valid XML, because it contains unescaped expressions.
"""

import re
from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.plain_text_secrets import plain_script_secrets
from gpuinfra.clouds.secrets import value_secrets

_SETS: Final = ("set-header", "set-query-parameter")
"""Elements with a name and values that are sent to the API's backend."""
_NAME: Final = re.compile(r"""\bname\s*=\s*["']([^"']*)["']""")
_VALUE: Final = "value"
_SCHEMES: Final = ("bearer ", "token ", "sharedaccesssignature ")
_FILLED_IN: Final = ("{{", "@(", "@{")
_BASIC: Final = "basic "
"""How a named value and an expression begin:
https://learn.microsoft.com/azure/api-management/api-management-policy-expressions"""
_AUTHORIZATION: Final = "authorization"
_TOKEN: Final = "token"  # noqa: S105 - what it is called, not one


def policy_secrets(text: str, name: str) -> Iterator[str]:
    """Yield descriptions of the secrets in a policy: passwords, and header values."""
    yield from plain_script_secrets(text, name)
    for element in _SETS:
        for attributes, body in _elements(text, element):
            called = _NAME.search(attributes)
            for _, value in _elements(body, _VALUE):
                yield from _header_secrets(value.strip(), called[1] if called else element)


def _header_secrets(value: str, header: str) -> Iterator[str]:
    if value.startswith(_FILLED_IN) or value.lower().startswith(_BASIC):
        return  # a user with a password is read as in any script
    scheme = next(
        (known_scheme for known_scheme in _SCHEMES if value.lower().startswith(known_scheme)), ""
    )
    secret = header.lower().endswith(_AUTHORIZATION) and scheme
    key = f"{header}.{_TOKEN}" if secret else header
    yield from value_secrets(value[len(scheme) :].strip(), key)


def _elements(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes and the content of each element of a name."""
    for part in text.split(f"<{name}")[1:]:
        attributes, _, element_rest = part.partition(">")
        if attributes[:1] in {"", " ", "\n", "\t", "\r"} and not attributes.endswith("/"):
            yield attributes, element_rest.partition(f"</{name}>")[0]
