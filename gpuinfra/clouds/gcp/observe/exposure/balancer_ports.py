"""Control ports that an external load balancer of Google Cloud forwards from the internet.

Machines let in its proxies alone, so that their own firewalls tell nothing of who comes:
https://docs.cloud.google.com/load-balancing/docs/firewall-rules
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.exposure import listeners
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.control_ports import SOURCES, control_ports_in, forwarded_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.possible_targets import possible_targets
from gpuinfra.clouds.observing.values import (
    all_of,
    as_list,
    at,
    equals,
    read_json,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

_PROXIES: Final = (
    resource_types.PLAIN_PROXY,
    resource_types.TLS_PROXY,
    "gcp:compute/targetTCPProxy:TargetTCPProxy",
)
_ENDPOINTS: Final = (
    "gcp:compute/networkEndpointGroup:NetworkEndpointGroup",
    "gcp:compute/regionNetworkEndpointGroup:RegionNetworkEndpointGroup",
)
_ENDPOINT: Final = (
    ("gcp:compute/networkEndpoint:NetworkEndpoint", None),
    ("gcp:compute/networkEndpointList:NetworkEndpointList", "networkEndpoints"),
)
_GROUPS: Final = (resource_types.GROUP, "gcp:compute/instanceGroup:InstanceGroup")
_POLICY: Final = "gcp:compute/securityPolicy:SecurityPolicy"
_RULE_POLICY: Final = "gcp:networksecurity/authzPolicy:AuthzPolicy"
_POLICY_RULE: Final = "gcp:compute/securityPolicyRule:SecurityPolicyRule"
_USUAL: Final = "http"
"""The named port of a service that states none:
https://docs.cloud.google.com/load-balancing/docs/backend-service#named_ports"""
_SERVICE: Final = "kubernetes:core/v1:Service"
_STANDALONE: Final = "cloud.google.com/neg"
"""The annotation by which GKE makes endpoint groups of pods for balancers of others:
https://docs.cloud.google.com/kubernetes-engine/docs/how-to/standalone-neg"""
_Served = tuple[Known, Resource, int]
"""Whether a control port is surely served, by what, and its number."""


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the forwarding rules that let the internet reach control ports."""
    for rule in index.of_kind(resource_types.FORWARDING):
        public = listeners.is_public(rule)
        if public is not False:
            yield from exposed_port_rows("gcp", rule, _exposed_ports(rule, public, index))


def _exposed_ports(rule: Resource, public: Known, index: Index) -> Iterator[ExposedPort]:
    admits = all_of((public, _rule_lets_anyone_in(rule, index)))
    for needs_no_certificate, service in _services(rule, index):
        lets_anyone = all_of((admits, needs_no_certificate, _lets_anyone_in(service, index)))
        for fact, target, port in _ports(service, index) if lets_anyone is not False else ():
            port_text = forwarded_port_text(port, target.name, rule.name)
            yield all_of((lets_anyone, fact)), port_text


def _services(rule: Resource, index: Index) -> Iterator[tuple[Known, Resource]]:
    """Yield the backend services that a rule leads to, and whether its proxy lets anyone in."""
    if rule.inputs.get("target") is None:
        return
    for kind in _PROXIES:
        for is_target, proxy in possible_targets(index, rule, "target", kind):
            has_no_policy = True if proxy.inputs.get("serverTlsPolicy") is None else UNKNOWN
            needs_no_certificate = all_of((is_target, has_no_policy))
            for fact, service in _proxied_backends(proxy, index):
                yield all_of((needs_no_certificate, fact)), service


def _proxied_backends(proxy: Resource, index: Index) -> Iterator[tuple[Known, Resource]]:
    """Yield the backend services of a proxy, each with whether it surely has them."""
    yield from _named_backends(proxy, "backendService", index)
    if proxy.inputs.get("urlMap") is None:
        return
    for is_target, routes in possible_targets(index, proxy, "urlMap", resource_types.ROUTES):
        for key in ("defaultService", "pathMatchers"):
            for fact, service in _named_backends(routes, key, index):
                yield all_of((is_target, fact)), service


def _named_backends(holder: Resource, key: str, index: Index) -> Iterator[tuple[Known, Resource]]:
    """Yield the backend services that an input names, at any depth."""
    value = holder.inputs.get(key)
    if value is None:
        return
    names = list(_service_references(value))
    backends = index.targets(holder, key, resource_types.BACKEND, names)
    if named := (*backends.certain, *backends.possible):
        yield from ((True, each) for each in named)
    else:
        yield from possible_targets(index, holder, key, resource_types.BACKEND, names)


def _service_references(value: Any) -> Iterator[Any]:
    """Yield the texts and unknowns of a value that may name a service."""
    if isinstance(value, (str, Unknown)):
        yield value
        return
    for item in as_list(value):
        for key in ("defaultService", "service", "backendService"):
            if at(item, key) is not None:
                yield at(item, key)
        for key in ("pathRules", "routeRules", "weightedBackendServices"):
            yield from _service_references(at(item, key) or ())
        for key in ("routeAction", "defaultRouteAction"):
            yield from _service_references([at(item, key)] if at(item, key) is not None else ())


def _lets_anyone_in(service: Resource, index: Index) -> Known:
    """Return whether a service takes anyone's requests; UNKNOWN with a firewall."""
    is_filtered = any(service.inputs.get(key) for key in ("securityPolicy", "edgeSecurityPolicy"))
    filtered: Known = False if _is_for_few(service, index) else UNKNOWN
    return all_of((_passes_identity(service, index), filtered if is_filtered else True))


