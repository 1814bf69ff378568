"""Apps of App Service: whether they answer over plain HTTP or old TLS, and their control ports."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.control_ports import HTTP_SOURCES, control_ports_in, open_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort
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
)
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_OLD_TLS: Final = frozenset({"1.0", "1.1"})
_LEAST: Final = ("minTlsVersion", "scmMinTlsVersion")
_PORT_SETTINGS: Final = ("WEBSITES_PORT", "PORT")
"""The settings that name the port of a container, custom or of Microsoft's own image:
https://azureossd.github.io/2023/02/15/Whats-the-difference-between-PORT-and-WEBSITES_PORT/index.html
(read 2026-11-28)"""
_SETTINGS: Final = "azure-native:web:WebAppApplicationSettings"
_CONTAINER: Final = "azure-native:web:WebAppSiteContainer"
_LOGINS: Final = ("azure-native:web:WebAppAuthSettingsV2", "azure-native:web:WebAppAuthSettings")
_REFUSALS: Final = frozenset({"RedirectToLoginPage", "Return401", "Return403"})
"""What a login does with a request without one:
https://learn.microsoft.com/azure/app-service/overview-authentication-authorization"""


def web_app(resource: Resource) -> Rows:
    """Return the endpoint of an app or a slot: plain HTTP too, unless httpsOnly; TLS 1.2 or newer.

    https://learn.microsoft.com/azure/app-service/overview-tls
    https://learn.microsoft.com/azure/app-service/configure-ssl-bindings (*unverified*: plain HTTP
    is allowed by default)
    """
    encrypted = is_on(resource.inputs.get("httpsOnly"))
    row = listener_row(
        "azure",
        resource,
        public=_public(resource),
        encrypted=encrypted,
        modern=None if encrypted is False else _modern(resource),
    )
    return Rows(listeners=(row,))


def _public(resource: Resource) -> Known:
    """Return whether the internet reaches an app; UNKNOWN in an environment.

    Address rules that Azure adds no denial to are UNKNOWN too.
    https://learn.microsoft.com/azure/app-service/overview-access-restrictions (*unverified*)
    """
    closed = equals(text(resource.inputs.get("publicNetworkAccess")), "Disabled")
    config = resource.inputs.get("siteConfig")
    closed_by_config = equals(text(at(config, "publicNetworkAccess")), "Disabled")
    rules = at(config, "ipSecurityRestrictions")
    denies_others = at(config, "ipSecurityRestrictionsDefaultAction") == "Deny"
    filtered = allows_world(rules, "ipAddress") if denies_others else UNKNOWN
    in_environment = is_present(resource.inputs.get("hostingEnvironmentProfile"))
    is_enabled = flag(resource.inputs.get("enabled"))
    return all_of(
        (
            *map(opposite, (closed, closed_by_config)),
            is_enabled is None or is_enabled,
            True if is_present(rules) is False and not denies_others else filtered,
            True if in_environment is False else UNKNOWN,
        )
    )


def allows_world(rules: Any, key: str) -> Known:
    """Return whether rules that allow addresses, all others being denied, allow the internet.

    `key` is the input that names a rule's addresses. A subnet's rule allows none of the internet.
    """
    listed = as_list(rules)
    actions = {text(at(rule, "action")) for rule in listed}
    if "Allow" not in actions or not actions <= {"Allow", "Deny"}:
        return UNKNOWN
    allowed = [rule for rule in listed if at(rule, "action") == "Allow"]
    reached = reaches_world(address for rule in allowed for address in _addresses(rule, key))
    return UNKNOWN if reached is True and "Deny" in actions else reached


def _addresses(rule: Any, key: str) -> Iterator[object]:
    address = at(rule, key)
    if at(rule, "subnetMask") is not None:
        yield UNKNOWN
    elif isinstance(address, str):
        yield from address.split(",")
    elif address is not None or at(rule, "vnetSubnetResourceId") is None:
        yield UNKNOWN


def served_ports(app: Resource, index: Index) -> Iterator[ExposedPort]:
    """Yield the control ports of the containers that an app forwards requests to.

    https://learn.microsoft.com/azure/app-service/configure-custom-container
    """
    is_open = all_of((_public(app), _has_no_login(app, index), _needs_no_certificate(app)))
    for port in control_ports_in(_stated_ports(app, index), HTTP_SOURCES):
        yield is_open, open_port_text(port, app.name)


