"""Formats that a library knows: networks, regions of AWS, policies of IAM."""

import ipaddress
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import botocore.session
from moto.iam.exceptions import MalformedPolicyDocument
from moto.iam.policy_validation import (
    IAMPolicyDocumentValidator,
    IAMTrustPolicyDocumentValidator,
)

from gpuinfra.graph import Resource
from tests.witnesses import values

NETWORKS: Final = frozenset(
    {
        *("cidrBlock", "cidrIpv4", "cidrIpv6", "destinationCidrBlock"),
        *("ipCidrRange", "sourceRanges", "destinationRanges", "addressPrefixes"),
    }
)
ARN: Final = re.compile(r"\$\{[^}]*\.arn\}", re.IGNORECASE)
POLICIES: Final = {
    "aws:iam/policy:Policy": ("policy", IAMPolicyDocumentValidator),
    "aws:iam/rolePolicy:RolePolicy": ("policy", IAMPolicyDocumentValidator),
    "aws:iam/role:Role": ("assumeRolePolicy", IAMTrustPolicyDocumentValidator),
}


def complaints(resource: Resource) -> Iterator[str]:
    """What is no network, no region or no policy where one has to be."""
    inputs = values.inputs(resource)
    yield from _networks(inputs, "")
    region = inputs.get("region") if resource.type.startswith("aws:") else None
    if isinstance(region, str) and not values.partly(region) and region not in _regions():
        yield f"region: {region!r} is no region that botocore knows"
    if resource.type in POLICIES:
        key, validator = POLICIES[resource.type]
        yield from _policy(validator, inputs.get(key), key)


@cache
def _regions() -> frozenset[str]:
    return frozenset(botocore.session.Session().get_available_regions("ec2"))


def _networks(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _networks(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _networks(item, path)
    elif path.rpartition(".")[2] in NETWORKS and isinstance(value, str) and not _network(value):
        yield f"{path[1:]}: {value!r} is no CIDR block"


def _network(text: str) -> bool:
    """Whether a text is a CIDR block, or may become one."""
    if values.partly(text):
        return True
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


def _policy(validator: type, text: Any, key: str) -> Iterator[str]:
    """What moto's rules for the grammar of policies refuse; symbols of ARNs are replaced."""
    if not isinstance(text, str):
        return
    try:
        validator(ARN.sub("arn:aws:iam::123456789012:role/any", text)).validate()
    except MalformedPolicyDocument as error:
        yield f"{key}: no policy: {error.message}"