def _is_for_few(service: Resource, index: Index) -> bool:
    """Return whether the rules of a service's policy surely allow few addresses, and no others.

    https://docs.cloud.google.com/armor/docs/security-policy-overview (not re-read: unverified)
    """
    policy = index.targets(service, "securityPolicy", _POLICY).only
    if policy is None or index.of_kind(_POLICY_RULE):
        return False
    denied: list[Any] = []
    allowed: list[Any] = []
    for rule in as_list(policy.inputs.get("rules")):
        is_preview = at(rule, "preview")
        if not str(text(at(rule, "action"))).startswith("deny"):
            allowed += _rule_ranges(rule) if is_preview is not True else ()
        elif is_preview in (None, False):
            denied += _rule_ranges(rule)
    return "*" in denied and reaches_world(allowed) is False


def _rule_ranges(rule: Any) -> tuple[Any, ...]:
    """Return the ranges of a rule; a rule by an expression has an unknown one."""
    return as_list(at(rule, "match", "config", "srcIpRanges")) or (UNKNOWN,)


def _rule_lets_anyone_in(rule: Resource, index: Index) -> Known:
    if not index.of_kind(_RULE_POLICY):
        return True
    from gpuinfra.clouds.gcp.observe.exposure import iap  # noqa: PLC0415  (few rules have a policy)

    return iap.rule_lets_anyone_in(rule, index.of_kind(_RULE_POLICY), index)


def _passes_identity(service: Resource, index: Index) -> Known:
    if service.inputs.get("iap") is None:
        return True
    from gpuinfra.clouds.gcp.observe.exposure import iap  # noqa: PLC0415  (few services have it)

    return iap.lets_anyone_in(service, index)


def _ports(
    service: Resource, index: Index, visited: frozenset[str] = frozenset()
) -> Iterator[_Served]:
    """Yield the control ports behind a service, each with the group that serves it.

    `visited` has the endpoint groups that led to it.
    """
    port_name = service.inputs.get("portName") or _USUAL
    for is_target, group in _backends_of_service(service, _GROUPS, index):
        for entry in as_list(group.inputs.get("namedPorts")):
            port, fact = whole_number(at(entry, "port")), _is_called(entry, port_name)
            if isinstance(port, int) and port in SOURCES and fact is not False:
                yield all_of((is_target, fact)), group, port
    for is_target, group in _backends_of_service(service, _ENDPOINTS, index):
        for port in _endpoint_ports(group, index):
            yield is_target, group, port
        if group.inputs.get("cloudRun") is not None:
            yield from _served_by_cloud_run(group, is_target, index)
        if group.urn not in visited:
            yield from _published_ports(group, index, visited | {group.urn})
    yield from _pod_ports(service, index)