def _stated_ports(app: Resource, index: Index) -> Iterator[Any]:
    for setting in as_list(at(app.inputs.get("siteConfig"), "appSettings")):
        if at(setting, "name") in _PORT_SETTINGS:
            yield at(setting, "value")
    for is_meant, holder in _parts_of(app, _SETTINGS, index):
        values = holder.inputs.get("properties") if is_meant is True else None
        yield from (at(values, key) for key in _PORT_SETTINGS if isinstance(values, Mapping))
    for is_meant, container in _parts_of(app, _CONTAINER, index):
        if is_meant is True and is_on(container.inputs.get("isMain")) is True:
            yield container.inputs.get("targetPort")


def _has_no_login(app: Resource, index: Index) -> Known:
    """Return whether no login of the stack is the app's; UNKNOWN if one may be required."""
    return all_of(
        any_of((opposite(is_meant), lets_pass(login)))
        for kind in _LOGINS
        for is_meant, login in _parts_of(app, kind, index)
    )


def _parts_of(app: Resource, kind: str, index: Index) -> Iterator[tuple[Known, Resource]]:
    """Yield the resources of a type that are of an app, or its slot's: of a type for slots.

    A slot has settings of its own: https://learn.microsoft.com/azure/app-service/deploy-staging-slots
    """
    if resource_types.canonical(app.type) == resource_types.WEB_APP:
        yield from ((True, each) for each in index.referrers(app, kind, "name").certain)
        return
    for part in index.of_kind(f"{kind}Slot"):
        is_meant = all_of((_shares(app, part, "slot", index), _shares(app, part, "name", index)))
        if is_meant is not False:
            yield is_meant, part


def _shares(slot: Resource, part: Resource, key: str, index: Index) -> Known:
    """Return whether an input of a slot and of a part of it mean the same."""
    kinds = {"name": resource_types.WEB_APP, "slot": slot.type}
    targets = index.targets(part, key, kinds[key])
    if key == "slot" and slot in targets.certain:
        return True
    apps = index.targets(slot, key, kinds[key])
    if {each.urn for each in targets.certain} & {each.urn for each in apps.certain}:
        return True
    stated = text(slot.inputs.get(key)), text(part.inputs.get(key))
    return UNKNOWN if UNKNOWN in stated or stated[0] is None else stated[0] == stated[1]


def lets_pass(login: Resource) -> Known:
    """Return whether a login is surely off or not required; False if every path requires it.

    https://learn.microsoft.com/azure/app-service/overview-authentication-authorization
    (*unverified*: one that states nothing)
    """
    is_enabled = login.inputs.get("enabled")
    enabled = flag(
        at(login.inputs.get("platform"), "enabled") if is_enabled is None else is_enabled
    )
    validation = login.inputs.get("globalValidation")
    key = "unauthenticatedClientAction"
    action = text(at(validation, key) if login.inputs.get(key) is None else login.inputs[key])
    required = flag(at(validation, "requireAuthentication"))
    if enabled is False or action == "AllowAnonymous" or required is False:
        return True
    states_it = required is True or resource_types.canonical(login.type) != _LOGINS[0]
    has_exception = at(validation, "excludedPaths") not in (None, [])
    is_certain = enabled is True and states_it and action in _REFUSALS and not has_exception
    return False if is_certain else UNKNOWN


def _needs_no_certificate(app: Resource) -> Known:
    """Return whether an app takes requests without a certificate; UNKNOWN where it takes none.

    App Service takes any certificate, a self-signed one too: the app itself has to validate it.
    https://learn.microsoft.com/azure/app-service/app-service-web-configure-tls-mutual-auth
    """
    enabled = is_on(app.inputs.get("clientCertEnabled"))
    mode = text(app.inputs.get("clientCertMode"))
    return True if enabled is False or mode in {"Optional", "OptionalInteractiveUser"} else UNKNOWN


def _modern(resource: Resource) -> Known:
    """Return whether an app refuses old TLS, and so does its SCM site, which deploys to it.

    https://learn.microsoft.com/dotnet/api/azure.resourcemanager.appservice.models.siteconfigproperties.scmmintlsversion
    https://learn.microsoft.com/azure/app-service/resources-kudu (*unverified*: it has an address
    of its own)
    """
    config = resource.inputs.get("siteConfig")
    return all_of(_refuses_old(text(at(config, key))) for key in _LEAST)


def _refuses_old(least: str | Unknown | None) -> Known:
    return UNKNOWN if isinstance(least, Unknown) else least not in _OLD_TLS
