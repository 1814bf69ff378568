"""Settings that Azure refuses in combination: with spot, with the size, with the image."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.machines import capabilities
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.launch_settings import Profile
from gpuinfra.clouds.azure.observe.machine_requests import capacity_of
from gpuinfra.clouds.observing.values import as_list, at, flag, is_present, text
from gpuinfra.model import UNKNOWN, Known, Unknown

_NOTICE: Final = (
    "terminateNotificationProfile is on and the priority is Spot: Azure refuses a terminate "
    "notification on spot machines; a Preempt event announces an eviction 30 seconds before"
)
_UNIFORM_MIX: Final = (
    "priorityMixPolicy, a mix of spot and regular machines, requires orchestrationMode: Flexible"
)
_NOT_RESTORED: Final = (
    "spotRestorePolicy requires priority: Spot; regular machines are not evicted"
)
"""https://github.com/Azure/azure-cli/issues/20576"""

_IN_A_SET: Final = (
    "availabilitySet and priority: Spot: Azure refuses spot machines in an availability set"
)

_SOLD_WITH_A_PLAN: Final = ("almalinux", "almalinux-hpc")


def spot_faults(profile: Profile) -> tuple[str, ...] | Unknown:
    """Return descriptions of the settings that Azure refuses with the purchase option.

    AzureSpotVMNotSupportedInAvailabilitySet is its word for one of them.
    """
    bought = capacity_of(profile.get("priority"))
    if isinstance(bought, Unknown):
        return UNKNOWN
    facts = list(_spot_settings(profile) if bought == "spot" else ())
    if resource_types.canonical(profile.resource.type) == resource_types.SCALE_SET:
        facts += _mix_settings(profile)
        if bought != "spot":
            facts.append(
                (_NOT_RESTORED, is_present(profile.resource.inputs.get("spotRestorePolicy")))
            )
    return _known_facts(facts)


def eviction_faults(profile: Profile) -> tuple[str, ...] | Unknown:
    """Return descriptions of the eviction settings that Azure refuses.

    EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines is its word for it.
    """
    if resource_types.canonical(profile.resource.type) == resource_types.FLEET:
        return ()
    return eviction_faults_of(profile.get("priority"), profile.get("evictionPolicy"))


def eviction_faults_of(priority: Any, policy: Any) -> tuple[str, ...] | Unknown:
    """Return the faults of an eviction policy with a priority, of any resource type."""
    bought = capacity_of(priority)
    if policy in (None, "") or bought == "spot":
        return ()
    if isinstance(bought, Unknown) or isinstance(policy, Unknown):
        return UNKNOWN
    return (f"eviction policy {policy} on regular machines: only spot machines are evicted",)


def _known_facts(facts: Sequence[tuple[str, Known]]) -> tuple[str, ...] | Unknown:
    faults = tuple(words for words, wrong in facts if wrong is True)
    return faults or (UNKNOWN if any(wrong is UNKNOWN for _, wrong in facts) else ())


def _spot_settings(profile: Profile) -> Iterator[tuple[str, Known]]:
    notice = profile.get("scheduledEventsProfile", "terminateNotificationProfile", "enable")
    told = flag(notice)
    yield _NOTICE, False if told is None else told
    yield _IN_A_SET, is_present(profile.get("availabilitySet"))


def _mix_settings(profile: Profile) -> Iterator[tuple[str, Known]]:
    mix = is_present(profile.resource.inputs.get("priorityMixPolicy"))
    mode = text(profile.resource.inputs.get("orchestrationMode"))
    if mix is not False and mode != "Flexible":
        yield _UNIFORM_MIX, UNKNOWN if isinstance(mode, Unknown) else mix


def start_faults(profile: Profile, sizes: Sequence[str]) -> Iterator[str]:
    """Yield what keeps machines from starting: trusted launch, encryption, a plan, a key path.

    Only what a table knows that a size does not take: unknown stays unknown.
    """
    security = profile.get("securityProfile")
    trusted = at(security, "securityType") == "TrustedLaunch"
    encrypted = flag(at(security, "encryptionAtHost")) is True
    for size in sizes:
        able = capabilities(size)
        if trusted and able.trusted_launch is False:
            yield f"{size} does not support the security type TrustedLaunch"
        if encrypted and able.encryption_at_host is False:
            yield f"{size} does not support encryption at host"
    yield from _missing_plan_faults(profile)
    yield from _keys_elsewhere(profile)


def _missing_plan_faults(profile: Profile) -> Iterator[str]:
    image: Any = profile.get("storageProfile", "imageReference")
    named = (at(image, "publisher"), at(image, "offer"))
    if named == _SOLD_WITH_A_PLAN and profile.resource.inputs.get("plan") is None:
        yield f"the image {named[1]} requires a marketplace plan, and the scale set has none"


def _keys_elsewhere(profile: Profile) -> Iterator[str]:
    """Yield the keys outside the user's own directory, the only place Azure writes them to.

    https://github.com/Azure/azure-cli/issues/12459
    """
    system = profile.get("osProfile")
    user = text(at(system, "adminUsername"))
    for key in as_list(at(system, "linuxConfiguration", "ssh", "publicKeys")):
        path, place = text(at(key, "path")), f"/home/{user}/.ssh/authorized_keys"
        if isinstance(user, str) and isinstance(path, str) and path != place:
            yield f"a key in {path}: Azure puts keys of the user {user} only into {place}"