def _served_by_cloud_run(group: Resource, is_target: Known, index: Index) -> Iterator[_Served]:
    from gpuinfra.clouds.gcp.observe.exposure import serverless_ports  # noqa: PLC0415  (few have any)

    for fact, service, port in serverless_ports.balanced_ports(group, index):
        yield all_of((is_target, fact)), service, port


def _published_ports(group: Resource, index: Index, visited: frozenset[str]) -> Iterator[_Served]:
    """Yield the control ports behind the internal rule that a service attachment publishes.

    Of a passthrough balancer the group names one port, or has the first of them.
    https://docs.cloud.google.com/vpc/docs/private-service-connect-backends
    """
    if group.inputs.get("pscTargetService") is None:
        return
    kinds = (resource_types.SERVICE_ATTACHMENT, resource_types.FORWARDING)
    for attachment in index.targets(group, "pscTargetService", kinds[0]).certain:
        for rule in index.targets(attachment, "targetService", kinds[1]).certain:
            yield from _proxied_ports(rule, index, visited)
            producer_port = at(group.inputs.get("pscData"), "producerPort")
            ports = [producer_port] if producer_port else [*as_list(rule.inputs.get("ports"))[:1]]
            for port in control_ports_in(ports) if rule.inputs.get("target") is None else ():
                yield True, rule, port


def _proxied_ports(rule: Resource, index: Index, visited: frozenset[str]) -> Iterator[_Served]:
    for needs_no_certificate, service in _services(rule, index):
        lets_anyone = all_of((needs_no_certificate, _lets_anyone_in(service, index)))
        for fact, target, port in _ports(service, index, visited):
            yield all_of((lets_anyone, fact)), target, port


def _pod_ports(service: Resource, index: Index) -> Iterator[_Served]:
    """Yield the control ports of pods in endpoint groups that GKE makes for a Service."""
    groups = [at(backend, "group") for backend in as_list(service.inputs.get("backends"))]
    group_names = {last_part(group) for group in groups if isinstance(group, str)}
    for holder in index.of_kind(_SERVICE):
        metadata = holder.inputs.get("metadata")
        annotation = at(metadata, "annotations", _STANDALONE)
        exposed = (
            at(read_json(annotation), "exposed_ports") if isinstance(annotation, str) else None
        )
        for port, pods in exposed.items() if isinstance(exposed, Mapping) else ():
            if text(at(pods, "name")) in group_names:
                from gpuinfra.clouds.observing import routed_ports  # noqa: PLC0415  (few have any)

                backend = {"name": at(metadata, "name"), "port": port}
                for number in routed_ports.pod_ports(backend, index):
                    if isinstance(number, int) and number in SOURCES:
                        yield True, holder, number


def _backends_of_service(
    service: Resource, kinds: tuple[str, ...], index: Index
) -> Iterator[tuple[Known, Resource]]:
    groups = [at(backend, "group") for backend in as_list(service.inputs.get("backends"))]
    for kind in kinds if groups else ():
        yield from possible_targets(index, service, "backends", kind, groups)


def _is_called(entry: Any, name: Any) -> Known:
    return UNKNOWN if isinstance(name, Unknown) else equals(at(entry, "name"), name)


def _endpoint_ports(group: Resource, index: Index) -> list[int]:
    ports = [group.inputs.get("defaultPort")]
    for kind, key in _ENDPOINT:
        for endpoint in index.referrers(group, kind, "networkEndpointGroup").certain:
            inputs = endpoint.inputs
            ports += [
                at(endpoint_entry, "port")
                for endpoint_entry in as_list(inputs.get(key) if key else inputs)
            ]
    return control_ports_in(ports)
