"""AWS services with public endpoints of their own: distributions, domains, OpenSearch."""

import re
from typing import Any, Final

from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, flag, opposite, text
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_MULTITENANT_DISTRIBUTION: Final = "aws:cloudfront/multitenantDistribution:MultitenantDistribution"
_TLS_ONLY: Final = frozenset({"https-only", "redirect-to-https"})
_MODERN_EDGE: Final = re.compile(r"TLSv1\.[23]_")
"""What a distribution of CloudFront demands of viewers; the policies that refuse TLS below 1.2,
by how their names begin. With CloudFront's own certificate it is always TLSv1:
https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_ViewerCertificate.html"""

_MODERN_DOMAIN: Final = re.compile(r"TLS_1_[23]|SecurityPolicy_(?!.*TLS10|.*TLS11)")
"""https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-custom-domain-tls-version.html
What holds where none is stated is said nowhere, so such a domain is not judged."""

_MODERN_SEARCH: Final = re.compile(r"Policy-Min-TLS-1-[23]")
"""https://docs.aws.amazon.com/opensearch-service/latest/APIReference/API_DomainEndpointOptions.html
What holds where nothing is stated is said nowhere, so only what is stated counts."""


def distribution(resource: Resource) -> Rows:
    """Return the endpoint of a distribution of CloudFront."""
    inputs = resource.inputs
    behaviors = [
        *as_list(inputs.get("defaultCacheBehavior")),
        *as_list(inputs.get("orderedCacheBehaviors")),
        *as_list(inputs.get("cacheBehaviors")),
    ]
    enabled = flag(inputs.get("enabled"))
    return _row(
        resource,
        public=True if enabled is None else enabled,
        encrypted=all_of(
            _is_accepted(at(behavior, "viewerProtocolPolicy"), _TLS_ONLY) for behavior in behaviors
        ),
        modern=_edge_version(resource),
    )


def _edge_version(resource: Resource) -> Known:
    """Return whether a distribution demands TLS of today.

    Tenants may have certificates of their own, with a policy that is said nowhere.
    """
    certificate = resource.inputs.get("viewerCertificate")
    uses_default_certificate = flag(at(certificate, "cloudfrontDefaultCertificate"))
    is_of_tenants = resource.type == _MULTITENANT_DISTRIBUTION and (
        certificate is None or uses_default_certificate is True
    )
    if is_of_tenants:
        return UNKNOWN
    # Without a policy the oldest version is taken.
    policy = None if certificate is None else at(certificate, "minimumProtocolVersion") or "TLSv1"
    return all_of(
        (
            True if uses_default_certificate is None else opposite(uses_default_certificate),
            _matches(policy, _MODERN_EDGE),
        )
    )


def domain(resource: Resource) -> Rows:
    """Return a custom domain of a REST API, which takes requests over TLS only."""
    configuration = resource.inputs.get("endpointConfiguration")
    private = any_of(
        _is_accepted(kind, frozenset({"PRIVATE"})) for kind in as_list(at(configuration, "types"))
    )
    policy = resource.inputs.get("securityPolicy")
    return _policy_rows(resource, policy, opposite(private))


def http_domain(resource: Resource) -> Rows:
    """Return a custom domain of an HTTP or WebSocket API."""
    return _policy_rows(
        resource, at(resource.inputs.get("domainNameConfiguration"), "securityPolicy")
    )


def _policy_rows(resource: Resource, policy: Any, public: Known = True) -> Rows:
    if policy is None:
        return Rows()
    return _row(resource, public=public, encrypted=True, modern=_matches(policy, _MODERN_DOMAIN))


def search(resource: Resource) -> Rows:
    """Return a domain of OpenSearch, unless it answers only inside a VPC."""
    options = resource.inputs.get("domainEndpointOptions")
    is_in_vpc = resource.inputs.get("vpcOptions") is not None
    enforced, policy = flag(at(options, "enforceHttps")), at(options, "tlsSecurityPolicy")
    if is_in_vpc or (enforced is None and policy is None):
        return Rows()
    return _row(
        resource,
        public=True,
        encrypted=True if enforced is None else enforced,
        modern=True if policy is None else _matches(policy, _MODERN_SEARCH),
    )


def _row(resource: Resource, *, public: Known, encrypted: Known, modern: Known) -> Rows:
    observed = listener_row("aws", resource, public=public, encrypted=encrypted, modern=modern)
    return Rows(listeners=(observed,))


def _is_accepted(value: Any, accepted: frozenset[str]) -> Known:
    policy_text = text(value)
    return UNKNOWN if isinstance(policy_text, Unknown) else policy_text in accepted


def _matches(value: Any, pattern: re.Pattern[str]) -> Known:
    policy_text = text(value)
    if isinstance(policy_text, Unknown):
        return UNKNOWN
    return policy_text is not None and pattern.match(policy_text) is not None
