"""Control ports that services of machines and containers open to the internet by themselves.

No security group of the stack protects them: those of Batch, of Azure Machine Learning, of
Container Apps, of Container Instances and of App Service.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.exposure import front_door_ports, web_apps
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.network import traffic
from gpuinfra.clouds.observing.control_ports import (
    HTTP_SOURCES,
    SOURCES,
    UDP_SOURCES,
    UdpPort,
    open_port_text,
)
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    is_on,
    is_present,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Rows, Unknown

_APP: Final = resource_types.CONTAINER_APP
_ENVIRONMENT: Final = resource_types.CONTAINER_APP_ENVIRONMENT
_LOGIN: Final = "azure-native:app:ContainerAppsAuthConfig"
_GROUP: Final = "azure-native:containerinstance:ContainerGroup"
_HTTP: Final = 80
_SSH: Final = 22
_PROTOCOLS: Final = {"TCP": (SOURCES, int), "UDP": (UDP_SOURCES, UdpPort)}


def with_ports(resource: Resource, kind: str, rows: Rows, index: Index) -> Rows:
    """Return the rows of a resource with the control ports that it opens to the internet."""
    port_facts = _READERS[kind](resource, index)
    read = _LISTENERS.get(kind)
    return replace(
        rows,
        open_ports=(*rows.open_ports, *exposed_port_rows("azure", resource, port_facts)),
        listeners=(*rows.listeners, *(read(resource, index) if read else ())),
    )


def _app_listener(app: Resource, index: Index) -> Iterator[Listener]:
    """Yield the HTTP ingress of a container app, which redirects to TLS 1.2 by default.

    https://learn.microsoft.com/azure/container-apps/ingress-overview
    """
    ingress = at(app.inputs.get("configuration"), "ingress")
    public = all_of((is_on(at(ingress, "external")), _is_public(app, index)))
    if public is False:
        return
    if str(text(at(ingress, "transport"))).lower() == "tcp":
        yield _passed_on(
            app, public, is_unencrypted=whole_number(at(ingress, "exposedPort")) == _HTTP
        )
        return
    allows_http = is_on(at(ingress, "allowInsecure"))
    yield listener_row("azure", app, public=public, encrypted=opposite(allows_http), modern=True)


def _group_listener(group: Resource, _: Index) -> Iterator[Listener]:
    """Yield the TCP ports of a container group, which the service passes on as they are.

    On port 80 alone it serves plain HTTP. With others beside it, a proxy in the group may redirect
    to TLS:
    https://github.com/MicrosoftDocs/azure-docs/blob/main/articles/container-instances/container-instances-container-group-automatic-ssl.md
    """
    address = group.inputs.get("ipAddress")
    public = _has_public_address(group)
    ports = at(address, "ports")
    tcp_ports = [
        each for each in as_list(ports) if str(text(at(each, "protocol"))).upper() != "UDP"
    ]
    if public is not False and tcp_ports:
        is_plain_http = all(whole_number(at(each, "port")) == _HTTP for each in tcp_ports)
        yield _passed_on(group, public, is_unencrypted=is_plain_http)


def _passed_on(resource: Resource, public: Known, *, is_unencrypted: bool) -> Listener:
    """Return the listener of containers that receive TCP connections unchanged, TLS or not."""
    encrypted: Known = False if is_unencrypted else UNKNOWN
    modern = None if is_unencrypted else UNKNOWN
    return listener_row("azure", resource, public=public, encrypted=encrypted, modern=modern)


def _pool(pool: Resource, _: Index) -> Iterator[ExposedPort]:
    """Yield the inbound ports of a pool's nodes; one without rules is open to everyone.

    https://learn.microsoft.com/azure/batch/pool-endpoint-configuration, as the SDK's reference
    says it: "a default rule will be created to allow inbound access"
    """
    nat_rules = at(
        pool.inputs.get("networkConfiguration"), "endpointConfiguration", "inboundNatPools"
    )
    if isinstance(nat_rules, Unknown):
        yield UNKNOWN, ""
    for nat_rule in as_list(nat_rules):
        rules = as_list(at(nat_rule, "networkSecurityGroupRules")) or ({"access": "Allow"},)
        specs = [_spec(nat_rule, rule, rule_index) for rule_index, rule in enumerate(rules, 1)]
        opens_login = traffic.specs_let_login(specs)
        port_texts = traffic.specs_open_ports(pool.name, specs) if opens_login is True else ("",)
        yield from ((opens_login, word) for word in port_texts)


def _spec(nat_rule: Any, rule: Any, rule_index: int) -> Mapping[str, Any]:
    """Return a rule of an inbound port as one of a security group."""
    priority = at(rule, "priority")
    return {
        "access": at(rule, "access"),
        "direction": "Inbound",
        "priority": rule_index if priority is None else priority,
        "protocol": at(nat_rule, "protocol") or "*",
        "sourceAddressPrefix": at(rule, "sourceAddressPrefix") or "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": at(nat_rule, "backendPort"),
    }


def _compute(compute: Resource, _: Index) -> Iterator[ExposedPort]:
    """Yield the port of SSH of machines of Azure Machine Learning.

    That of a cluster is open unless it is closed or in a network, as the SDK's reference says of
    remoteLoginPortPublicAccess; that of a single machine is closed:
    https://www.pulumi.com/registry/packages/azure-native/api-docs/machinelearningservices/compute/
    """
    outer = compute.inputs.get("properties")
    compute_properties = at(outer, "properties")
    kind, within = _word(at(outer, "computeType")), is_present(at(compute_properties, "subnet"))
    public = flag(at(compute_properties, "enableNodePublicIp"))
    if kind == "amlcompute":
        access_text = _word(at(compute_properties, "remoteLoginPortPublicAccess"))
        is_open = _cluster_opens(access_text, within)
    elif kind == "computeinstance":
        access_text = _word(at(compute_properties, "sshSettings", "sshPublicAccess"))
        is_open = all_of(
            (equals(access_text, "enabled"), UNKNOWN if within is not False else True)
        )
    else:
        return
    yield all_of((is_open, True if public is None else public)), open_port_text(_SSH, compute.name)


def _cluster_opens(access_text: str | Unknown | None, within: Known) -> Known:
    if isinstance(access_text, Unknown):
        return UNKNOWN
    if access_text in {None, "notspecified"}:
        return opposite(within)
    return access_text == "enabled"


def _app(app: Resource, index: Index) -> Iterator[ExposedPort]:
    """Yield the ports that the ingress of a container app forwards from the internet.

    https://learn.microsoft.com/azure/container-apps/ingress-overview
    """
    ingress = at(app.inputs.get("configuration"), "ingress")
    is_environment_open = all_of((_is_public(app, index), _is_unfiltered(ingress)))
    transport = text(at(ingress, "transport"))
    passes_tcp = str(transport).lower() == "tcp"
    login: Known = True if passes_tcp else _has_no_login(app, index)
    sources = SOURCES if passes_tcp or isinstance(transport, Unknown) else HTTP_SOURCES
    yield from _ingress_ports(app, ingress, all_of((is_environment_open, login)), sources)
    for port_mapping in as_list(at(ingress, "additionalPortMappings")):
        yield from _ingress_ports(app, port_mapping, is_environment_open, SOURCES)


def _ingress_ports(
    app: Resource, port_mapping: Any, is_public: Known, sources: Mapping[int, tuple[str, str]]
) -> Iterator[ExposedPort]:
    port = whole_number(at(port_mapping, "targetPort"))
    if isinstance(port, int) and port in sources:
        is_open = all_of((is_on(at(port_mapping, "external")), is_public))
        yield is_open, open_port_text(port, app.name)


def _is_public(app: Resource, index: Index) -> Known:
    """Return whether the environment of an app has a public address; UNKNOWN of another stack."""
    key = (
        "environmentId" if app.inputs.get("environmentId") is not None else "managedEnvironmentId"
    )
    environments = index.targets(app, key, _ENVIRONMENT)
    if not (environments.exact and environments.certain):
        return UNKNOWN
    is_internal = any_of(
        is_on(at(environment.inputs.get("vnetConfiguration"), "internal"))
        for environment in environments.certain
    )
    return opposite(is_internal)


def _is_unfiltered(ingress: Any) -> Known:
    """Return whether an ingress takes requests of every address; its rules all allow or all deny.

    Of clients that need a certificate that is UNKNOWN: one that they signed themselves will do,
    and the container is handed it to validate.
    https://learn.microsoft.com/azure/container-apps/ip-restrictions
    https://learn.microsoft.com/azure/container-apps/client-certificate-authorization (read
    2026-11-28)
    """
    rules = at(ingress, "ipSecurityRestrictions")
    filtered = web_apps.allows_world(rules, "ipAddressRange")
    needs_certificate = _word(at(ingress, "clientCertificateMode")) in {"require", UNKNOWN}
    passes: Known = UNKNOWN if needs_certificate else True
    return all_of((passes, True if is_present(rules) is False else filtered))


def _has_no_login(app: Resource, index: Index) -> Known:
    """Return whether no login of the stack is the app's; UNKNOWN if one may be required."""
    logins = index.referrers(app, _LOGIN, "containerAppName")
    passes = all_of(map(web_apps.lets_pass, logins.certain))
    return passes if passes is False or logins.complete else UNKNOWN


