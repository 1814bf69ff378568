"""The listeners of balancers and gateways, and whether they are plain text."""

from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.rows import listener_row, unpriced_rows
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, is_present, text
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Rows, Unknown, Usage

_RULES: Final = ("loadBalancingRules", "inboundNatRules", "inboundNatPools")
_ADDRESSES: Final = ("publicIPAddress", "publicIPPrefix")
_MODERN: Final = frozenset(
    {"appgwsslpolicy20170401s", "appgwsslpolicy20220101", "appgwsslpolicy20220101s"}
)
_SAFE_VERSIONS: Final = frozenset({"tlsv1_2", "tlsv1_3"})
"""What refuses TLS below 1.2:
https://learn.microsoft.com/azure/application-gateway/application-gateway-ssl-policy-overview"""


def balancer_listener(resource: Resource, index: Index) -> tuple[Listener, ...]:
    """Return the endpoint of a load balancer, which passes traffic on, TLS or not."""
    nat_rules = index.referrers(resource, resource_types.NAT_RULE, "loadBalancerName")
    has_inline_rules = any(resource.inputs.get(key) for key in _RULES)
    if not has_inline_rules and not nat_rules.certain and nat_rules.complete:
        return ()
    observed = listener_row(
        "azure",
        resource,
        public=_public(resource),
        encrypted=UNKNOWN,
        modern=UNKNOWN,
    )
    return (observed,)


def gateway(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the endpoint of an application gateway, which no table prices."""
    from gpuinfra.clouds.azure.observe.exposure import gateway_ports  # noqa: PLC0415  (few have any)

    rows = unpriced_rows(resource, "an application gateway")
    declared_listeners = [
        *(_listener(resource, spec) for spec in as_list(resource.inputs.get("httpListeners"))),
        *(_lower_listener(resource, spec) for spec in as_list(resource.inputs.get("listeners"))),
    ]
    return Rows(
        not_judged=rows.not_judged,
        listeners=tuple(declared_listeners),
        open_ports=tuple(gateway_ports.exposed_ports(resource, _public(resource), index)),
    )


def _listener(resource: Resource, spec: Any) -> Listener:
    protocol = text(at(spec, "protocol"))
    tls: Known = protocol.lower() != "http" if isinstance(protocol, str) else UNKNOWN
    return listener_row(
        "azure",
        resource,
        public=_public(resource),
        encrypted=any_of((tls, _redirects(resource, at(spec, "name")))),
        modern=None if tls is False else _modern(resource, spec),
    )


def _lower_listener(resource: Resource, spec: Any) -> Listener:
    """Return a listener of layer 4, which ends TLS or passes connections on, TLS or not.

    https://learn.microsoft.com/azure/application-gateway/tcp-tls-proxy-overview
    """
    protocol = text(at(spec, "protocol"))
    is_tls = isinstance(protocol, str) and protocol.lower() == "tls"
    return listener_row(
        "azure",
        resource,
        public=_public(resource),
        encrypted=is_tls or UNKNOWN,
        modern=_modern(resource, spec) if is_tls else UNKNOWN,
    )


def _public(resource: Resource) -> Known:
    frontends = resource.inputs.get("frontendIPConfigurations")
    if isinstance(frontends, Unknown):
        return UNKNOWN
    return any_of(
        is_present(at(frontend, key)) for frontend in as_list(frontends) for key in _ADDRESSES
    )


def _redirects(resource: Resource, name: Any) -> Known:
    """Return whether all rules of a listener only redirect to another one with TLS."""
    facts: list[Known] = []
    for rule in as_list(resource.inputs.get("requestRoutingRules")):
        is_of_listener = arm_ids.is_called(at(rule, "httpListener", "id"), name)
        if is_of_listener is not False:
            facts.append(
                UNKNOWN if isinstance(is_of_listener, Unknown) else _sends_on(resource, rule)
            )
    return all_of(facts) if facts else False


def _sends_on(resource: Resource, rule: Any) -> Known:
    """Return whether a rule redirects to a listener with TLS."""
    redirect_id = at(rule, "redirectConfiguration", "id")
    return any_of(
        all_of(
            (
                arm_ids.is_called(redirect_id, at(redirect, "name")),
                _is_secure(resource, at(redirect, "targetListener")),
            )
        )
        for redirect in as_list(resource.inputs.get("redirectConfigurations"))
    )


def _is_secure(resource: Resource, reference: Any) -> Known:
    """Return whether the referenced listener uses TLS."""
    return any_of(
        all_of(
            (arm_ids.is_called(at(reference, "id"), at(listener, "name")), _speaks_tls(listener))
        )
        for listener in as_list(resource.inputs.get("httpListeners"))
    )


def _speaks_tls(listener: Any) -> Known:
    protocol = text(at(listener, "protocol"))
    return protocol.lower() == "https" if isinstance(protocol, str) else UNKNOWN


def _modern(resource: Resource, listener: Any) -> Known:
    """Return whether a listener refuses old TLS, by the policy of its profile or of the gateway.

    https://learn.microsoft.com/azure/application-gateway/application-gateway-configure-listener-specific-ssl-policy
    """
    usual = resource.inputs.get("sslPolicy")
    reference = at(listener, "sslProfile", "id")
    if reference is None or resource.inputs.get("sslProfiles") is None:
        return _refuses_old(resource, usual)
    for profile in as_list(resource.inputs.get("sslProfiles")):
        is_of_profile = arm_ids.is_called(reference, at(profile, "name"))
        if is_of_profile is not False:
            policy = at(profile, "sslPolicy")
            refuses = _refuses_old(resource, usual if policy is None else policy)
            return refuses if is_of_profile is True else UNKNOWN
    return UNKNOWN


def _refuses_old(resource: Resource, policy: Any) -> Known:
    if policy is None:
        versions = {row["what"]: str(row["version"]) for row in TABLES.rows("gateways")}
        version = resource_types.api_version(resource.type) or versions["default-of-the-sdk"]
        return version >= versions["refuses-old-tls"]
    name, least = text(at(policy, "policyName")), text(at(policy, "minProtocolVersion"))
    if isinstance(name, Unknown) or isinstance(least, Unknown):
        return UNKNOWN
    if least is not None:
        return least.lower() in _SAFE_VERSIONS
    return name is not None and name.lower() in _MODERN
