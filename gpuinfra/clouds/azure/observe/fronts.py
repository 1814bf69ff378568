"""Where balancers and gateways listen, and whether in plain text."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm, kinds
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.profile import present
from gpuinfra.clouds.observing.rows import Rows, unjudged
from gpuinfra.clouds.observing.values import any_of, at, listed, text
from gpuinfra.model import UNKNOWN, Front, Known, Resource, Unknown, Usage

_RULES: Final = ("loadBalancingRules", "inboundNatRules", "inboundNatPools")
_ADDRESSES: Final = ("publicIPAddress", "publicIPPrefix")
_MODERN: Final = frozenset(
    {"appgwsslpolicy20170401s", "appgwsslpolicy20220101", "appgwsslpolicy20220101s"}
)
_SAFE_VERSIONS: Final = frozenset({"tlsv1_2", "tlsv1_3"})
"""What refuses TLS below 1.2; AppGwSslPolicy20220101 is the default of the API since 2023-02-01:
https://learn.microsoft.com/azure/application-gateway/application-gateway-ssl-policy-overview"""


def balancer_front(resource: Resource) -> tuple[Front, ...]:
    """Return where a load balancer is met; it passes on what comes, TLS or not."""
    if not any(resource.inputs.get(key) for key in _RULES):
        return ()
    front = Front(
        name=resource.name,
        subject=resource.urn,
        cloud="azure",
        public=_public(resource),
        encrypted=UNKNOWN,
        modern=UNKNOWN,
    )
    return (front,)


def gateway(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return where an application gateway is met; what it costs, nobody says."""
    rows = unjudged(resource, "no table has the price of an application gateway")
    listeners = resource.inputs.get("httpListeners")
    found = [UNKNOWN] if isinstance(listeners, Unknown) else listed(listeners)
    return Rows(
        not_judged=rows.not_judged,
        fronts=tuple(_listener(resource, one) for one in found),
    )


def _listener(resource: Resource, spec: Any) -> Front:
    protocol = text(at(spec, "protocol"))
    tls: Known = protocol.lower() != "http" if isinstance(protocol, str) else UNKNOWN
    return Front(
        name=resource.name,
        subject=resource.urn,
        cloud="azure",
        public=_public(resource),
        encrypted=any_of((tls, _redirects(resource, at(spec, "name")))),
        modern=None if tls is False else _modern(resource),
    )


def _public(resource: Resource) -> Known:
    fronts = resource.inputs.get("frontendIPConfigurations")
    if isinstance(fronts, Unknown):
        return UNKNOWN
    return any_of(present(at(one, key)) for one in listed(fronts) for key in _ADDRESSES)


def _redirects(resource: Resource, name: Any) -> Known:
    """Whether all rules of a listener do nothing but send everybody to another one with TLS."""
    rules = [
        rule
        for rule in listed(resource.inputs.get("requestRoutingRules"))
        if _ends(at(rule, "httpListener", "id")) == name
    ]
    if not rules or not isinstance(name, str):
        return False
    secure = set(_secure_listeners(resource))
    goals = {
        _ends(at(one, "targetListener", "id"))
        for rule in rules
        for one in listed(resource.inputs.get("redirectConfigurations"))
        if _ends(at(rule, "redirectConfiguration", "id")) == at(one, "name")
    }
    return bool(goals) and goals <= secure


def _secure_listeners(resource: Resource) -> Iterator[Any]:
    for one in listed(resource.inputs.get("httpListeners")):
        if str(at(one, "protocol")).lower() == "https" and isinstance(at(one, "name"), str):
            yield at(one, "name").lower()


def _ends(reference: Any) -> Any:
    """The name of the part that an id ends with; the parts of a gateway refer so to each other."""
    return arm.last_part(reference) if isinstance(reference, str) else reference


def _modern(resource: Resource) -> Known:
    policy = resource.inputs.get("sslPolicy")
    if policy is None:
        return True
    name, least = text(at(policy, "policyName")), text(at(policy, "minProtocolVersion"))
    if isinstance(name, Unknown) or isinstance(least, Unknown):
        return UNKNOWN
    if least is not None:
        return least.lower() in _SAFE_VERSIONS
    return name is not None and name.lower() in _MODERN


FRONTS: Final[dict[str, Callable[[Resource, Index, Usage], Rows]]] = {kinds.GATEWAY: gateway}
"""Who observes which type."""
