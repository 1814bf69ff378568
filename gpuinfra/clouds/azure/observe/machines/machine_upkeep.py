"""The upkeep of a scale set's machines: spread, model updates, repairs, notices, evictions."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.machines import machine
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.observe.launch.machine_requests import capacity_of, group_request_of
from gpuinfra.clouds.azure.observe.launch.scaling import settings_of
from gpuinfra.clouds.azure.observe.machines import autoscale_rules
from gpuinfra.clouds.azure.observe.network.fabric import single_placement
from gpuinfra.clouds.azure.observe.rights.long_lived_keys import extensions_of
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.values import as_list, at, flag, is_present, text, whole_number
from gpuinfra.model import UNKNOWN, Known, Purpose, Reachability, Unknown

_HEALTH: Final = frozenset({"applicationhealthlinux", "applicationhealthwindows"})
_PUBLISHER: Final = "microsoft.managedservices"
"""https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-health-extension"""

_SHARE: Final = 20
_GRACE: Final = "PT10M"
_ALL_PERCENT: Final = 100
_NO_PAUSE: Final = "PT0S"
"""The defaults: the batch size and the unhealthy machines allowed in percent, the time before a
repair, and between batches (docstrings of pulumi_azure_native 3.29.0).
"""

_NOTICE: Final = "PT5M"
"""The default time before a deletion (docstrings of pulumi_azure_native 3.29.0)."""

_LESS_ROOM: Final = (
    "one placement group has less capacity for spot machines, and has no use without "
    "InfiniBand (set singlePlacementGroup false)"
)
"""https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot#placement-groups"""

_DELETED_DISK_FAULT: Final = (
    "a standalone disk is deleted with its machine: set deleteOption to Detach"
)
_SET_FALSE: Final = (
    "a single placement group is set, which Azure does not support for a Flexible set "
    "with maximum spreading (platformFaultDomainCount 1)"
)
"""https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-orchestration-modes"""


def upkeep_of(
    profile: Profile, index: Index, *, purpose: Purpose, saves: Known = UNKNOWN
) -> Reachability | None:
    """Return the upkeep of a scale set, and the disks that a single machine deletes; else None.

    Args:
        profile: the machines' model.
        index: the resources that it may refer to.
        purpose: the purpose of the machines.
        saves: whether their work saves its state.
    """
    kind = resource_types.canonical(profile.resource.type)
    if kind != resource_types.SCALE_SET:
        lost = tuple(_deleted_disks(profile)) if kind == resource_types.MACHINE else ()
        return reach_from("machine-upkeep", lost) if lost else None
    findings = (
        *_spread_remarks(profile, purpose),
        *_kept_disks(profile),
        *_update_remarks(profile, index, purpose),
        *autoscale_rules.autoscale_notes(profile.resource, index),
        *_eviction_notes(profile, index, purpose=purpose, saves=saves),
    )
    return reach_from("machine-upkeep", findings)


def health_faults(profile: Profile, index: Index) -> Iterator[str]:
    """Yield the health-based settings of a set without health extension and probe.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-automatic-instance-repairs
    """
    inputs = profile.resource.inputs
    wants = {
        "rolling upgrades": at(inputs.get("upgradePolicy"), "mode") == "Rolling",
        "automatic repairs": flag(at(inputs.get("automaticRepairsPolicy"), "enabled")) is True,
    }
    probe = is_present(profile.get("networkProfile", "healthProbe"))
    checks = list(_health_settings(profile, index))
    if probe is not False or checks:
        return
    for settings, is_wanted in wants.items():
        if is_wanted:
            yield f"{settings} require a health extension or a health probe, and the set has none"


def _spread_remarks(profile: Profile, purpose: Purpose) -> Iterator[Remark]:
    """Yield how widely machines are spread, and whether more are started than requested.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-manage-fault-domains
    """
    inputs = profile.resource.inputs
    mode = text(inputs.get("orchestrationMode")) or "Uniform"
    domains = whole_number(inputs.get("platformFaultDomainCount"))
    if domains == 1:
        yield True, "spread as widely as capacity allows"
    elif not isinstance(domains, Unknown):
        yield (
            True,
            "spread over as many fault domains as Azure supports"
            if domains is None
            else (f"spread over {domains} fault domains"),
        )
    single = single_placement(profile)
    if single is not UNKNOWN:
        yield True, "in one placement group" if single else "in any number of placement groups"
    if single is True and mode == "Flexible" and domains == 1:
        yield False, _SET_FALSE
    if single is True and _needs_no_placement_group(profile):
        yield False, _LESS_ROOM
    disk = text(profile.get("storageProfile", "osDisk", "managedDisk", "storageAccountType"))
    if isinstance(disk, str):
        yield True, f"started from {disk} disks"
    overprovisions = flag(inputs.get("overprovision"))
    if (
        mode == "Uniform"
        and overprovisions is not False
        and overprovisions is not UNKNOWN
        and purpose == "training"
    ):
        yield False, "overprovisions: extra machines join a run and are deleted again"


def _kept_disks(profile: Profile) -> Iterator[Remark]:
    """Yield the disks that are kept when their machine is deleted, as configured.

    https://learn.microsoft.com/azure/virtual-machines/delete
    """
    storage = ("storageProfile", "osDisk"), ("storageProfile", "dataDisks")
    disks = [disk for path in storage for disk in as_list(profile.get(*path))]
    detached_disks = [disk for disk in disks if at(disk, "deleteOption") == "Detach"]
    if detached_disks:
        count = len(detached_disks)
        remark = f"disks are kept and billed after their machine is deleted: {count} a machine"
        yield False, f"{remark}: set deleteOption to Delete"


