"""The costs of machines that no table has: paid software, dedicated hosts.

The price of a machine is that of free software on hardware that others use too.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.rows import surcharge_reasons
from gpuinfra.clouds.observing.values import as_list, at, flag
from gpuinfra.model import UNKNOWN, NotJudged, Resource

_WINDOWS: Final = "Windows"
_PAID_SOFTWARE: Final[Mapping[str, str]] = TABLES.table("items")["paid_software"]
"""The publishers of images that are paid by the hour, and what they hold:
https://azure.microsoft.com/pricing/details/virtual-machines/windows/ (BizTalk, Dynamics and
SharePoint: 2026-11-27, not re-read: unverified)"""

_WINDOWS_IMAGE_WORDS: Final = ("windows", "-win-")
"""What is in the names of other offers of images with Windows: `dsvm-win-2022` of microsoft-dsvm,
https://learn.microsoft.com/azure/machine-learning/data-science-virtual-machine/release-notes"""

_ORIGINS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    resource_types.IMAGE: (
        ("storageProfile", "osDisk", "managedDisk", "id"),
        ("storageProfile", "osDisk", "snapshot", "id"),
    ),
    resource_types.GALLERY_IMAGE: (),
    resource_types.GALLERY_VERSION: (("galleryImageName",), ("storageProfile", "source", "id")),
    resource_types.DISK: (
        ("creationData", "imageReference", "id"),
        ("creationData", "galleryImageReference", "id"),
        ("creationData", "sourceResourceId"),
    ),
    resource_types.SNAPSHOT: (("creationData", "sourceResourceId"),),
}
_OS_TYPES: Final = (("osType",), ("storageProfile", "osDisk", "osType"))
"""Where disks, snapshots and images say what is in them."""

_SOFTWARE_LICENCES: Final = {
    _WINDOWS: frozenset({"windows_server", "windows_client"}),
    _PAID_SOFTWARE["redhat"]: frozenset({"rhel_byos"}),
    _PAID_SOFTWARE["suse"]: frozenset({"sles_byos"}),
}
"""The licence types that the customer brings (Azure Hybrid Benefit), which add nothing to the
price: https://learn.microsoft.com/azure/virtual-machines/windows/hybrid-use-benefit-licensing"""

_BROUGHT: Final = "byos"
"""What offers of images are called that the customer brings the subscription to, at no charge:
https://learn.microsoft.com/azure/virtual-machines/workloads/redhat/byos"""

_PRO: Final = "Ubuntu Pro"
_CANONICAL: Final = "canonical"
_PRO_WORDS: Final = ("ubuntu-pro", "pro-fips", "pro-server")
"""How offers and plans of paid Ubuntu are called:
https://learn.microsoft.com/azure/virtual-machines/workloads/canonical/ubuntu-pro-in-place-upgrade"""

_LICENCES: Final = {
    "rhel": _PAID_SOFTWARE["redhat"],
    "sles": _PAID_SOFTWARE["suse"],
    "ubuntu_pro": _PRO,
}
"""The beginnings of licence types that turn payment by the hour on, on whatever image:
https://learn.microsoft.com/azure/virtual-machines/linux/azure-hybrid-benefit-linux"""

_ULTRA: Final = (
    "ultra disks are enabled on its machines, which have none: Azure bills that by vCPU, and the"
    " price is unknown"
)
"""https://learn.microsoft.com/azure/virtual-machines/disks-types#ultra-disk-billing"""

_HOSTS: Final = ("host", "hostGroup", "hostGroupID")
_DEDICATED_HOST_REASON: Final = (
    "its machines are on dedicated hosts, which are billed as a whole, and whose price is unknown"
)
_PLAN: Final = (
    "its image is bought by a plan of the marketplace, whose price is unknown; leave it out by its"
    " type if the plan is free"
)
"""https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage#view-purchase-plan-properties"""


def surcharges(profile: Profile, index: Index) -> tuple[NotJudged, ...]:
    """Return the surcharges of machines that no table prices."""
    software = _software(profile) or _software_of_origins(profile, index)
    licence = str(profile.get("licenseType") or "").lower()
    if software is not None and licence in _SOFTWARE_LICENCES.get(software, ()):
        software = None
    elif software is None:
        software = _licensed_software(licence)
    reasons = [
        reason
        for reason, has_surcharge in (
            (_PLAN, _plan(profile)),
            (_ULTRA, _has_unused_ultra_support(profile)),
        )
        if has_surcharge
    ]
    return surcharge_reasons(
        profile.resource, (*_reasons(software, profile.resource.inputs), *reasons)
    )


