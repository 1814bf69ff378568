"""The list of clouds, and one provider class for each; clouds do not import each other.

A cloud is a package here whose module `provider` has PROVIDER: a `provider.PricedCloud`, or a
`provider.CloudProvider` where it is observed and built, too.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final

from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.clouds.provider import CloudProvider, PricedCloud
from gpuinfra.errors import InputError
from gpuinfra.model import Machine, Unknown

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

PRICED_CLOUDS: Final = tuple(_PACKAGES)
"""Every cloud whose machines and prices are known: `choose` compares them all."""

PACKAGES: Final = {cloud: package for cloud, package in _PACKAGES.items() if package}
"""The provider package of each cloud that is observed and built."""

SDKS: Final = {package: f"pulumi_{package.replace('-', '_')}" for package in PACKAGES.values()}
"""The Python package of each provider."""

CLOUDS: Final = tuple(PACKAGES)
"""The clouds that are observed and built."""

_TITLES: Final = {
    "aws": "AWS",
    "gcp": "Google Cloud",
    "azure": "Azure",
    "alibaba": "Alibaba Cloud",
    "tencent": "Tencent Cloud",
    "lambda": "Lambda",
}

_SITES: Final = {
    "aws": "aws.amazon.com",
    "gcp": "cloud.google.com",
    "azure": "microsoft.com",
}
"""The domains of the clouds' documentation."""

_DIRECTORY_PACKAGES: Final = {"azuread": "azure"}
"""Packages of the directories that contain identities, by the cloud that judges them."""


def title(cloud: str) -> str:
    """Return the display name of a cloud, for example `Google Cloud`."""
    return _TITLES.get(cloud, cloud)


def cloud_of_page(address: str) -> str | None:
    """Return the cloud of a documentation page; None for any other page."""
    host = f".{address.partition('://')[2].partition('/')[0]}"
    return next((cloud for cloud, site in _SITES.items() if host.endswith(f".{site}")), None)


@cache
def priced_cloud_of(cloud: str) -> PricedCloud:
    """Return a cloud whose prices are known.

    Raises:
        InputError: there is no such cloud.
    """
    priced_cloud: PricedCloud = _module(cloud, PRICED_CLOUDS).PROVIDER
    return priced_cloud


def all_machines() -> Iterator[Machine]:
    """Yield the machine types of every cloud whose machines are known."""
    for cloud in PRICED_CLOUDS:
        yield from priced_cloud_of(cloud).machines.all_machines()


def all_regions(clouds: Iterable[str]) -> tuple[str, ...]:
    """Return the regions of clouds, each once, in the order of the clouds."""
    regions = (region for cloud in clouds for region in priced_cloud_of(cloud).regions.all())
    return tuple(dict.fromkeys(regions))


@cache
def provider_of(cloud: str) -> CloudProvider:
    """Return a cloud that is observed and built.

    Raises:
        InputError: there is no such cloud.
    """
    provider: CloudProvider = _module(cloud, CLOUDS).PROVIDER
    return provider


@lru_cache(maxsize=1024)
def cloud_of(token: str) -> str | None:
    """Return the cloud of a resource type, by its provider package; None if there is none.

    A package that is generated for one version of an API begins as its provider's does:
    azure-native_compute_v20240301.
    """
    package = token.partition(":")[0].partition("_")[0]
    directory_cloud = _DIRECTORY_PACKAGES.get(package)
    return directory_cloud or next(
        (cloud for cloud, packages in PACKAGES.items() if packages == package), None
    )


def canonical(token: str) -> str:
    """Return a resource type by its current name, without an API version."""
    cloud = cloud_of(token)
    return token if cloud is None else provider_of(cloud).observe.canonical(token)


def region_of(token: str, *property_sets: Mapping[str, Any]) -> str | Unknown | None:
    """Return a resource's region, from the first of the given inputs that states one.

    Args:
        token: the resource's type.
        property_sets: its inputs, its outputs, its provider's inputs.

    Returns:
        UNKNOWN when the first that speaks does not know yet, None when none speaks.
    """
    cloud = cloud_of(token)
    return None if cloud is None else provider_of(cloud).regions.of_resource(*property_sets)


def zone_of(token: str, settings: Mapping[str, Any]) -> str | None:
    """Return the zone that a provider's inputs name; only Google Cloud's providers have one.

    https://www.pulumi.com/registry/packages/gcp/installation-configuration/#configuration-reference
    """
    zone = settings.get("zone") if cloud_of(token) == "gcp" else None
    return zone if isinstance(zone, str) and zone else None


