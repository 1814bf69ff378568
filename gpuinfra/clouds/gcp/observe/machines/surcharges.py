"""The costs of machines that no table has: paid software, sole-tenant nodes.

The price of a machine is that of free software on hardware that others use too.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.storage import disks
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import surcharge_reasons
from gpuinfra.clouds.observing.values import any_of, as_list, at, flag, text
from gpuinfra.model import UNKNOWN, Known, NotJudged, Resource, Unknown

_PAID_SOFTWARE: Final[Mapping[str, str]] = TABLES.table("items")["paid_software"]
"""The projects of images that are paid by the hour, and what they hold:
https://cloud.google.com/compute/disks-image-pricing#premiumimages"""

_IMAGE_PROJECTS: Final = {"windows": "windows-cloud", "rhel": "rhel-cloud", "sles": "suse-cloud"}
"""How the names of images begin that the provider finds without their project."""

_NODES: Final = "WINDOWS"
"""How node images of GKE begin that hold Windows:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/node-images"""

_VWS: Final = "-vws"
_WORKSTATION: Final = (
    "its GPUs are virtual workstations, and the price of the licence for each is unknown"
)
"""https://docs.cloud.google.com/compute/docs/gpus#gpu-virtual-workstations"""

_SOLE_TENANT_REASON: Final = (
    "its machines are on sole-tenant nodes, which are billed as a whole, and whose "
    "price is unknown"
)
_ALONE_LATER: Final = "it is not known yet whether its machines are on sole-tenant nodes"

_FAST: Final = (
    "its machines have Tier_1 networking, "
    "which is billed separately by the hour; its price is unknown"
)
"""https://docs.cloud.google.com/compute/docs/networking/configure-vm-with-high-bandwidth-configuration
(2026-11-26, not re-read: unverified)"""
_CONFIDENTIAL: Final = (
    "its machines are confidential, "
    "which is billed separately by vCPU and memory; its price is unknown"
)
"""https://cloud.google.com/confidential-computing/confidential-vm/pricing
(2026-11-26, not re-read: unverified)"""
_SURCHARGE_UNKNOWN: Final = "it is not known yet whether its machines {}"
NOT_CONFIDENTIAL: Final = (None, "", "CONFIDENTIAL_INSTANCE_TYPE_UNSPECIFIED")


def surcharges(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> tuple[NotJudged, ...]:
    """Return the surcharges of machines that no table prices."""
    return surcharge_reasons(
        resource,
        (surcharge_reason for launch in launches for surcharge_reason in _reasons(launch, index)),
    )


def _reasons(launch: LaunchSources, index: Index) -> Iterator[str]:
    software = _software(launch, index)
    if software:
        yield f"its machines run {software}, and its licence price is unknown"
    if any(
        _is_workstation(accelerator) for accelerator in as_list(launch.get("guestAccelerators"))
    ):
        yield _WORKSTATION
    scheduling = launch.get("scheduling")
    tenancy = None if isinstance(scheduling, Unknown) else at(scheduling, "nodeAffinities")
    if tenancy not in (None, "", [], {}):
        yield _ALONE_LATER if tenancy is UNKNOWN else _SOLE_TENANT_REASON
    yield from _option_surcharges(launch)


def _option_surcharges(launch: LaunchSources) -> Iterator[str]:
    """Yield the options of a machine that are billed in addition."""
    tier = text(at(launch.get("networkPerformanceConfig"), "totalEgressBandwidthTier"))
    if tier not in (None, "DEFAULT"):
        yield _SURCHARGE_UNKNOWN.format("have Tier_1 networking") if tier is UNKNOWN else _FAST
    shielded = is_confidential(launch.get("confidentialInstanceConfig"))
    if shielded is not False:
        yield (
            _SURCHARGE_UNKNOWN.format("are confidential") if shielded is UNKNOWN else _CONFIDENTIAL
        )


def is_confidential(config: Any) -> Known:
    """Return whether memory is encrypted: by a flag, or by naming a technology."""
    kind = at(config, "confidentialInstanceType")
    flags = (flag(at(config, key)) for key in ("enableConfidentialCompute", "enabled"))
    is_confidential_kind: Known = (
        UNKNOWN if isinstance(kind, Unknown) else kind not in NOT_CONFIDENTIAL
    )
    return any_of((is_confidential_kind, *(False if is_on is None else is_on for is_on in flags)))


def _is_workstation(accelerator: Any) -> bool:
    kind = text(at(accelerator, "type"))
    return isinstance(kind, str) and kind.lower().endswith(_VWS)


def _software(launch: LaunchSources, index: Index) -> str | None:
    """Return the software in a machine's image that is billed by the hour."""
    node = launch.get("imageType")
    if isinstance(node, str) and node.upper().startswith(_NODES):
        return _PAID_SOFTWARE["windows-cloud"]
    images = (disks.boot_image(launch), *_named_by_origins(launch, index))
    return next((software for name in images if (software := _paid_software(name))), None)


_REFERENCES: Final = (
    ("source",),
    ("sourceImage",),
    ("sourceSnapshot",),
    ("initializeParams", "image"),
    ("initializeParams", "snapshot"),
)
"""What disks of a machine or a template are made from."""

_ORIGINS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    resource_types.DISK: (("image",), ("snapshot",), ("sourceDisk",)),
    resource_types.IMAGE: (("sourceImage",), ("sourceDisk",), ("sourceSnapshot",)),
    resource_types.SNAPSHOT: (("sourceDisk",),),
}


def _named_by_origins(launch: LaunchSources, index: Index) -> Iterator[Any]:
    """Yield the images and licences of the disks and images of this stack.

    A disk has the licences of what it is made from:
    https://docs.cloud.google.com/compute/docs/licenses/about-licenses (2026-11-26, not re-read:
    unverified)
    """
    if not any(map(index.of_kind, _ORIGINS)):
        return
    from gpuinfra.clouds.observing.disk_origins import origins  # noqa: PLC0415  (few have any)

    for key in ("bootDisk", "disks"):
        holder, value = launch.stating_layer_and_value(key)
        if holder is None or isinstance(value, Unknown):
            continue
        references = [at(disk, *path) for disk in as_list(value) for path in _REFERENCES]
        for origin in origins(index, holder, key, references, _ORIGINS):
            inputs = origin.inputs
            yield from (inputs.get("image"), inputs.get("sourceImage"))
            yield from as_list(inputs.get("licenses"))


def _paid_software(image: Any) -> str | None:
    """Return the paid software of an image or licence: `projects/P/…`, link, `P/family`, name."""
    if not isinstance(image, str):
        return None
    _, marked, project_path = image.rpartition("projects/")
    project, parts, _ = (project_path if marked else image).partition("/")
    if not parts:
        project = next(
            (software for word, software in _IMAGE_PROJECTS.items() if image.startswith(word)), ""
        )
    return _PAID_SOFTWARE.get(project)
