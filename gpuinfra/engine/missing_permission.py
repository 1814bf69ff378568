"""The permission that is missing according to AWS's error, and how to get it."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

_NOT_AUTHORIZED: Final = re.compile(
    r"(?:User: (?P<who>\S+) )?is not authorized to perform: (?P<action>[\w-]+:\w+)"
    r"(?: on resource: (?P<resource>arn:\S*[^\s.,]|\*))?"
)
_EXPLICIT_DENY: Final = re.compile(r"with an explicit deny(?: in an? (?P<where>[\w -]+ policy))?")
_ENCODED_MESSAGE: Final = re.compile(
    r"\s*Encoded authorization failure message:\s*(?P<blob>[\w-]{20,}\S*)?"
)
_CALL: Final = re.compile(r"operation error (?P<service>[\w ]+): (?P<operation>\w+),")
"""How version 2 of the SDK for Go says which call failed; its provider of Pulumi uses it."""

_DECODE: Final = "aws sts decode-authorization-message --query DecodedMessage --output text"
"""https://docs.aws.amazon.com/STS/latest/APIReference/API_DecodeAuthorizationMessage.html"""


@cache
def table() -> Mapping[str, Any]:
    """Return the table of AWS's refusals that the package includes."""
    text = resources.files("gpuinfra.engine") / "data" / "refusals_aws.toml"
    return tomllib.loads(text.read_text("utf-8"))


def fix(message: str) -> str:
    """Return how to grant the missing permission; empty if the message doesn't name it."""
    match = _NOT_AUTHORIZED.search(message)
    action = match["action"] if match else _denied_action(message)
    if not action:
        return ""
    identity = match["who"] if match and match["who"] else "the role or user in use"
    resource_text = f" on {match['resource']}" if match and match["resource"] else ""
    denied = _EXPLICIT_DENY.search(message)
    if denied:
        place = denied["where"] or "policy"
        first = (
            f"a {place} denies {action}{resource_text} to {identity}: ask its owner to allow it"
        )
    else:
        first = f"allow {action}{resource_text} to {identity}"
    encoded = _ENCODED_MESSAGE.search(message)
    blob = encoded["blob"] if encoded else None
    decode_hint = f"; to see the reason: {_DECODE} --encoded-message {blob}" if blob else ""
    return f"{first}; then run the same command again; it continues where it stopped{decode_hint}"


def without_code(message: str) -> str:
    """Return a message without its encoded part."""
    return _ENCODED_MESSAGE.sub("", message).rstrip()


def _denied_action(message: str) -> str:
    """Return the IAM action of the call that failed."""
    match = _CALL.search(message)
    prefix = table()["prefixes"].get(match["service"]) if match else None
    if match is None or prefix is None:
        return ""
    action = f"{prefix}:{match['operation']}"
    return str(table()["actions"].get(action, action))
