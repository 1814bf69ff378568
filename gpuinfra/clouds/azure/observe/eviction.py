"""The termination notices and the eviction of a scale set's machines."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.market import capacity_of
from gpuinfra.clouds.azure.observe.profile import Profile
from gpuinfra.clouds.azure.observe.scaling import settings_of
from gpuinfra.clouds.observing.faults import Remark
from gpuinfra.clouds.observing.values import at, flag, text
from gpuinfra.model import UNKNOWN, Known, Purpose, Unknown

_NOTICE: Final = "PT5M"
"""The default time before a deletion (docstrings of pulumi_azure_native 3.29.0)."""


def eviction_notes(
    profile: Profile, index: Index, *, purpose: Purpose, saves: Known
) -> Iterator[Remark]:
    """Yield the notice that machines get before they end, and whether evicted ones return.

    Spot machines take no notice: an eviction tells them by itself, 30 seconds before.
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-terminate-notification
    """
    notice = profile.get("scheduledEventsProfile", "terminateNotificationProfile")
    told = flag(at(notice, "enable"))
    bought = capacity_of(profile.get("priority"))
    scales = bool(settings_of(profile.resource, index))
    if told is True:
        yield (
            True,
            (f"notified {text(at(notice, 'notBeforeTimeout')) or _NOTICE} before it is deleted"),
        )
    elif told is not UNKNOWN and bought == "on-demand":
        if scales:
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
        yield from _evicted(profile, purpose, scales=scales)


def _evicted(profile: Profile, purpose: Purpose, *, scales: bool) -> Iterator[Remark]:
    """Yield the state of an evicted machine, which autoscaling counts if it is stopped.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot
    """
    policy = text(profile.get("evictionPolicy"))
    if not isinstance(policy, Unknown):
        gone = policy == "Delete"
        kept = "deleted with its disk" if gone else "stopped, and its disk is still billed"
        yield True, f"an evicted machine is {kept}"
        if scales and not gone:
            yield False, "autoscaling counts evicted machines: set the eviction policy to Delete"
    restore = profile.resource.inputs.get("spotRestorePolicy")
    comes = flag(at(restore, "enabled"))
    if comes is True:
        yield True, f"restored within {text(at(restore, 'restoreTimeout')) or 'a time'}"
    elif comes is not UNKNOWN and purpose == "training" and not scales:
        yield False, "evicted machines are not replaced: no restore policy and no autoscaling"
