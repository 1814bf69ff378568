"""Control ports that an external load balancer of Google Cloud forwards from the internet.

Machines let in its proxies alone, so that their own firewalls tell nothing of who comes:
https://docs.cloud.google.com/load-balancing/docs/firewall-rules
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import listeners, resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.control_ports import SOURCES
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, equals, whole_number
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
_USUAL: Final = "http"
"""The named port of a service that states none:
https://docs.cloud.google.com/load-balancing/docs/backend-service#named_ports"""
_OPEN_PORT_MESSAGE: Final = "TCP {} ({}) of {} is open to the internet through {}"


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the forwarding rules that let the internet reach control ports."""
    for rule in index.of_kind(resource_types.FORWARDING):
        public = listeners.is_public(rule)
        found = tuple(_exposed_ports(rule, public, index)) if public is not False else ()
        words = tuple(dict.fromkeys(words for fact, words in found if fact is True))
        yield from open_port_row("gcp", rule, any_of(fact for fact, _ in found), words)


def _exposed_ports(rule: Resource, public: Known, index: Index) -> Iterator[tuple[Known, str]]:
    for asks, service in _services(rule, index):
        lets = all_of((public, asks, _lets_anyone_in(service, index)))
        for fact, served, port in _ports(service, index) if lets is not False else ():
            words = _OPEN_PORT_MESSAGE.format(port, SOURCES[port][0], served.name, rule.name)
            yield all_of((lets, fact)), words


def _services(rule: Resource, index: Index) -> Iterator[tuple[Known, Resource]]:
    """Yield the backend services that a rule leads to, and whether its proxy lets anyone in."""
    if rule.inputs.get("target") is None:
        return
    for kind in _PROXIES:
        for proxy in index.targets(rule, "target", kind).certain:
            asks = True if proxy.inputs.get("serverTlsPolicy") is None else UNKNOWN
            for service in _named_backends(proxy, "backendService", index):
                yield asks, service
            for routes in index.targets(proxy, "urlMap", resource_types.ROUTES).certain:
                for key in ("defaultService", "pathMatchers"):
                    for service in _named_backends(routes, key, index):
                        yield asks, service


def _named_backends(holder: Resource, key: str, index: Index) -> tuple[Resource, ...]:
    """Return the backend services that an input names, at any depth."""
    value = holder.inputs.get(key)
    if value is None:
        return ()
    names = list(_service_references(value))
    seen = index.targets(holder, key, resource_types.BACKEND, names)
    return (*seen.certain, *seen.possible)


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
    filtered = any(service.inputs.get(key) for key in ("securityPolicy", "edgeSecurityPolicy"))
    return all_of((_passes_identity(service, index), UNKNOWN if filtered else True))


def _passes_identity(service: Resource, index: Index) -> Known:
    if service.inputs.get("iap") is None:
        return True
    from gpuinfra.clouds.gcp.observe import iap  # noqa: PLC0415  (few services have it)

    return iap.lets_anyone_in(service, index)


def _ports(service: Resource, index: Index) -> Iterator[tuple[Known, Resource, int]]:
    """Yield the control ports behind a service, each with the group that serves it."""
    wanted = service.inputs.get("portName") or _USUAL
    for group in _backends_of_service(service, _GROUPS, index):
        for entry in as_list(group.inputs.get("namedPorts")):
            port, fact = whole_number(at(entry, "port")), _is_called(entry, wanted)
            if isinstance(port, int) and port in SOURCES and fact is not False:
                yield fact, group, port
    for group in _backends_of_service(service, _ENDPOINTS, index):
        for port in sorted(_endpoint_ports(group, index)):
            yield True, group, port


def _backends_of_service(
    service: Resource, kinds: tuple[str, ...], index: Index
) -> Iterator[Resource]:
    named = [at(backend, "group") for backend in as_list(service.inputs.get("backends"))]
    for kind in kinds:
        yield from index.targets(service, "backends", kind, named).certain


def _is_called(entry: Any, wanted: Any) -> Known:
    return UNKNOWN if isinstance(wanted, Unknown) else equals(at(entry, "name"), wanted)


def _endpoint_ports(group: Resource, index: Index) -> set[int]:
    stated = [group.inputs.get("defaultPort")]
    for kind, key in _ENDPOINT:
        for endpoint in index.referrers(group, kind, "networkEndpointGroup").certain:
            inputs = endpoint.inputs
            stated += [at(each, "port") for each in as_list(inputs.get(key) if key else inputs)]
    ports = map(whole_number, stated)
    return {port for port in ports if isinstance(port, int) and port in SOURCES}
