"""The clouds, none of which knows another: one list of them, and one class for each.

A cloud is a package here whose module `provider` has PROVIDER: a `provider.PricedCloud`, or a
`provider.CloudProvider` where it is observed and built, too.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from gpuinfra.clouds.provider import CloudProvider, PricedCloud
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Unknown

_PACKAGES: Final[dict[str, str]] = {
    "aws": "aws",
    "gcp": "gcp",
    "azure": "azure-native",
    "alibaba": "",
    "tencent": "",
    "lambda": "",
}
"""Every cloud, and the provider package of one that is built, as its resource types begin."""

_FOLDERS: Final = {"lambda": "lambda_"}
"""The packages whose cloud is a word of Python."""

PRICED: Final = tuple(_PACKAGES)
"""Every cloud whose machines and prices are known: `choose` compares them all."""

PACKAGES: Final = {cloud: package for cloud, package in _PACKAGES.items() if package}
"""The provider package of each cloud that is observed and built."""

SDKS: Final = {package: f"pulumi_{package.replace('-', '_')}" for package in PACKAGES.values()}
"""The Python package of each provider."""

CLOUDS: Final = tuple(PACKAGES)
"""The clouds that are observed and built."""

_BESIDE: Final = {"azuread": "azure"}
"""Packages of the directories that identities stand in, by the cloud that judges them."""


@cache
def priced(cloud: str) -> PricedCloud:
    """A cloud whose prices are known.

    Raises:
        InputError: there is no such cloud.
    """
    priced_cloud: PricedCloud = _module(cloud, PRICED).PROVIDER
    return priced_cloud


@cache
def provider_of(cloud: str) -> CloudProvider:
    """A cloud that is observed and built.

    Raises:
        InputError: there is no such cloud.
    """
    provider: CloudProvider = _module(cloud, CLOUDS).PROVIDER
    return provider


def cloud_of(token: str) -> str | None:
    """The cloud of a resource type, by its provider's package; None when it is of none.

    A package that is generated for one version of an API begins as its provider's does:
    azure-native_compute_v20240301.
    """
    package = token.partition(":")[0].partition("_")[0]
    beside = _BESIDE.get(package)
    return beside or next((cloud for cloud, known in PACKAGES.items() if known == package), None)


def region_of(token: str, *places: Mapping[str, Any]) -> str | Unknown | None:
    """A resource's region, as the first of the places that speaks of one says it.

    Args:
        token: the resource's type.
        places: its inputs, its outputs, its provider's inputs.

    Returns:
        UNKNOWN when the first that speaks does not know yet, None when none speaks.
    """
    cloud = cloud_of(token)
    return None if cloud is None else provider_of(cloud).regions.of(*places)


def account_of(
    token: str, provider: str, settings: Mapping[str, Any], *places: Mapping[str, Any]
) -> str | None:
    """The account, project or subscription of a resource, as text to compare; None if not stated.

    Args:
        token: the resource's type.
        provider: the URN of its provider, which stands for what its settings do not show.
        settings: the provider's inputs.
        places: the resource's own inputs and outputs, which come first.
    """
    own, shared = _ACCOUNTS.get(cloud_of(token) or "", ((), ()))
    for key in own:
        for place in (*places, settings):
            if isinstance(value := place.get(key), str) and value:
                return value
    values = {key: settings[key] for key in shared if settings.get(key) not in (None, "", [], {})}
    if any(isinstance(value, Unknown) for value in values.values()):
        return provider or None
    return ", ".join(f"{key}={values[key]!r}" for key in sorted(values)) if shared else None


_CREDENTIALS: Final = (
    *("profile", "accessKey", "assumeRole", "assumeRoles", "assumeRoleWithWebIdentity"),
    *("allowedAccountIds", "sharedConfigFiles", "sharedCredentialsFiles"),
)
"""Settings of the AWS provider by which it is in one account or in another:
https://www.pulumi.com/registry/packages/aws/installation-configuration/"""

_ACCOUNTS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "aws": ((), _CREDENTIALS),
    "gcp": (("project",), ()),
    "azure": (("subscriptionId",), ()),
}
"""By cloud, the properties that say it themselves, and a provider's settings that do together."""


def _module(cloud: str, clouds: tuple[str, ...]) -> Any:
    if cloud not in clouds:
        raise InputError(
            [Problem(message="unknown cloud", value=cloud, allowed=", ".join(clouds))]
        )
    return import_module(f"{__name__}.{_FOLDERS.get(cloud, cloud)}.provider")
