"""The configuration of the AWS provider: region, default tags."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Provider
from gpuinfra.sandbox.plugin.facts import listed
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.settings import ProviderSettings, nested, text

_REGION_WAYS = (
    "missing region: set it with `pulumi config set aws:region us-east-1`, with AWS_REGION, or as "
    "`region` of the provider"
)


def _region(given: Mapping[str, Any]) -> str:
    return text(given, "region", "AWS_REGION", "AWS_DEFAULT_REGION")


def _read(given: Mapping[str, Any]) -> ProviderSettings:
    tags = nested(given, "defaultTags").get("tags") or {}
    return ProviderSettings(place=_region(given), tags=dict(tags))


def _problems(given: Mapping[str, Any]) -> list[Failure]:
    return [] if _region(given) else [Failure("region", _REGION_WAYS)]


PROVIDER = Provider(
    known=listed("aws", "provider"), read=_read, problems=_problems, fixed=frozenset({"region"})
)
