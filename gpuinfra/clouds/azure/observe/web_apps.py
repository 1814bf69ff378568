"""Apps of App Service, and whether they answer over plain HTTP or old TLS."""

from typing import Final

from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import (
    all_of,
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
    """Return whether the internet reaches an app; UNKNOWN with a filter or an environment."""
    closed = equals(text(resource.inputs.get("publicNetworkAccess")), "Disabled")
    config = resource.inputs.get("siteConfig")
    closed_by_config = equals(text(at(config, "publicNetworkAccess")), "Disabled")
    limits = (
        at(config, "ipSecurityRestrictions"),
        resource.inputs.get("hostingEnvironmentProfile"),
    )
    is_limited = any(is_present(limit) is not False for limit in limits)
    is_enabled = flag(resource.inputs.get("enabled"))
    return all_of(
        (
            *map(opposite, (closed, closed_by_config)),
            is_enabled is None or is_enabled,
            not is_limited or UNKNOWN,
        )
    )


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
