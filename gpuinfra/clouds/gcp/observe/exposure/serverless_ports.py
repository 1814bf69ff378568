"""Control ports of containers that Cloud Run serves to everyone.

No firewall stands before a service: its ingress settings, the invoker's role and Identity-Aware
Proxy decide who reaches its port.
https://cloud.google.com/run/docs/authenticating/public (read 2026-11-28)
https://cloud.google.com/run/docs/securing/ingress (read 2026-11-28: by default "any resource on
the internet" may reach a service)
https://cloud.google.com/run/docs/securing/identity-aware-proxy-cloud-run (read 2026-11-28: the
proxy uses its own account for the check of the invoker's role)
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.exposure import iap
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights.access_for_everyone import AccessRole, is_given_to_everyone
from gpuinfra.clouds.observing.control_ports import HTTP_SOURCES, control_ports_in, open_port_text
from gpuinfra.clouds.observing.open_port_rows import exposed_port_rows
from gpuinfra.clouds.observing.possible_targets import possible_targets
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, is_on, opposite, text
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

_INVOKERS: Final = AccessRole(
    roles=frozenset({"roles/run.invoker", "roles/run.servicesInvoker", "roles/run.admin"}),
    permission="run.routes.invoke",
    on_one={
        "gcp:cloudrunv2/serviceIam": "name",
        "gcp:cloudrun/iam": "service",
    },
)
_DOMAIN: Final = "gcp:cloudrun/domainMapping:DomainMapping"
_PREFIX: Final = "run.googleapis.com/"
_ALL: Final = frozenset({None, "all", "INGRESS_TRAFFIC_ALL", "INGRESS_TRAFFIC_UNSPECIFIED"})
_BALANCED: Final = frozenset(
    {"internal-and-cloud-load-balancing", "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"}
)


def exposed_services(index: Index) -> Iterator[OpenPorts]:
    """Yield the services whose own addresses let the internet reach a control port."""
    for service in (
        each for kind in resource_types.CLOUD_RUN_SERVICES for each in index.of_kind(kind)
    ):
        ports = _control_ports(service)
        if not ports:
            continue
        is_open = all_of(
            (
                _takes_from(service, _ALL),
                _has_address(service, index),
                _serves_anyone(service, index),
            )
        )
        facts = [(is_open, open_port_text(port, service.name)) for port in ports]
        yield from exposed_port_rows("gcp", service, facts)


def balanced_ports(group: Resource, index: Index) -> Iterator[tuple[Known, Resource, int]]:
    """Yield the control ports of the services behind a serverless endpoint group."""
    backend = group.inputs.get("cloudRun")
    if backend is None:
        return
    name = at(backend, "service")
    for kind in resource_types.CLOUD_RUN_SERVICES:
        for is_target, service in possible_targets(
            index, group, "cloudRun", kind, UNKNOWN if name is None else name
        ):
            taken = _takes_from(service, _ALL | _BALANCED)
            fact = all_of((is_target, taken, _serves_anyone(service, index)))
            yield from ((fact, service, port) for port in _control_ports(service))


def _control_ports(service: Resource) -> list[int]:
    """Return the control ports of a service's containers, of which one takes the requests."""
    template = service.inputs.get("template")
    containers = (
        *as_list(at(template, "containers")),
        *as_list(at(template, "spec", "containers")),
    )
    ports = [each for container in containers for each in as_list(at(container, "ports"))]
    return control_ports_in((at(each, "containerPort") for each in ports), HTTP_SOURCES)


def _annotation(service: Resource, name: str) -> Any:
    return at(service.inputs.get("metadata"), "annotations", f"{_PREFIX}{name}")


def _takes_from(service: Resource, settings: frozenset[str | None]) -> Known:
    """Return whether the ingress of a service is one of these settings."""
    ingress_setting = service.inputs.get("ingress")
    ingress = text(_annotation(service, "ingress") if ingress_setting is None else ingress_setting)
    return UNKNOWN if isinstance(ingress, Unknown) else ingress in settings


def _has_address(service: Resource, index: Index) -> Known:
    """Return whether a service has its default address; UNKNOWN if it may have a domain alone."""
    disabled = is_on(service.inputs.get("defaultUriDisabled"))
    if disabled is True and index.of_kind(_DOMAIN):
        return UNKNOWN
    return opposite(disabled)


def _serves_anyone(service: Resource, index: Index) -> Known:
    """Return whether a service answers everyone: by its invoker's role, or without its check."""
    unchecked = is_on(service.inputs.get("invokerIamDisabled"))
    annotated = is_on(_annotation(service, "invoker-iam-disabled"))
    invoked = any_of((unchecked, annotated, is_given_to_everyone(service, _INVOKERS, index)))
    proxied = is_on(service.inputs.get("iapEnabled"))
    behind_proxy = any_of((proxied, is_on(_annotation(service, "iap-enabled"))))
    if behind_proxy is False:
        return invoked
    passes = is_given_to_everyone(service, iap.CLOUD_RUN, index)
    return any_of((passes, all_of((opposite(behind_proxy), invoked))))