def runs_windows(profile: Profile) -> bool:
    """Return whether the declared image, disk or settings of machines are those of Windows."""
    return _software(profile) == _WINDOWS


def _licensed_software(licence: str) -> str | None:
    """Return the software that a licence type bills by the hour; None for none."""
    if licence.endswith(_BROUGHT):
        return None
    begins = (
        software
        for licence_word, software in _LICENCES.items()
        if licence.startswith(licence_word)
    )
    return next(begins, None)


def _has_unused_ultra_support(profile: Profile) -> bool:
    """Return whether the machines may take an ultra disk, and have none."""
    inputs = profile.resource.inputs
    enabled = (
        profile.get("additionalCapabilities", "ultraSSDEnabled"),
        at(inputs, "additionalCapabilities", "ultraSSDEnabled"),
    )
    disks = as_list(profile.get("storageProfile", "dataDisks"))
    has_one = any(
        str(at(disk, "managedDisk", "storageAccountType")).lower() == "ultrassd_lrs"
        for disk in disks
    )
    return any(flag(value) not in {None, False} for value in enabled) and not has_one


def _plan(profile: Profile) -> bool:
    """Return whether the machines have a marketplace plan, most of which are billed."""
    plan = profile.resource.inputs.get("plan")
    return plan not in (None, {}, "")


def pool_surcharges(
    holder: Resource, kind: str, spec: Any, cluster: Resource | None
) -> tuple[NotJudged, ...]:
    """Return the surcharges of an AKS node pool; `kind` is the type that it counts as."""
    systems = (at(spec, "osType"), at(spec, "osSKU"))
    is_windows = any(
        isinstance(system, str) and system.lower().startswith("windows") for system in systems
    )
    brought = at(None if cluster is None else cluster.inputs, "windowsProfile", "licenseType")
    is_licence_brought = str(brought or "").lower() in _SOFTWARE_LICENCES[_WINDOWS]
    software = _WINDOWS if is_windows and not is_licence_brought else None
    return surcharge_reasons(holder, _reasons(software, spec), kind)


def _software(profile: Profile) -> str | None:
    """Return the software of a machine that is billed by the hour, as far as declared."""
    storage = profile.get("storageProfile")
    publisher, *names = (
        str(at(storage, "imageReference", key) or "").lower()
        for key in ("publisher", "offer", "sku")
    )
    software = _PAID_SOFTWARE.get(publisher)
    if any(_BROUGHT in name for name in names):
        software = None
    elif publisher == _CANONICAL and any(word in name for word in _PRO_WORDS for name in names):
        software = _PRO
    elif any(word in name for word in _WINDOWS_IMAGE_WORDS for name in names):
        software = software or _WINDOWS
    configured = profile.get("osProfile", "windowsConfiguration")
    disk = at(storage, "osDisk", "osType")
    if software is None and (configured not in (None, UNKNOWN) or str(disk).lower() == "windows"):
        return _WINDOWS
    return software


def _software_of_origins(profile: Profile, index: Index) -> str | None:
    """Return the machines' software, from this stack's images and disks of their own disk."""
    storage = profile.get("storageProfile")
    if str(at(storage, "osDisk", "osType")).lower() == "linux" or not any(
        map(index.of_kind, _ORIGINS)
    ):
        return None
    from gpuinfra.clouds.observing.disk_origins import origins  # noqa: PLC0415  (few have any)

    image_ids = (
        profile.get("storageProfile", "imageReference", "id"),
        profile.get("storageProfile", "osDisk", "managedDisk", "id"),
    )
    prop = (*profile.path, "storageProfile")[0]
    resources = origins(index, profile.resource, prop, image_ids, _ORIGINS)
    systems = (str(at(image.inputs, *path)).lower() for image in resources for path in _OS_TYPES)
    return _WINDOWS if "windows" in systems else None


def _reasons(software: str | None, hosted: Any) -> Iterator[str]:
    if software is not None:
        yield f"its machines run {software}, and its licence price is unknown"
    if any(at(hosted, key) not in (None, "", {}) for key in _HOSTS):
        yield _DEDICATED_HOST_REASON