def _group(group: Resource, _: Index) -> Iterator[ExposedPort]:
    """Yield the ports of a container group with a public address.

    https://learn.microsoft.com/azure/container-instances/container-instances-overview
    """
    address = group.inputs.get("ipAddress")
    public = _has_public_address(group)
    for port_entry in as_list(at(address, "ports")):
        port = whole_number(at(port_entry, "port"))
        port_protocol = text(at(port_entry, "protocol")) or "TCP"
        for protocol, (sources, port_type) in _PROTOCOLS.items():
            of_it: Known = equals(
                port_protocol if isinstance(port_protocol, Unknown) else port_protocol.upper(),
                protocol,
            )
            if isinstance(port, int) and port in sources:
                yield all_of((public, of_it)), open_port_text(port_type(port), group.name)


def _has_public_address(group: Resource) -> Known:
    """Return whether everyone reaches a group. Azure takes such words in any case.

    https://github.com/microsoft/api-guidelines/blob/vNext/azure/Guidelines.md (*unverified*: that
    container groups do)
    """
    return equals(_word(at(group.inputs.get("ipAddress"), "type")), "public")


def _word(value: Any) -> str | Unknown | None:
    """Return a word of an enumeration in small letters."""
    enumeration_text = text(value)
    return enumeration_text.lower() if isinstance(enumeration_text, str) else enumeration_text


_READERS: Final[Mapping[str, Callable[[Resource, Index], Iterator[ExposedPort]]]] = {
    "azure-native:batch:Pool": _pool,
    "azure-native:cdn:Route": front_door_ports.route,
    "azure-native:machinelearningservices:Compute": _compute,
    _APP: _app,
    _GROUP: _group,
    **dict.fromkeys(resource_types.WEB_APPS, web_apps.served_ports),
}

_LISTENERS: Final[Mapping[str, Callable[[Resource, Index], Iterator[Listener]]]] = {
    _APP: _app_listener,
    _GROUP: _group_listener,
}