def _deleted_disks(profile: Profile) -> Iterator[Remark]:
    """Yield the existing disks that are set to be deleted with their machine."""
    for disk in as_list(profile.get("storageProfile", "dataDisks")):
        if at(disk, "createOption") == "Attach" and at(disk, "deleteOption") == "Delete":
            yield False, _DELETED_DISK_FAULT


def _needs_no_placement_group(profile: Profile) -> bool:
    """Return whether machines are spot without InfiniBand, which need no placement group."""
    request = group_request_of(profile.resource)
    machine_types = [machine(name) for name in request.machines]
    have_no_fabric = bool(machine_types) and all(
        size is not None and size.fabric_interfaces == 0 for size in machine_types
    )
    return request.capacity == "spot" and have_no_fabric


def _update_remarks(profile: Profile, index: Index, purpose: Purpose) -> Iterator[Remark]:
    """Yield how machines follow the model of their set, and the handling of unhealthy ones.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-automatic-instance-repairs
    """
    inputs = profile.resource.inputs
    policy = inputs.get("upgradePolicy")
    if text(at(policy, "mode")) == "Rolling":
        rolling = at(policy, "rollingUpgradePolicy")
        yield True, _rolling_upgrade_text(rolling)
        if whole_number(at(rolling, "maxUnhealthyUpgradedInstancePercent")) == _ALL_PERCENT:
            yield False, "a rolling upgrade may make all machines unhealthy"
    repairs = inputs.get("automaticRepairsPolicy")
    mended = flag(at(repairs, "enabled"))
    if mended is True:
        grace_period = text(at(repairs, "gracePeriod")) or _GRACE
        action = text(at(repairs, "repairAction")) or "Replace"
        yield True, f"an unhealthy machine: {action} after {grace_period}"
    checks = list(_health_settings(profile, index))
    if checks and mended is not True and mended is not UNKNOWN and purpose == "inference":
        yield False, "machine health is checked, and nothing replaces an unhealthy machine"
    for check in checks:
        probe_text = f"{whole_number(at(check, 'port'))}{at(check, 'requestPath') or ''}"
        yield True, f"health extension: {at(check, 'protocol')} {probe_text}"


def _rolling_upgrade_text(policy: Any) -> str:
    shares = [
        whole_number(at(policy, key)) or _SHARE
        for key in (
            *("maxBatchInstancePercent", "maxUnhealthyInstancePercent"),
            "maxUnhealthyUpgradedInstancePercent",
        )
    ]
    pause = text(at(policy, "pauseTimeBetweenBatches")) or _NO_PAUSE
    return (
        f"rolling upgrades: {shares[0]}% at a time, with at most {shares[1]}% unhealthy "
        f"and {shares[2]}% of the upgraded ones, {pause} apart"
    )


def _health_settings(profile: Profile, index: Index) -> Iterator[Any]:
    """Yield the settings of health extensions; an unknown extension may be one."""
    for extension in extensions_of(profile, index):
        kind, publisher = text(at(extension, "type")), text(at(extension, "publisher"))
        if isinstance(kind, Unknown) or (
            str(kind).lower() in _HEALTH and str(publisher).lower() in {_PUBLISHER, str(UNKNOWN)}
        ):
            yield at(extension, "settings")


def _eviction_notes(
    profile: Profile, index: Index, *, purpose: Purpose, saves: Known
) -> Iterator[Remark]:
    """Yield the notice that machines get before they end, and whether evicted ones return.

    Spot machines take no notice: an eviction tells them by itself, 30 seconds before.
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-terminate-notification
    """
    notice = profile.get("scheduledEventsProfile", "terminateNotificationProfile")
    is_notified = flag(at(notice, "enable"))
    bought = capacity_of(profile.get("priority"))
    has_autoscale = bool(settings_of(profile.resource, index))
    if is_notified is True:
        yield (
            True,
            (f"notified {text(at(notice, 'notBeforeTimeout')) or _NOTICE} before it is deleted"),
        )
    elif is_notified is not UNKNOWN and bought == "on-demand":
        if has_autoscale:
            yield False, "autoscaling deletes machines without a notification"
        elif purpose == "training" and saves is True:
            yield (
                False,
                (
                    "a run that saves its state gets no notification before its machines are "
                    "deleted"
                ),
            )
    if bought == "spot":
        yield from _eviction_remarks(profile, purpose, scales=has_autoscale)


def _eviction_remarks(profile: Profile, purpose: Purpose, *, scales: bool) -> Iterator[Remark]:
    """Yield the state of an evicted machine, which autoscaling counts if it is stopped.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot
    """
    policy = text(profile.get("evictionPolicy"))
    if not isinstance(policy, Unknown):
        is_deleted = policy == "Delete"
        consequence = (
            "deleted with its disk" if is_deleted else "stopped, and its disk is still billed"
        )
        yield True, f"an evicted machine is {consequence}"
        if scales and not is_deleted:
            yield False, "autoscaling counts evicted machines: set the eviction policy to Delete"
    restore = profile.resource.inputs.get("spotRestorePolicy")
    comes = flag(at(restore, "enabled"))
    if scales:
        yield True, "autoscaling replaces an evicted machine, up to its minimum"
    elif comes is True:
        yield True, f"restored within {text(at(restore, 'restoreTimeout')) or 'a time'}"
    elif comes is not UNKNOWN and purpose == "training":
        yield False, "evicted machines are not replaced: no restore policy and no autoscaling"
