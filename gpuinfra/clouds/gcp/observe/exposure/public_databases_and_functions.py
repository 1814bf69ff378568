"""Databases and functions that everyone reaches; only those with a price have a row."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    flag,
    is_on,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown
from gpuinfra.records import record

_LEVEL: Final = "httpsTriggerSecurityLevel"
_PLAIN_TOO: Final = frozenset({None, "SECURITY_LEVEL_UNSPECIFIED", "SECURE_OPTIONAL"})
_HANDLERS: Final = frozenset({None, "SECURE_DEFAULT", "SECURE_OPTIONAL", "SECURE_NEVER"})
_INGRESS: Final = "gcp:appengine/serviceNetworkSettings:ServiceNetworkSettings"
_INSIDE: Final = "INGRESS_TRAFFIC_ALLOWED_INTERNAL"
_EVERYONE: Final = "ALLOW_ALL"
_DATABASE: Final = "its data port is open to the whole internet"


@record(kw_only=False)
class _PublicAccess:
    """The inputs of a database's public address, its default, and the allowed ranges."""

    config: tuple[str, ...]
    public: str
    by_default: bool
    networks: str
    range: str


DATABASES: Final[Mapping[str, _PublicAccess]] = {
    "gcp:sql/databaseInstance:DatabaseInstance": _PublicAccess(
        ("settings", "ipConfiguration"), "ipv4Enabled", True, "authorizedNetworks", "value"
    ),
    "gcp:alloydb/instance:Instance": _PublicAccess(
        ("networkConfig",), "enablePublicIp", False, "authorizedExternalNetworks", "cidrRange"
    ),
}
"""https://docs.cloud.google.com/sql/docs/postgres/authorize-networks
https://docs.cloud.google.com/alloydb/docs/connect-public-ip
(inputs: pulumi-gcp 10.2.0, read 2026-11-26; the pages not re-read: unverified)"""


def with_exposures(resource: Resource, kind: str, rows: Rows, index: Index) -> Rows:
    """Return a resource's rows with its public endpoints."""
    if kind in DATABASES:
        return _with_database_port(resource, rows)
    if kind in resource_types.APP_VERSIONS:
        return _with_plain_app(resource, rows, index)
    return _with_function_endpoint(resource, rows)


def _with_database_port(resource: Resource, rows: Rows) -> Rows:
    """Return the rows of a database with its data port, where the internet reaches it."""
    is_open = _is_open_to_internet(resource.inputs, DATABASES[resource.type])
    ports = (_DATABASE,) if is_open is True else ()
    return replace(rows, open_ports=tuple(open_port_row("gcp", resource, is_open, ports)))


def _is_open_to_internet(inputs: Mapping[str, Any], door: _PublicAccess) -> Known:
    config = at(inputs, *door.config)
    public = flag(at(config, door.public))
    networks = as_list(at(config, door.networks))
    if isinstance(config, Unknown):
        return UNKNOWN
    has_address: Known = door.by_default if public is None else public
    return all_of((has_address, reaches_world(at(network, door.range) for network in networks)))


def _with_function_endpoint(resource: Resource, rows: Rows) -> Rows:
    """Return the rows of a function with its endpoint, where plain HTTP succeeds.

    That is so without a security level, unless a state shows the one that the cloud chose; without
    ingress settings everyone reaches it:
    https://docs.cloud.google.com/functions/docs/reference/rest/v1/projects.locations.functions
    (the endpoint is *unverified*, inputs: pulumi-gcp 10.2.0)
    https://docs.cloud.google.com/ruby/docs/reference/google-cloud-functions-v1/latest/Google-Cloud-Functions-V1-HttpsTrigger-SecurityLevel
    (read 2026-11-27: "If unspecified, SECURE_OPTIONAL will be used")
    """
    triggered = is_on(resource.inputs.get("triggerHttp"))
    level = text(resource.inputs.get(_LEVEL)) or text(resource.outputs.get(_LEVEL))
    allows_http = isinstance(level, Unknown) or level in _PLAIN_TOO
    if triggered is False or not allows_http:
        return rows
    ingress = text(resource.inputs.get("ingressSettings"))
    public: Known = UNKNOWN if isinstance(ingress, Unknown) else ingress in {None, _EVERYONE}
    encrypted: Known = UNKNOWN if isinstance(level, Unknown) else False
    row = listener_row(
        "gcp", resource, public=all_of((triggered, public)), encrypted=encrypted, modern=None
    )
    return replace(rows, listeners=(*rows.listeners, row))


def _with_plain_app(resource: Resource, rows: Rows, index: Index) -> Rows:
    """Return the rows of a version of an app with its handlers, where plain HTTP succeeds.

    That is so by default, of a handler as of a version that names none.
    https://docs.cloud.google.com/ruby/docs/reference/google-cloud-app_engine-v1/latest/Google-Cloud-AppEngine-V1-SecurityLevel
    (read 2026-11-27); https://docs.cloud.google.com/appengine/docs/standard/application-security
    (*unverified*: an app with default settings takes requests of the internet)
    """
    handlers = as_list(resource.inputs.get("handlers")) or ({},)
    levels = [text(at(handler, "securityLevel")) for handler in handlers]
    plain = any_of(
        UNKNOWN if isinstance(level, Unknown) else level in _HANDLERS for level in levels
    )
    if plain is False:
        return rows
    row = listener_row(
        "gcp",
        resource,
        public=_takes_everyone(resource, index),
        encrypted=opposite(plain),
        modern=None,
    )
    return replace(rows, listeners=(*rows.listeners, row))


def _takes_everyone(version: Resource, index: Index) -> Known:
    """Return whether no settings of the stack keep a service's requests to a network."""
    service = version.inputs.get("service")
    return all_of(
        opposite(_keeps_inside(each)) if each.inputs.get("service") == service else True
        for each in index.of_kind(_INGRESS)
    )


def _keeps_inside(settings: Resource) -> Known:
    allowed = text(at(settings.inputs.get("networkSettings"), "ingressTrafficAllowed"))
    return UNKNOWN if isinstance(allowed, Unknown) else str(allowed).startswith(_INSIDE)
