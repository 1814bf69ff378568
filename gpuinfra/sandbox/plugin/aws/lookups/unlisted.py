"""What a look-up answers of an account's own things, which a preview without an account lacks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from botocore.exceptions import ClientError

from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.sandbox.plugin import settings
from gpuinfra.sandbox.plugin.contract import CloudRefusalError

UNLISTED: Final = f"unlisted-{UNKNOWN_TEXT}"
"""A text that the SDK passes on as it is, and that a check reads as unknown."""

_ABSENT: Final = frozenset({"NoSuchEntity", "ResourceNotFoundException"})


def unlisted(outputs: Iterable[str], args: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer of which only the arguments are known."""
    return {**dict.fromkeys(outputs, UNLISTED), **args}


def known_or_unlisted(
    ask: Callable[[], dict[str, Any]], outputs: Iterable[str], args: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the answer; in a preview without an account, an unknown one for what is absent.

    Raises:
        CloudRefusalError: it is absent, or the request is wrong.
    """
    try:
        return ask()
    except ClientError as error:
        problem = error.response["Error"]
        if settings.temporary() and problem["Code"] in _ABSENT:
            return unlisted(outputs, args)
        raise CloudRefusalError(problem["Code"], problem["Message"]) from error
