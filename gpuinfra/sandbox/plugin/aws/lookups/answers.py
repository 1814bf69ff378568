"""Conversion between boto3's answers and Pulumi's filters."""

from collections.abc import Iterable, Mapping
from typing import Any

from gpuinfra.sandbox.plugin import settings
from gpuinfra.sandbox.plugin.contract import CloudRefusalError


def filters(args: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return boto3's Filters for the `filters` and `tags` of an invoke."""
    boto3_filters = [
        {"Name": item["name"], "Values": item["values"]} for item in args.get("filters") or []
    ]
    tags = args.get("tags") or {}
    return boto3_filters + [
        {"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()
    ]


def filters_of(values: Mapping[str, Any], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return filters for the arguments that are set; `names` maps arguments to filters."""
    return [
        {"Name": name, "Values": [str(values[key])]}
        for key, name in names.items()
        if values.get(key) is not None
    ]


def single_match(matches: list[Any], noun: str) -> Any:
    """Return the single match; raise the provider's error if there is none or several."""
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise CloudRefusalError("NoMatch", f"no matching {noun} found")
    raise CloudRefusalError(
        "TooManyMatches", f"multiple {noun}s matched; use additional constraints to find one"
    )


def listed(matches: list[str], noun: str) -> list[str]:
    """Return all matches; in a preview without an account, raise an error if there is none.

    An account may have some, so that an empty list would say too much.
    """
    if not matches and settings.temporary():
        raise CloudRefusalError("NoMatch", f"no matching {noun} found")
    return matches


def tags(pairs: Iterable[Mapping[str, str]] | None) -> dict[str, str]:
    """Return tags as a map."""
    return {pair["Key"]: pair["Value"] for pair in pairs or ()}
