"""The configuration of the AWS provider: region, default tags."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Provider
from gpuinfra.sandbox.plugin.facts import names_in_table
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.settings import ProviderSettings, nested_setting, text

_REGION_WAYS = (
    "missing region: set it with `pulumi config set aws:region us-east-1`, with AWS_REGION, or as "
    "`region` of the provider"
)


def _region(given: Mapping[str, Any]) -> str:
    return text(given, "region", "AWS_REGION", "AWS_DEFAULT_REGION")


def _read(given: Mapping[str, Any]) -> ProviderSettings:
    tags = nested_setting(given, "defaultTags").get("tags") or {}
    return ProviderSettings(place=_region(given), tags=dict(tags))


def _problems(given: Mapping[str, Any]) -> list[Failure]:
    return [] if _region(given) else [Failure("region", _REGION_WAYS)]


PROVIDER = Provider(
    known_settings=names_in_table("aws", "provider"),
    read_settings=_read,
    problems=_problems,
    replacing_settings=frozenset({"region"}),
)
