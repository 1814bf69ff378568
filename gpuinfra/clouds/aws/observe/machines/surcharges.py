"""The surcharges on a machine's table price, by its system, hardware or settings.

The tables have the price of Linux on shared hardware:
https://aws.amazon.com/ec2/pricing/on-demand/.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import surcharge_reasons
from gpuinfra.clouds.observing.values import at, flag, text
from gpuinfra.model import Item, NotJudged, Resource, Unknown

_SYSTEMS: Final = {"windows": "Windows", "suse": "SUSE Linux", "rhel": "Red Hat Enterprise Linux"}
"""The name parts of parameters of images that are billed by the hour."""
_IMAGES: Final = ("ami", "imageId", "amiType")
_SCRIPTS: Final = ("userData", "userDataBase64")
_WINDOWS_SCRIPT_MARKS: Final = ("<powershell>", "PHBvd2Vyc2hlbGw+")
"""How a script for Windows begins, as text and in base64:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html"""
_WINDOWS_ONLY_INPUT: Final = "getPasswordData"
"""What only machines with Windows have:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetPasswordData.html"""
_MARKETPLACE_PARAMETER: Final = "/aws/service/marketplace/"
"""Where the images that the marketplace sells are found:
https://docs.aws.amazon.com/marketplace/latest/buyerguide/buyer-ami-aliases.html"""
_HOSTS: Final = ("hostId", "hostResourceGroupArn")
"""What puts machines on hosts of their own, whatever their tenancy says:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Placement.html"""
_FREE_SYSTEM: Final = "Linux/UNIX"
_SHARED_TENANCY: Final = frozenset({None, "default"})
_LINUX: Final = "only Linux prices are known"
_TENANTS: Final = "only prices of shared tenancy are known"


def machine_surcharge_reasons(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> tuple[NotJudged, ...]:
    """Return the reasons why the machines cost an unknown amount above their type's price."""
    reasons = (
        reason
        for launch in launches
        for reason in _launch_surcharge_reasons(resource, launch, index)
    )
    return surcharge_reasons(resource, reasons)


def reservation_surcharge_reasons(resource: Resource) -> tuple[NotJudged, ...]:
    """Return why the price of reserved machines is unknown."""
    system = text(resource.inputs.get("instancePlatform"))
    reasons = [] if system in {None, _FREE_SYSTEM} else [_runs(system)]
    return surcharge_reasons(resource, [*reasons, *_tenancy(resource.inputs.get("tenancy"))])


def setting_surcharges(resource: Resource, request: GroupRequest) -> Iterator[Item]:
    """Yield the surcharges of settings that are or may be on (surcharges.json).

    Of several types each counts, which is never too low.
    """
    for row in TABLES.table("surcharges")["rows"]:
        machines = (option.machine for option in request.options if _may_be_on(option.launch, row))
        for machine in dict.fromkeys(machines):
            yield Item(
                name=f"{row['name']} of {machine}",
                subject=resource.urn,
                kind="fee",
                cloud="aws",
                item=str(machine),
                unit="hour",
                quantity=Decimal(row["share"]),
                group=resource.name,
                per_machine=True,
                resource=resource.urn,
                mode="on-demand",
            )


def _may_be_on(launch: LaunchSources, row: Mapping[str, str]) -> bool:
    key, *inner_keys = row["input"].split(".")
    layer, settings = launch.stating_layer_and_value(key)
    value = at(settings, *inner_keys)
    return layer is not None and (value == row["value"] or isinstance(value, Unknown))


def _launch_surcharge_reasons(
    resource: Resource, launch: LaunchSources, index: Index
) -> Iterator[str]:
    images = [resource.inputs.get(key) or launch.get(key) for key in _IMAGES]
    for image in (image_value for image_value in images if isinstance(image_value, str)):
        for system_word, system in _SYSTEMS.items():
            if system_word in image.lower():
                yield _runs(system)
        if _MARKETPLACE_PARAMETER in image:
            yield "its image is sold in the marketplace, and the price of its software is unknown"
    scripts = [launch.get(key) for key in _SCRIPTS]
    if flag(resource.inputs.get(_WINDOWS_ONLY_INPUT)) is True or any(
        isinstance(script, str) and script.lstrip().startswith(_WINDOWS_SCRIPT_MARKS)
        for script in scripts
    ):
        yield _runs(_SYSTEMS["windows"])
    tenancies = [resource.inputs.get("tenancy")]
    layer, placement = launch.stating_layer_and_value("placement")
    if layer is None:
        placement = None
        if launch.hidden:
            yield launch.hidden
    tenancies.append(at(placement, "tenancy"))
    places_of_hosts = (resource.inputs, placement, *(layer.inputs for layer in launch.layers))
    if any(at(host_place, key) is not None for host_place in places_of_hosts for key in _HOSTS):
        yield "it is on a dedicated host, which is billed as a whole, and whose price is unknown"
    tenancies += [layer.inputs.get("tenancy") for layer in launch.layers]
    for tenancy in tenancies:
        yield from _tenancy(tenancy)
    for subnet in locations.subnets_of_machine(resource, launch, index).certain:
        for network in index.targets(subnet, "vpcId", resource_types.NETWORK).certain:
            yield from _tenancy(network.inputs.get("instanceTenancy"))


def _runs(system: str | Unknown | None) -> str:
    if isinstance(system, Unknown):
        return f"its operating system is not known yet, and {_LINUX}"
    return f"its operating system is {system}, and {_LINUX}"


def _tenancy(value: Any) -> Iterator[str]:
    tenancy = text(value)
    if isinstance(tenancy, Unknown):
        yield f"its tenancy is not known yet, and {_TENANTS}"
    elif tenancy not in _SHARED_TENANCY:
        yield f"its tenancy is {tenancy}, and {_TENANTS}"
