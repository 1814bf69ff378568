"""Caches, queues and databases with a public address: who reaches it, and by which TLS."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    is_on,
    is_present,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Rows, Unknown

_OLD_TLS: Final = frozenset({"None", "1.0", "1.1", "Tls", "Tls11"})
"""The versions below 1.2 as the services spell them: enumerations of pulumi-azure-native."""
_REDIS_RULES: Final = ("azure-native:redis:FirewallRule", "azure-native:redis:RedisFirewallRule")
_DATABASE: Final = "azure-native:redisenterprise:Database"
_REDIS_PORT: Final = "its data port is open to the whole internet: it has no firewall rule"
_CLUSTER_PORT: Final = (
    "its data port is open to the whole internet: publicNetworkAccess is Enabled"
)


def with_endpoints(resource: Resource, kind: str, rows: Rows, index: Index) -> Rows:
    """Return a resource's rows with its open data port, and with its weak TLS."""
    is_open, words = _exposure(resource, kind, index)
    spec = resource_types.TLS_ENDPOINTS.get(kind)
    listeners = () if spec is None else _weak_endpoints(resource, spec, index)
    ports = open_port_row("azure", resource, is_open, (words,) if is_open is True else ())
    return replace(
        rows,
        open_ports=(*rows.open_ports, *ports),
        listeners=(*rows.listeners, *listeners),
    )


def _exposure(resource: Resource, kind: str, index: Index) -> tuple[Known, str]:
    """Return whether everyone reaches a cache, as is so by default, and in which words.

    https://azure.github.io/PSRule.Rules.Azure/en/rules/Azure.Redis.FirewallRuleCount/ (read
    2026-11-28: "If no firewall rules are set and public access is not disabled, then all IP
    addresses are allowed to access the cache")
    https://learn.microsoft.com/azure/redis/private-link (not re-read: unverified)
    One without access keys takes identities of Microsoft Entra alone, and is as closed as Event
    Hubs and Cosmos DB are without local authentication:
    https://azure.github.io/PSRule.Rules.Azure/en/rules/Azure.Redis.LocalAuth/ (read 2026-11-28)
    """
    if kind == resource_types.REDIS_CLUSTER:
        access = resource.inputs.get("publicNetworkAccess")
        public = UNKNOWN if access is None else equals(access, "Enabled")
        return all_of((public, opposite(_has_no_keys(resource, index)))), _CLUSTER_PORT
    if kind != resource_types.REDIS:
        return False, ""
    rules = [index.referrers(resource, rule, "cacheName") for rule in _REDIS_RULES]
    is_filtered = any(each.certain for each in rules)
    is_all_known = all(each.exact for each in rules)
    unfiltered: Known = False if is_filtered else (True if is_all_known else UNKNOWN)
    takes_keys = opposite(is_on(resource.inputs.get("disableAccessKeyAuthentication")))
    return all_of((_is_cache_public(resource, index), unfiltered, takes_keys)), _REDIS_PORT


def _has_no_keys(cluster: Resource, index: Index) -> Known:
    """Return whether every database of a managed cache takes identities alone."""
    databases = index.referrers(cluster, _DATABASE, "clusterName")
    settings = [each.inputs.get("accessKeysAuthentication") for each in databases.certain]
    if not settings:
        return False
    closed = all_of(equals(setting, "Disabled") for setting in settings)
    return closed if closed is False or databases.complete else UNKNOWN


def _is_cache_public(cache: Resource, index: Index) -> Known:
    """Return whether a cache has a public address; UNKNOWN if a private endpoint may close it."""
    has_access_setting = cache.inputs.get("publicNetworkAccess") is not None
    linked = not has_access_setting and any(
        _links(endpoint, cache, index) for endpoint in index.of_kind(resource_types.ENDPOINT)
    )
    return all_of((_has_public_address(cache), UNKNOWN if linked else True))


def _links(endpoint: Resource, cache: Resource, index: Index) -> bool:
    """Return whether a private endpoint may lead to a cache."""
    key = "privateLinkServiceConnections"
    ids = [at(each, "privateLinkServiceId") for each in as_list(endpoint.inputs.get(key))]
    targets = index.targets(endpoint, key, resource_types.REDIS, ids)
    return cache in (*targets.certain, *targets.possible)


def _weak_endpoints(
    resource: Resource, spec: Mapping[str, Any], index: Index
) -> Iterator[Listener]:
    """Yield the endpoint of a service that takes old TLS or none, or may; others need no row."""
    name, value = spec.get("plain", ("", None))
    plain = _is(resource.inputs.get(name), value) if name else False
    least = text(resource.inputs.get(spec.get("least", "")))
    old: Known = UNKNOWN if isinstance(least, Unknown) else least in _OLD_TLS
    public = _is_public(resource, spec, index)
    if any_of((plain, old)) is not False and public is not False:
        row = listener_row(
            "azure",
            resource,
            public=public,
            encrypted=opposite(plain),
            modern=None if plain is True else opposite(old),
        )
        yield replace(row, protocol=spec.get("protocol", row.protocol))


def _is(actual: Any, value: Any) -> Known:
    return is_on(actual) if value is True else equals(actual, value)


def _is_public(resource: Resource, spec: Mapping[str, Any], index: Index) -> Known:
    """Return whether a service, or what it is a part of, has a public address."""
    if "part_of" in spec:
        key, kind = spec["part_of"]
        wholes = index.targets(resource, key, kind)
        return any_of(map(_takes_public, wholes.certain)) if wholes.certain else UNKNOWN
    if "opened_by" in spec:
        return is_on(resource.inputs.get(spec["opened_by"]))
    return _has_public_address(resource)


def _has_public_address(resource: Resource) -> Known:
    in_network = is_present(resource.inputs.get("subnetId"))
    return all_of((opposite(in_network), _takes_public(resource)))


def _takes_public(resource: Resource) -> Known:
    access = resource.inputs.get("publicNetworkAccess")
    return opposite(any_of(equals(access, each) for each in ("Disabled", "SecuredByPerimeter")))
