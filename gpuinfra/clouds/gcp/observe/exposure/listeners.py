"""The endpoints of forwarding rules, and whether they are plain text, by their proxy."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.ssl_policies import refuses_old
from gpuinfra.clouds.observing.values import at, flag, text
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Unknown

_PRIVATE: Final = "INTERNAL"
"""How the schemes begin that the internet does not reach; the default scheme is EXTERNAL:
https://docs.cloud.google.com/load-balancing/docs/forwarding-rule-concepts"""

_BUNDLES: Final = frozenset({"all-apis", "vpc-sc"})
"""The bundles of Google's APIs that an endpoint of Private Service Connect, with an address
inside of a VPC, leads to:
https://docs.cloud.google.com/vpc/docs/about-accessing-google-apis-endpoints"""

_ATTACHMENTS: Final = "serviceAttachments/"
_OTHER_PROTOCOLS: Final = frozenset({"ESP", "AH", "SCTP", "ICMP", "UDP"})


def listener_of(resource: Resource, index: Index) -> Iterator[Listener]:
    """Yield the endpoint of a forwarding rule, if it is for requests at all."""
    protocol = text(resource.inputs.get("ipProtocol"))
    if protocol in _OTHER_PROTOCOLS:
        return
    encrypted, modern = _tls_of_rule(resource, index)
    yield listener_row(
        "gcp",
        resource,
        public=is_public(resource),
        encrypted=encrypted,
        modern=modern,
    )


def leads_to_attachment(resource: Resource, index: Index) -> bool:
    """Return whether a rule is an endpoint of Private Service Connect, for a service."""
    target = resource.inputs.get("target")
    if isinstance(target, str):
        return _ATTACHMENTS in target
    return bool(index.targets(resource, "target", resource_types.SERVICE_ATTACHMENT).certain)


def is_public(resource: Resource) -> Known:
    """Return whether the internet reaches a forwarding rule, by its scheme."""
    if text(resource.inputs.get("target")) in _BUNDLES:
        return False
    scheme = text(resource.inputs.get("loadBalancingScheme"))
    if isinstance(scheme, Unknown):
        return UNKNOWN
    return scheme is None or not scheme.startswith(_PRIVATE)


def _tls_of_rule(resource: Resource, index: Index) -> tuple[Known, Known | None]:
    """Return whether a rule takes TLS only, and 1.2 or newer; UNKNOWN for passthrough."""
    if resource.inputs.get("target") is None:
        return UNKNOWN, UNKNOWN
    plain_proxies = index.targets(resource, "target", resource_types.PLAIN_PROXY)
    if len(plain_proxies.certain) == 1:
        return _redirects(plain_proxies.certain[0], index), None
    secure = index.targets(resource, "target", resource_types.TLS_PROXY)
    if len(secure.certain) == 1:
        return True, _modern(secure.certain[0], index)
    return UNKNOWN, UNKNOWN


def _redirects(proxy: Resource, index: Index) -> Known:
    """Return whether a plain proxy only redirects all requests to HTTPS."""
    maps = index.targets(proxy, "urlMap", resource_types.ROUTES)
    return maps.any_target(_sends_away)


def _sends_away(routes: Resource) -> Known:
    """Return whether a URL map redirects all to HTTPS; UNKNOWN with rules for hosts or paths."""
    to_tls = flag(at(routes.inputs.get("defaultUrlRedirect"), "httpsRedirect"))
    if routes.inputs.get("pathMatchers") and to_tls is not None:
        return UNKNOWN
    return False if to_tls is None else to_tls


def _modern(proxy: Resource, index: Index) -> Known:
    if proxy.inputs.get("sslPolicy") is None:
        return False
    policies = index.targets(proxy, "sslPolicy", resource_types.TLS_POLICY)
    return policies.any_target(refuses_old)
