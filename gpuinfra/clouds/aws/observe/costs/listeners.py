"""The listeners of load balancers, classic ones included, and whether they are plain text."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.costs.service_costs import classic_items
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import target_groups
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.ssl_policies import name_refuses_old
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown, Usage

_TLS: Final = frozenset({"HTTPS", "TLS", "SSL"})
_PLAIN_PROTOCOL: Final = "HTTP"
_PASSED_ON: Final = "TCP"
_OTHER_PROTOCOLS: Final = frozenset({"GENEVE", "UDP", "QUIC"})
"""The protocol of gateway balancers, which pass packets to appliances and serve no clients, and
protocols that have neither plain HTTP nor a TLS version below 1.2."""

_ANSWER: Final = "fixed-response"
"""What a listener says itself, which is the same for everyone:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html"""


def listener(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the endpoint of a load balancer's listener."""
    protocol = text(resource.inputs.get("protocol")) or _PLAIN_PROTOCOL
    if protocol in _OTHER_PROTOCOLS:
        return Rows()
    encrypted, modern = _tls_use(resource, protocol, index)
    observed = listener_row(
        "aws", resource, public=_public(resource, index), encrypted=encrypted, modern=modern
    )
    return Rows(listeners=(observed,))


def classic(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the endpoint of a classic load balancer, and what it costs."""
    protocols = [
        text(at(entry, "lbProtocol")) for entry in as_list(resource.inputs.get("listeners"))
    ]
    internal = flag(resource.inputs.get("internal"))
    observed = listener_row(
        "aws",
        resource,
        public=opposite(internal),
        encrypted=all_of(_speaks_tls(protocol) for protocol in protocols)
        if protocols
        else UNKNOWN,
        # Which versions it takes is a policy of its own, with TLS 1.0 where there is none.
        modern=UNKNOWN,
    )
    return Rows(items=classic_items(resource, index), listeners=(observed,))


def _tls_use(
    resource: Resource, protocol: str | Unknown, index: Index
) -> tuple[Known, Known | None]:
    """Return whether a listener uses TLS, and only 1.2 or newer; None where it uses none.

    One that passes TCP on to application load balancers speaks what their listeners do.
    """
    if protocol == _PASSED_ON:
        behind = tuple(_listener_backends(resource, index))
        if behind:
            versions = [modern for _, modern in behind if modern is not None]
            encrypted = all_of(encrypted for encrypted, _ in behind)
            return encrypted, all_of(versions) if versions else None
    return _is_encrypted(resource, protocol, index), _modern(resource, protocol)


def _listener_backends(resource: Resource, index: Index) -> Iterator[tuple[Known, Known | None]]:
    for group in target_groups.forwarded_groups(resource, index):
        listeners = [target for _, target in target_groups.load_balancer_targets(group, index)]
        for target in listeners:
            protocol = text(target.inputs.get("protocol")) or _PLAIN_PROTOCOL
            yield _is_encrypted(target, protocol, index), _modern(target, protocol)
        if not listeners:
            yield UNKNOWN, UNKNOWN


def _public(resource: Resource, index: Index) -> Known:
    """Return whether the internet reaches a listener, also by a balancer or an accelerator.

    https://docs.aws.amazon.com/global-accelerator/latest/dg/about-endpoints-endpoint-groups.html
    """
    if (direct := _faces(resource, index)) is True:
        return True
    balancer_checks = (
        _faces(listener, index) for listener in target_groups.listeners_before(resource, index)
    )
    return any_of((direct, *balancer_checks, *_accelerator_facts(resource, index)))


def _faces(resource: Resource, index: Index) -> Known:
    balancers = index.targets(resource, "loadBalancerArn", resource_types.BALANCER)
    return balancers.any_target(_faces_internet)


def _accelerator_facts(resource: Resource, index: Index) -> Iterator[Known]:
    if index.of_kind(resource_types.ACCELERATED_ENDPOINTS):
        from gpuinfra.clouds.aws.observe.exposure import edge_exposed_ports  # noqa: PLC0415  (few have any)

        yield edge_exposed_ports.is_accelerated(resource, index)


def _faces_internet(balancer: Resource) -> Known:
    internal = flag(balancer.inputs.get("internal"))
    return opposite(internal)


def _speaks_tls(protocol: str | Unknown | None) -> Known:
    """Return whether a protocol is TLS; UNKNOWN for one that is passed through."""
    if not isinstance(protocol, str):
        return UNKNOWN
    if protocol.upper() in _TLS:
        return True
    return False if protocol.upper() == _PLAIN_PROTOCOL else UNKNOWN


def _is_encrypted(resource: Resource, protocol: str | Unknown, index: Index) -> Known:
    is_tls = _speaks_tls(protocol)
    return _redirects(resource, index) if is_tls is False else is_tls


def _redirects(resource: Resource, index: Index) -> Known:
    """Return whether a plain listener redirects all requests to HTTPS, or serves none."""
    rules = index.referrers(resource, resource_types.LISTENER_RULE, "listenerArn")
    actions = [
        *as_list(resource.inputs.get("defaultActions")),
        *(action for rule in rules.certain for action in as_list(rule.inputs.get("actions"))),
    ]
    redirects = (
        all_of(_is_tls_redirect_or_fixed_response(action) for action in actions)
        if actions
        else UNKNOWN
    )
    return redirects if rules.complete or redirects is False else UNKNOWN


def _is_tls_redirect_or_fixed_response(action: Any) -> Known:
    kind = at(action, "type")
    to_https = equals(at(action, "redirect", "protocol"), "HTTPS")
    return any_of((equals(kind, _ANSWER), all_of((equals(kind, "redirect"), to_https))))


def _modern(resource: Resource, protocol: str | Unknown) -> Known | None:
    is_tls = _speaks_tls(protocol)
    if is_tls is not True:
        return None if is_tls is False else UNKNOWN
    return name_refuses_old(text(resource.inputs.get("sslPolicy")))
