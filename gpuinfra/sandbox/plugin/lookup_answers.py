"""Answers look-ups; in previews without an account with placeholders."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.sandbox.plugin import settings
from gpuinfra.sandbox.plugin.cloud import Cloud, Invoke
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.sandbox_folder import LOOKUPS_FILE, sandbox_home

UNLISTED: Final = f"unlisted-{UNKNOWN_TEXT}"
"""A text that the SDK passes on as it is, and that a check reads as unknown."""

_UNKNOWN: Final = "?"


def answer(
    cloud: Cloud, resources: Resources, token: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Return the answer of a look-up by its token, as the program writes it.

    Raises:
        CloudRefusalError: the sandbox does not answer it, or the cloud refuses it.
    """
    try:
        lookup = _lookup(cloud, token)
        return resources.attempts.guarded(lambda: lookup(resources.lookup_context, arguments))
    except CloudRefusalError as refusal:
        unknown = _unlisted_answer(cloud.token(token), arguments, refusal)
        if unknown is None:
            raise
        return unknown


def _lookup(cloud: Cloud, token: str) -> Invoke:
    lookup = cloud.invokes().get(cloud.token(token))
    if lookup is None:
        raise CloudRefusalError(
            "UnansweredInvoke",
            f"the sandbox does not answer {token}; nothing after it was checked",
        )
    return lookup


def _unlisted_answer(
    token: str, arguments: Mapping[str, Any], refusal: CloudRefusalError
) -> dict[str, Any] | None:
    """Return an answer of which only the arguments are known; None where the refusal stands.

    It stands in a deployment, for a wrong request, and for a look-up that is not in the table.
    """
    table = _table()
    row = table["answers"].get(token)
    if row is None or not settings.temporary() or refusal.code not in table["absent"]:
        return None
    with (sandbox_home() / LOOKUPS_FILE).open("a", encoding="utf-8") as file:
        file.write(f"{token}\n")
    form = {**dict.fromkeys(row["texts"].split(), _UNKNOWN), **row["others"]}
    return {**_filled_form(form), **arguments}


@cache
def _table() -> Mapping[str, Any]:
    text = files("gpuinfra.sandbox").joinpath("data", "account_lookups.json").read_bytes()
    return dict(json.loads(text))


def _filled_form(form: Any) -> Any:
    """Return a form with unknown texts in place of its marks."""
    if isinstance(form, Mapping):
        return {key: _filled_form(value) for key, value in form.items()}
    if isinstance(form, list):
        return [_filled_form(value) for value in form]
    return UNLISTED if form == _UNKNOWN else form
