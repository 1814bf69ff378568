"""Control ports of a network that CloudFront or Global Accelerator exposes to the internet."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.exposure.api_links import ports_behind_balancers
from gpuinfra.clouds.aws.observe.exposure.forwarded_ports import (
    control_ports,
    lets_in,
    served_port_text,
)
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing import eks_accelerators
from gpuinfra.clouds.observing.control_ports import SOURCES
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

DISTRIBUTION: Final = "aws:cloudfront/distribution:Distribution"
MULTITENANT_DISTRIBUTION: Final = "aws:cloudfront/multitenantDistribution:MultitenantDistribution"
_TENANT: Final = "aws:cloudfront/distributionTenant:DistributionTenant"
_ORIGIN: Final = "aws:cloudfront/vpcOrigin:VpcOrigin"
_ENTRANCE: Final = "aws:globalaccelerator/listener:Listener"
_SIGNING_KEYS: Final = ("trustedKeyGroups", "trustedSigners")
"""The settings that accept only signed requests:
https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-trusted-signers.html"""
_BEHAVIORS: Final = ("defaultCacheBehavior", "orderedCacheBehaviors", "cacheBehaviors")
"""Where behaviors are; the last is of distributions with tenants."""
_FUNCTION_KEYS: Final = ("functionAssociations", "lambdaFunctionAssociations")
_PORTS: Final = {"http-only": ("httpPort",), "https-only": ("httpsPort",)}
"""The ports at which an origin is asked, by its protocol policy; both by any other:
https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_VpcOriginEndpointConfig.html"""
_USUAL: Final = {"httpPort": 80, "httpsPort": 443}
_USUAL_SCHEMES: Final = tuple(_USUAL)


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the distributions and accelerators that expose control ports to the internet."""
    for kind, find in (
        (DISTRIBUTION, _distribution_ports),
        (MULTITENANT_DISTRIBUTION, _distribution_ports),
        (resource_types.ACCELERATED_ENDPOINTS, _accelerator_ports),
    ):
        for frontend in index.of_kind(kind):
            yield from exposed_port_rows("aws", frontend, find(frontend, index))


def _distribution_ports(frontend: Resource, index: Index) -> Iterator[ExposedPort]:
    served_to = _serves_tenants(frontend, index)
    for origin in as_list(frontend.inputs.get("origins")):
        lets_anyone = all_of((served_to, _lets_anyone(frontend, _id_of(origin))))
        for target, config in (
            _origins(frontend, origin, index) if lets_anyone is not False else ()
        ):
            for port in _origin_ports(config):
                if resource_types.canonical(target.type) == resource_types.INSTANCE:
                    if port in SOURCES:
                        yield lets_anyone, served_port_text(port, target, frontend)
                    continue
                for passes_on, group, control in ports_behind_balancers((target,), port, index):
                    yield (
                        all_of((lets_anyone, passes_on)),
                        served_port_text(control, group, frontend),
                    )


def _origins(frontend: Resource, origin: Any, index: Index) -> Iterator[tuple[Resource, Any]]:
    """Yield the load balancers and instances of an origin, each with its port settings."""
    vpc_origin_id = at(_first_or_mapping(origin, "vpcOriginConfig"), "vpcOriginId")
    origin_resources = (
        index.targets(frontend, "origins", _ORIGIN, vpc_origin_id).certain
        if vpc_origin_id is not None
        else ()
    )
    for resource in origin_resources:
        config = resource.inputs.get("vpcOriginEndpointConfig")
        arn = at(config, "arn")
        for kind in (resource_types.BALANCER, resource_types.INSTANCE):
            for target in index.targets(resource, "vpcOriginEndpointConfig", kind, arn).certain:
                yield target, config
    if origin_resources:
        return
    host, config = at(origin, "domainName"), _first_or_mapping(origin, "customOriginConfig")
    for balancer in index.of_kind(resource_types.BALANCER):
        is_named_by_host = isinstance(host, str) and balancer.outputs.get("dnsName") == host
        if is_named_by_host or (
            isinstance(host, Unknown) and balancer in index.related_resources(frontend, "origins")
        ):
            yield balancer, config


def _origin_ports(config: Any) -> Iterator[int]:
    policy = at(config, "originProtocolPolicy")
    for key in _PORTS.get(policy, _USUAL_SCHEMES) if isinstance(policy, str) else _USUAL_SCHEMES:
        port = whole_number(at(config, key))
        yield port if isinstance(port, int) else _USUAL[key]


def _lets_anyone(frontend: Resource, origin: Any) -> Known:
    """Return whether an origin gets anyone's requests; UNKNOWN with a firewall or a function."""
    behaviors = [entry for key in _BEHAVIORS for entry in as_list(frontend.inputs.get(key))]
    facts = [
        all_of(
            (
                _asks_nothing(behavior),
                _targets_origin(frontend, at(behavior, "targetOriginId"), origin),
            )
        )
        for behavior in behaviors
    ]
    enabled = flag(frontend.inputs.get("enabled"))
    is_filtered = bool(frontend.inputs.get("webAclId"))
    return all_of(
        (True if enabled is None else enabled, any_of(facts), UNKNOWN if is_filtered else True)
    )


