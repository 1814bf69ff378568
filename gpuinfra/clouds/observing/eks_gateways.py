"""The load balancers that AWS's controller makes for Gateways, as their configurations say."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ssl_policies import name_refuses_old
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_CONFIGS: Final = tuple(
    f"kubernetes:gateway.k8s.aws/{version}:LoadBalancerConfiguration"
    for version in ("v1", "v1beta1")
)
_CONTROLLERS: Final = ("gateway.k8s.aws/alb", "gateway.k8s.aws/nlb")
"""https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/l7gateway/"""

_IN_CLUSTER: Final = frozenset(
    {"amazon-vpc-lattice", "cilium", "contour", "eg", "envoy", "kgateway", "kong", "nginx"}
    | {"istio", "istio-remote", "istio-waypoint", "traefik"}
)
"""Classes that controllers in a cluster come with, and that of VPC Lattice, which is private:
https://gateway-api.sigs.k8s.io/implementations/ (the names are not re-read: *unverified*)"""

Modern = Callable[[str, Any], Known]
"""Whether a listener of a protocol, at a port, refuses old TLS."""


@record
class GatewayBalancer:
    """The load balancer of a Gateway.

    Attributes:
        public: whether the internet reaches it by itself.
        modern: whether it refuses old TLS.
        lets_in: whether it lets everyone in that another balancer, or an accelerator, leads to it.
    """

    public: Known
    modern: Modern
    lets_in: Known = True


def balancer_of(gateway: Any, class_: Resource | None, index: Index) -> GatewayBalancer:
    """Return the balancer of AWS's controller for a Gateway of a class; not public by default.

    The class and the Gateway may each name a configuration, of which the class's goes first.
    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/loadbalancerconfig/
    (read 2026-11-27)
    """
    is_served = any_of(equals(controller_of(class_), controller) for controller in _CONTROLLERS)
    own_config, configs = _configs(gateway, class_, index)
    if class_ is None:
        is_own_group = "gateway.k8s.aws" in str(at(own_config, "group"))
        is_other_class = at(gateway, "spec", "gatewayClassName") not in _IN_CLUSTER
        is_served = True if is_own_group else UNKNOWN if is_other_class else False
    scheme, ranges = _first(configs, "scheme"), _first(configs, "sourceRanges")
    faces = UNKNOWN if isinstance(scheme, Unknown) else scheme == "internet-facing"
    lets_in = all_of(
        (
            is_served,
            reaches_world(as_list(ranges)) if ranges is not None else True,
            True if _first(configs, "securityGroups") is None else UNKNOWN,
        )
    )
    return GatewayBalancer(
        public=all_of((faces, lets_in)),
        modern=lambda protocol, port: _is_modern(configs, protocol, whole_number(port)),
        lets_in=lets_in,
    )


def may_filter(gateway: Any, class_: Resource | None, index: Index) -> bool:
    """Return whether a firewall or certificates of clients may turn some requests away."""
    own_config, configs = _configs(gateway, class_, index)
    if class_ is None and own_config is None:
        return False
    certificates = (
        at(listener, "mutualAuthentication", "mode") for listener in _listeners(configs)
    )
    return _first(configs, "wafV2") is not None or any(
        listener not in {None, "off"} for listener in map(text, certificates)
    )


def setting_of(gateway: Any, class_: Resource | None, index: Index, key: str) -> Any:
    """Return a setting of a Gateway's balancer; UNKNOWN where a configuration is of elsewhere."""
    return _first(_configs(gateway, class_, index)[1], key)


def _configs(gateway: Any, class_: Resource | None, index: Index) -> tuple[Any, list[Any]]:
    """Return the Gateway's own reference, and the configurations, the first of which holds."""
    gateway_reference = at(gateway, "spec", "infrastructure", "parametersRef")
    if class_ is None:
        return gateway_reference, [
            UNKNOWN if gateway_reference is None else _config(gateway_reference, index)
        ]
    of_class = at(class_.inputs.get("spec"), "parametersRef")
    configs = [_config(each, index) for each in (of_class, gateway_reference) if each is not None]
    if configs and at(configs[0], "mergingMode") == "prefer-gateway":
        configs.reverse()
    return gateway_reference, configs


def controller_of(class_: Resource | None) -> Any:
    """Return the controller of a class of Gateways."""
    return at(class_.inputs.get("spec"), "controllerName") if class_ else None


def _is_modern(configs: list[Any], protocol: str, port: int | Unknown | None) -> Known:
    if isinstance(port, Unknown):
        return UNKNOWN
    listener = f"{protocol}:{port}"
    own_policies = (
        text(at(config_listener, "sslPolicy"))
        for config_listener in _listeners(configs)
        if at(config_listener, "protocolPort") in (listener, UNKNOWN)
    )
    facts: set[Known] = set(map(name_refuses_old, own_policies))
    return facts.pop() if len(facts) == 1 else UNKNOWN if facts else False


def _listeners(configs: list[Any]) -> Iterator[Any]:
    """Yield the settings of listeners; the first configuration that names a port holds for it.

    That is so for each port by itself (pkg/gateway/lb_config_merger.go of the controller).
    """
    named_ports: set[Any] = set()
    for config in configs:
        configurations = as_list(at(config, "listenerConfigurations"))
        ports = [text(at(configuration, "protocolPort")) for configuration in configurations]
        yield from (
            configuration
            for configuration, port in zip(configurations, ports, strict=True)
            if port not in named_ports
        )
        named_ports.update(port for port in ports if isinstance(port, str))


def _config(reference: Any, index: Index) -> Any:
    """Return the settings of the balancer that are referred to; UNKNOWN for those of elsewhere."""
    name = at(reference, "name")
    named_configs = [
        config
        for kind in _CONFIGS
        for config in index.of_kind(kind)
        if at(config.inputs, "metadata", "name") == name
    ]
    return named_configs[-1].inputs.get("spec") if named_configs else UNKNOWN


def _first(configs: list[Any], key: str) -> Any:
    return next(
        (value for value in (at(config, key) for config in configs) if value is not None), None
    )