def account_of(
    token: str, settings: Mapping[str, Any], *property_sets: Mapping[str, Any]
) -> str | None:
    """Return a resource's account, project or subscription as text; None if not stated.

    Args:
        token: the resource's type.
        settings: the provider's inputs.
        property_sets: the resource's own inputs and outputs, which come first.
    """
    cloud = cloud_of(token) or ""
    if cloud == "aws":
        return _aws_account(_setting_texts(settings, _CREDENTIALS))
    account = _ACCOUNTS.get(cloud, "")
    for property_set in (
        *property_sets,
        {} if _hides_account(account, property_sets) else settings,
    ):
        if isinstance(value := property_set.get(account), str) and value:
            return value
    return None


def credentials_of(
    token: str, provider: str, settings: Mapping[str, Any], *property_sets: Mapping[str, Any]
) -> str:
    """Return a key for an unstated account; equal keys mean the same account.

    Another text proves nothing. It is empty where the environment says which account it is.

    Args:
        token: the resource's type.
        provider: the URN of its provider, the substitute for values not known yet.
        settings: the provider's inputs.
        property_sets: the resource's own inputs and outputs.
    """
    cloud = cloud_of(token) or ""
    keys = _CREDENTIALS if cloud == "aws" else (_ACCOUNTS.get(cloud, ""),)
    values = _setting_texts(settings, keys)
    stated = {key: value for key, value in values.items() if value not in (None, "", [], {})}
    if _has_unknown_part(stated) or _hides_account(_ACCOUNTS.get(cloud, ""), property_sets):
        return provider
    return json.dumps(stated, sort_keys=True) if stated else ""


_CREDENTIALS: Final = (
    *("profile", "accessKey", "assumeRole", "assumeRoles", "assumeRoleWithWebIdentity"),
    *("allowedAccountIds", "sharedConfigFiles", "sharedCredentialsFiles"),
)
"""Settings of the AWS provider by which it is in one account or in another:
https://www.pulumi.com/registry/packages/aws/installation-configuration/"""

_ROLES: Final = ("assumeRoles", "assumeRole", "assumeRoleWithWebIdentity")
"""Those that name a role, in whose account it then is: the last that it takes comes first."""

_ROLE: Final = r"arn:[\w-]+:iam::(?P<account>\d+):role/.+"

_ACCOUNTS: Final[Mapping[str, str]] = {"gcp": "project", "azure": "subscriptionId"}
"""By cloud, the property of resources and of their provider that says the account itself."""


def outlives_its_delete(token: str, *property_sets: Mapping[str, Any]) -> str:
    """Return the setting that makes a provider keep a resource it should delete; or "".

    Args:
        token: the resource's type.
        property_sets: its inputs and outputs, as they are in the state until then.
    """
    key, value = _ABANDON_INPUTS.get(cloud_of(token) or "", ("", ""))
    stated = [property_set[key] for property_set in property_sets if key in property_set]
    is_abandoned = any(setting == value or isinstance(setting, Unknown) for setting in stated)
    return f"{key}: {value}" if is_abandoned else ""


_ABANDON_INPUTS: Final[Mapping[str, tuple[str, str]]] = {"gcp": ("deletionPolicy", "ABANDON")}
"""By cloud, the input of its resources that does so, and its value: "remove the resource from
Terraform management without updating or deleting the resource in the API" (pulumi-gcp 10.2.0,
compute/instance.py, deletion_policy; read 2026-11-26)"""


def _aws_account(values: Mapping[str, Any]) -> str | None:
    """Return the only account that a provider of AWS may be in: it refuses to work in others."""
    if not values:
        return None
    allowed = as_list(values.get("allowedAccountIds"))
    if len(allowed) == 1 and isinstance(allowed[0], str | int):
        return str(allowed[0])
    roles = next((accounts for key in _ROLES if (accounts := as_list(values.get(key)))), (None,))
    arn = at(roles[-1], "roleArn")
    role = re.fullmatch(_ROLE, arn) if isinstance(arn, str) else None
    return role["account"] if role else None


def _setting_texts(settings: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Return those settings of a provider that it has, by their keys."""
    return {key: _setting_text(settings[key]) for key in keys if key in settings}


def _setting_text(value: Any) -> Any:
    """Return a provider setting as text; values other than strings are written as JSON."""
    if isinstance(value, str) and value.startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _has_unknown_part(value: Any) -> bool:
    """Return whether a part of a value is not known yet."""
    if isinstance(value, Mapping):
        return any(map(_has_unknown_part, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_unknown_part, value))
    return isinstance(value, Unknown)


def _hides_account(account: str, property_sets: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a resource states an account of its own that is not known yet."""
    stated = [property_set[account] for property_set in property_sets if property_set.get(account)]
    return any(map(_has_unknown_part, stated)) and not any(
        isinstance(value, str) for value in stated
    )


def _module(cloud: str, clouds: tuple[str, ...]) -> Any:
    if cloud not in clouds:
        raise InputError.of("unknown cloud", value=cloud, allowed=", ".join(clouds))
    return import_module(f"{__name__}.{_FOLDERS.get(cloud, cloud)}.provider")
