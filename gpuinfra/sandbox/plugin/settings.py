"""What the provider is configured with: region, default tags, and how strict the sandbox is."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuinfra.sandbox.place import STRICT_VARIABLE
from gpuinfra.sandbox.plugin.check import Failure

# Inputs of pulumi_aws 7.51.1's Provider; what only matters to a real AWS is accepted and unused.
_KNOWN = frozenset(
    {
        "accessKey",
        "allowedAccountIds",
        "assumeRoleWithWebIdentity",
        "assumeRoles",
        "customCaBundle",
        "defaultTags",
        "ec2MetadataServiceEndpoint",
        "ec2MetadataServiceEndpointMode",
        "endpoints",
        "forbiddenAccountIds",
        "httpProxy",
        "httpsProxy",
        "ignoreTags",
        "insecure",
        "maxRetries",
        "noProxy",
        "profile",
        "region",
        "retryMode",
        "s3UsEast1RegionalEndpoint",
        "s3UsePathStyle",
        "secretKey",
        "sharedConfigFiles",
        "sharedCredentialsFiles",
        "skipCredentialsValidation",
        "skipMetadataApiCheck",
        "skipRegionValidation",
        "skipRequestingAccountId",
        "stsRegion",
        "tagPolicyCompliance",
        "token",
        "tokenBucketRateLimiterCapacity",
        "useDualstackEndpoint",
        "useFipsEndpoint",
        "userAgents",
        "version",
    }
)
_REGION_WAYS = (
    "missing region: set it with `pulumi config set aws:region us-east-1`, with AWS_REGION, or as "
    "`region` of the provider"
)


@dataclass(frozen=True)
class Settings:
    """The provider's configuration, read."""

    region: str = ""
    default_tags: dict[str, str] = field(default_factory=dict)
    strict: bool = False


def problems(given: Mapping[str, Any]) -> list[Failure]:
    """What is wrong with the configuration; a region may still come from the environment."""
    unknown = [key for key in given if key not in _KNOWN and not key.startswith("__")]
    failures = [Failure(key, f"unknown provider setting '{key}'") for key in unknown]
    if not _region(given):
        failures.append(Failure("region", _REGION_WAYS))
    return failures


def read(given: Mapping[str, Any]) -> Settings:
    """Settings from the provider's inputs, where nested values are JSON text."""
    tags = given.get("defaultTags") or {}
    if isinstance(tags, str):
        tags = json.loads(tags)
    return Settings(
        region=_region(given),
        default_tags=dict(tags.get("tags") or {}),
        strict=os.environ.get(STRICT_VARIABLE, "") not in ("", "0", "false"),
    )


def _region(given: Mapping[str, Any]) -> str:
    environment = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    region = given.get("region")
    return region if isinstance(region, str) and region else environment or ""
