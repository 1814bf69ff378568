"""What machines cost besides their own price, and in no table: paid software, hosts of one's own.

The price of a machine is that of free software on hardware that others use too.
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe.profile import Profile
from gpuinfra.clouds.observing.rows import surcharged
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import UNKNOWN, NotJudged, Resource

_WINDOWS: Final = "Windows"
_PAID: Final = {
    "microsoftwindowsserver": _WINDOWS,
    "microsoftwindowsdesktop": _WINDOWS,
    "microsoftvisualstudio": _WINDOWS,
    "microsoftsqlserver": "SQL Server",
    "redhat": "Red Hat Enterprise Linux",
    "suse": "SUSE Linux Enterprise",
}
"""The publishers of images that are paid by the hour, and what they hold:
https://azure.microsoft.com/pricing/details/virtual-machines/windows/"""

_OWNED: Final = {
    _WINDOWS: frozenset({"windows_server", "windows_client"}),
    _PAID["redhat"]: frozenset({"rhel_byos"}),
    _PAID["suse"]: frozenset({"sles_byos"}),
}
"""The licence types that the customer brings (Azure Hybrid Benefit), which add nothing to the
price: https://learn.microsoft.com/azure/virtual-machines/windows/hybrid-use-benefit-licensing"""

_HOSTS: Final = ("host", "hostGroup", "hostGroupID")
_ALONE: Final = (
    "its machines are on dedicated hosts, which are billed as a whole, and whose price is unknown"
)
_PLAN: Final = (
    "its image is bought by a plan of the marketplace, whose price is unknown; leave it out by its"
    " type if the plan is free"
)
"""https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage#view-purchase-plan-properties"""


def surcharges(profile: Profile) -> tuple[NotJudged, ...]:
    """Return what no table prices of machines that are priced without it."""
    software = _software(profile)
    licence = str(profile.get("licenseType") or "").lower()
    if software is not None and licence in _OWNED.get(software, ()):
        software = None
    plan = (_PLAN,) if _plan(profile) else ()
    return surcharged(profile.resource, (*_reasons(software, profile.resource.inputs), *plan))


def _plan(profile: Profile) -> bool:
    """Whether the machines are bought by a plan of the marketplace, which most charge for."""
    plan = profile.resource.inputs.get("plan")
    return plan not in (None, {}, "")


def pool_surcharges(
    holder: Resource, kind: str, spec: Any, cluster: Resource | None
) -> tuple[NotJudged, ...]:
    """Return the same of a node pool of AKS, `kind` being the type that it counts as."""
    systems = (at(spec, "osType"), at(spec, "osSKU"))
    windows = any(
        isinstance(system, str) and system.lower().startswith("windows") for system in systems
    )
    brought = at(None if cluster is None else cluster.inputs, "windowsProfile", "licenseType")
    owned = str(brought or "").lower() in _OWNED[_WINDOWS]
    software = _WINDOWS if windows and not owned else None
    return surcharged(holder, _reasons(software, spec), kind)


def _software(profile: Profile) -> str | None:
    """What a machine runs that is paid by the hour, as far as it is declared."""
    storage = profile.get("storageProfile")
    publisher = at(storage, "imageReference", "publisher")
    software = _PAID.get(publisher.lower()) if isinstance(publisher, str) else None
    configured = profile.get("osProfile", "windowsConfiguration")
    disk = at(storage, "osDisk", "osType")
    if software is None and (configured not in (None, UNKNOWN) or str(disk).lower() == "windows"):
        return _WINDOWS
    return software


def _reasons(software: str | None, hosted: Any) -> Iterator[str]:
    if software is not None:
        yield f"its machines run {software}, and its licence price is unknown"
    if any(at(hosted, key) not in (None, "", {}) for key in _HOSTS):
        yield _ALONE
