"""Services without machines that are open to everyone: databases, frontends, registries.

Such a service brings no row of its own beside its price; what it opens is judged by the rules that
judge the same of machines.
"""

from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address, summarize_address_range
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.exposure import private_links, shared_images, web_apps
from gpuinfra.clouds.azure.observe.network import traffic
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.created_keys import lasting_key, with_listed_keys
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import (
    any_of,
    as_list,
    at,
    flag,
    is_present,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown, combined_rows

_STARTS: Final = ("startIpAddress", "startIPv6Address", "startIP")
_RANGE_END_KEYS: Final = ("endIpAddress", "endIPv6Address", "endIP")
_DATABASE: Final = "its data port is open to the whole internet"
_DISABLED: Final = "Disabled"
_REVOKED_REQUEST: Final = "Revoked"
_OLD_TLS: Final = frozenset({"tls10", "tls11"})
_MANAGED_IDENTITY: Final = "msi"
"""What a cluster with a managed identity has for the name of its service principal:
https://learn.microsoft.com/azure/aks/use-managed-identity"""


def with_exposures(resource: Resource, kind: str, rows: Rows) -> Rows:
    """Return a resource's rows with its public endpoints and grants."""
    read = _READERS.get(kind)
    if read is None:
        return with_listed_keys(rows, resource, kind, "azure")
    return combined_rows((rows, read(resource)))


def _database(resource: Resource) -> Rows:
    """Return the open port of a database firewall rule, from the addresses that it admits.

    One from 0.0.0.0 to 0.0.0.0 lets in what runs in Azure:
    https://learn.microsoft.com/azure/azure-sql/database/firewall-configure
    """
    first, last = (_first_stated_text(resource, keys) for keys in (_STARTS, _RANGE_END_KEYS))
    if isinstance(first, Unknown) or isinstance(last, Unknown):
        is_open: Known = UNKNOWN
    else:
        is_open = _is_world(first, last)
    ports = (_DATABASE,) if is_open is True else ()
    return Rows(open_ports=tuple(open_port_row("azure", resource, is_open, ports)))


def _first_stated_text(resource: Resource, keys: tuple[str, ...]) -> str | Unknown | None:
    return next((text(resource.inputs[key]) for key in keys if key in resource.inputs), None)


def _is_world(first: str | None, last: str | None) -> Known:
    try:
        ends = ip_address(first or ""), ip_address(last or "")
        return reaches_world(map(str, summarize_address_range(*ends)))
    except (TypeError, ValueError):
        return False


def _nat(resource: Resource) -> Rows:
    """Return the open ports of the rules by which a firewall forwards internet traffic."""
    specs = [_passed_on(rule) for rule in _nat_rules(resource)]
    opens_login = traffic.specs_let_login(specs)
    ports = traffic.specs_open_ports(resource.name, specs) if opens_login is True else ()
    return Rows(open_ports=tuple(open_port_row("azure", resource, opens_login, ports)))


def _nat_rules(resource: Resource) -> Iterator[Any]:
    for key in ("ruleCollections", "natRuleCollections"):
        for collection in as_list(resource.inputs.get(key)):
            for rule in as_list(at(collection, "rules")):
                if key == "natRuleCollections" or at(rule, "ruleType") == "NatRule":
                    yield rule


def _passed_on(rule: Any) -> Mapping[str, Any]:
    """Return a forwarding rule as an admitting one, at the port where packets arrive."""
    protocols = (*as_list(at(rule, "ipProtocols")), *as_list(at(rule, "protocols")))
    port = at(rule, "translatedPort")
    return {
        "access": "Allow",
        "direction": "Inbound",
        "priority": 1,
        "protocol": protocols[0] if len(protocols) == 1 and protocols[0] != "Any" else "*",
        "sourceAddressPrefixes": as_list(at(rule, "sourceAddresses")),
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRanges": as_list(at(rule, "destinationPorts") if port is None else port),
    }


def _just_in_time(resource: Resource) -> Rows:
    """Return the ports that the requests in a just-in-time access policy open.

    What the policy allows to ask for stays shut until someone with the right does so:
    https://learn.microsoft.com/azure/defender-for-cloud/just-in-time-access-overview
    """
    specs = [_asked_for(port) for port in _opened_ports(resource.inputs.get("requests"))]
    opens_login = traffic.specs_let_login(specs)
    ports = traffic.specs_open_ports(resource.name, specs) if opens_login is True else ()
    return Rows(open_ports=tuple(open_port_row("azure", resource, opens_login, ports)))


def _opened_ports(requests: Any) -> Iterator[Any]:
    """Yield the ports that just-in-time requests open, except revoked requests."""
    for request in as_list(requests):
        for machine in as_list(at(request, "virtualMachines")):
            for port in as_list(at(machine, "ports")):
                if at(port, "status") != _REVOKED_REQUEST:
                    yield port


def _asked_for(port: Any) -> Mapping[str, Any]:
    """Return a requested port as a rule that admits it."""
    prefix = at(port, "allowedSourceAddressPrefix")
    prefixes = at(port, "allowedSourceAddressPrefixes")
    return {
        "access": "Allow",
        "direction": "Inbound",
        "priority": 1,
        "protocol": "*",
        "sourceAddressPrefixes": as_list(prefixes if prefix is None else prefix),
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": _as_text(at(port, "number")),
    }


def _as_text(number: Any) -> Any:
    value = whole_number(number)
    return str(value) if isinstance(value, int) else number


def _cluster(resource: Resource) -> Rows:
    principal = resource.inputs.get("servicePrincipalProfile")
    if (
        at(principal, "clientId") == _MANAGED_IDENTITY
        or is_present(at(principal, "secret")) is False
    ):
        return Rows()
    return Rows(credentials=(lasting_key("azure", resource, "a password of a service principal"),))


def _application(resource: Resource) -> Rows:
    passwords = [part for key in ("password", "passwords") for part in _passwords(resource, key)]
    content = "a password of an application"
    keys = (
        lasting_key("azure", resource, content, at(password, "endDate")) for password in passwords
    )
    return Rows(credentials=tuple(dict.fromkeys(keys)))


def _passwords(resource: Resource, key: str) -> tuple[Any, ...]:
    setting = resource.inputs.get(key)
    if is_present(setting) is False:
        return ()
    return as_list(setting) or (setting,)


def _user_password_rows(resource: Resource) -> Rows:
    must_change_password = flag(resource.inputs.get("forcePasswordChange")) is True
    if must_change_password or is_present(resource.inputs.get("password")) is False:
        return Rows()
    return Rows(credentials=(lasting_key("azure", resource, "a password of a user"),))


def _route(resource: Resource) -> Rows:
    """Return the rows of an enabled Front Door route; the default is HTTP and HTTPS.

    https://learn.microsoft.com/rest/api/frontdoor/azurefrontdoorstandardpremium/routes/create
    """
    protocols = resource.inputs.get("supportedProtocols")
    serves_http = _has_http(["Http", "Https"] if protocols is None else protocols)
    redirects = text(resource.inputs.get("httpsRedirect"))
    return _listener_rows(
        resource, serves_http, UNKNOWN if redirects is UNKNOWN else redirects == "Enabled"
    )


def _classic(resource: Resource) -> Rows:
    """Return the routes of a classic Front Door; plain ones redirect to HTTPS, or serve HTTP."""
    return combined_rows(
        _listener_rows(
            resource,
            _has_http(at(rule, "acceptedProtocols")),
            at(rule, "routeConfiguration", "redirectProtocol") == "HttpsOnly",
        )
        for rule in as_list(resource.inputs.get("routingRules"))
        if _DISABLED not in (at(rule, "enabledState"), resource.inputs.get("enabledState"))
    )


def _endpoint(resource: Resource) -> Rows:
    """Return an endpoint of a CDN, which serves plain HTTP by default."""
    allows_http = resource.inputs.get("isHttpAllowed")
    serves_http = True if allows_http is None else flag(allows_http)
    rules = is_present(resource.inputs.get("deliveryPolicy"))
    return _listener_rows(
        resource, UNKNOWN if serves_http is None else serves_http, UNKNOWN if rules else False
    )


def _has_http(protocols: Any) -> Known:
    return any_of(
        UNKNOWN if isinstance(protocol, Unknown) else str(protocol).lower() == "http"
        for protocol in as_list(protocols)
    )


def _listener_rows(resource: Resource, serves_http: Known, redirects: Known) -> Rows:
    """Return a listener, plain HTTP unless it redirects; its TLS is 1.2 or newer.

    https://learn.microsoft.com/azure/frontdoor/end-to-end-tls
    """
    encrypted: Known = True if serves_http is False else redirects
    if serves_http is UNKNOWN and redirects is False:
        encrypted = UNKNOWN
    return _listens(resource, encrypted, modern=True)


def _domain(resource: Resource) -> Rows:
    least = text(at(resource.inputs.get("tlsSettings"), "minimumTlsVersion"))
    modern: Known = UNKNOWN if isinstance(least, Unknown) else str(least).lower() not in _OLD_TLS
    return _listens(resource, encrypted=True, modern=modern)


def _listens(resource: Resource, encrypted: Known, modern: Known) -> Rows:
    listener = listener_row("azure", resource, public=True, encrypted=encrypted, modern=modern)
    return Rows(listeners=(listener,))


_READERS: Final[Mapping[str, Callable[[Resource], Rows]]] = {
    **dict.fromkeys(resource_types.DATABASE_RULES, _database),
    "azure-native:network:FirewallPolicyRuleCollectionGroup": _nat,
    "azure-native:network:AzureFirewall": _nat,
    "azure-native:network:PrivateLinkService": private_links.published_service_rows,
    "azure-native:security:JitNetworkAccessPolicy": _just_in_time,
    "azure-native:containerregistry:Registry": shared_images.registry_rows,
    "azure-native:compute:Gallery": shared_images.gallery_rows,
    resource_types.CLUSTER: _cluster,
    "azuread:index/application:Application": _application,
    "azuread:index/user:User": _user_password_rows,
    "azure-native:cdn:Route": _route,
    "azure-native:cdn:AFDCustomDomain": _domain,
    "azure-native:cdn:Endpoint": _endpoint,
    "azure-native:frontdoor:FrontDoor": _classic,
    "azure-native:network:FrontDoor": _classic,
    "azure-native:web:WebApp": web_apps.web_app,
    "azure-native:web:WebAppSlot": web_apps.web_app,
}
