"""What the AWS provider is configured with: region, default tags."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.check import Failure
from gpuinfra.sandbox.plugin.cloud import Provider
from gpuinfra.sandbox.plugin.settings import ProviderSettings, nested, text

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
    }
)
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


PROVIDER = Provider(known=_KNOWN, read=_read, problems=_problems, fixed=frozenset({"region"}))