def _targets_origin(frontend: Resource, target: Any, origin: Any) -> Known:
    """Return whether a behavior's target is an origin, or a group with it as a member.

    https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_OriginGroup.html
    """
    members = (
        all_of((equals(target, _id_of(group)), equals(_id_of(member), origin)))
        for group in as_list(frontend.inputs.get("originGroups"))
        for member in as_list(at(group, "members"))
    )
    return any_of((equals(target, origin), *members))


def _id_of(origin: Any) -> Any:
    """Return the id of an origin or a group, by either key that distributions have for it."""
    origin_id = at(origin, "originId")
    return at(origin, "id") if origin_id is None else origin_id


def _first_or_mapping(origin: Any, key: str) -> Any:
    """Return the settings under a key, which distributions with tenants write as a list."""
    value = at(origin, key)
    return next(iter(as_list(at(origin, f"{key}s"))), None) if value is None else value


def _serves_tenants(frontend: Resource, index: Index) -> Known:
    """Return whether a distribution serves anyone: one with tenants does by enabled ones alone.

    A tenant may have a firewall of its own; tenants may be elsewhere:
    https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_DistributionTenant.html
    """
    if resource_types.canonical(frontend.type) != MULTITENANT_DISTRIBUTION:
        return True
    tenants = index.referrers(frontend, _TENANT, "distributionId").certain
    return any_of((UNKNOWN, *map(_serves, tenants)))


def _serves(tenant: Resource) -> Known:
    enabled = flag(tenant.inputs.get("enabled"))
    is_filtered = at(tenant.inputs.get("customizations"), "webAcl") is not None
    return all_of((True if enabled is None else enabled, UNKNOWN if is_filtered else True))


def _asks_nothing(behavior: Any) -> Known:
    if any(_signers(at(behavior, key)) for key in _SIGNING_KEYS):
        return False
    return UNKNOWN if any(as_list(at(behavior, key)) for key in _FUNCTION_KEYS) else True


def _signers(value: Any) -> bool:
    """Return whether signers are named, in a list or, for tenants, in one under `items`."""
    if isinstance(value, Mapping):
        return flag(value.get("enabled")) is not False and bool(as_list(value.get("items")))
    return bool(as_list(value))


def _accelerator_ports(frontend: Resource, index: Index) -> Iterator[ExposedPort]:
    """Yield the control ports that an accelerator exposes; balancers filter by security groups.

    https://docs.aws.amazon.com/global-accelerator/latest/dg/preserve-client-ip-address.html
    """
    for balancer in _accelerated_balancers(frontend, index):
        for listener in index.referrers(
            balancer, resource_types.LISTENER, "loadBalancerArn"
        ).certain:
            lets_anyone = all_of(
                (_hands_on(frontend, listener, index), _is_let_in(balancer, listener, index))
            )
            for passes_on, group, port in control_ports(listener, index):
                yield all_of((lets_anyone, passes_on)), served_port_text(port, group, frontend)


def _accelerated_balancers(frontend: Resource, index: Index) -> Iterator[Resource]:
    for endpoint in as_list(frontend.inputs.get("endpointConfigurations")):
        arn = at(endpoint, "endpointId")
        if arn is not None:
            balancers = index.targets(
                frontend, "endpointConfigurations", resource_types.BALANCER, arn
            )
            yield from balancers.certain


def is_accelerated(listener: Resource, index: Index) -> Known:
    """Return whether an accelerator hands connections of the internet on to a listener."""
    own_balancers = index.targets(listener, "loadBalancerArn", resource_types.BALANCER).certain
    return any_of(
        _hands_on(frontend, listener, index)
        for frontend in index.of_kind(resource_types.ACCELERATED_ENDPOINTS)
        for balancer in _accelerated_balancers(frontend, index)
        if balancer in own_balancers
    )


def _is_let_in(balancer: Resource, listener: Resource, index: Index) -> Known:
    if balancer.inputs.get("loadBalancerType") == "network" and not as_list(
        balancer.inputs.get("securityGroups")
    ):
        return True
    return lets_in(balancer, whole_number(listener.inputs.get("port")), index)


def _hands_on(frontend: Resource, listener: Resource, index: Index) -> Known:
    """Return whether an accelerator forwards traffic to the port of a balancer's listener."""
    port = whole_number(listener.inputs.get("port"))
    ranges = [
        span
        for entrance in index.targets(frontend, "listenerArn", _ENTRANCE).certain
        for span in as_list(entrance.inputs.get("portRanges"))
    ]
    spans_port = any_of(eks_accelerators.spans_port(port_range, port) for port_range in ranges)
    overrides = frontend.inputs.get("portOverrides")
    return eks_accelerators.leads_to(port, spans_port if ranges else UNKNOWN, overrides)
