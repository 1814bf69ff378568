"""Settings that Azure refuses in combination: with spot, with the size, with the image."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.machines import capabilities, is_refused_as_spot, may_be_confidential
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.observe.launch.machine_requests import capacity_of, is_valid_price
from gpuinfra.clouds.observing.fault_texts import Check, faults_of_checks
from gpuinfra.clouds.observing.values import as_list, at, equals, flag, is_present, opposite, text
from gpuinfra.model import UNKNOWN, Unknown

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

_PRIORITIES: Final = ("regular", "spot", "low")
_EVICTIONS: Final = ("deallocate", "delete")
_SYSTEM_NODES: Final = (
    "mode: System and scaleSetPriority: Spot: AKS refuses spot nodes in a system pool: set the "
    "mode to User, and keep another pool for the system"
)
"""https://learn.microsoft.com/azure/aks/spot-node-pool#limitations"""

_RESERVED: Final = "capacity reservation and priority: Spot: Azure does not reserve spot machines"
"""https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview"""

_SOLD_WITH_A_PLAN: Final = ("almalinux", "almalinux-hpc")


def spot_faults(profile: Profile, sizes: Sequence[str]) -> tuple[str, ...] | Unknown:
    """Return descriptions of the settings that Azure refuses with the purchase option.

    AzureSpotVMNotSupportedInAvailabilitySet is its word for one of them.
    """
    if resource_types.canonical(profile.resource.type) == resource_types.FLEET:
        return faults_of_checks(_price_checks(_fleet_price(profile), spot=True))
    bought = capacity_of(profile.get("priority"))
    if isinstance(bought, Unknown):
        return UNKNOWN
    checks = list(_spot_checks(profile) if bought == "spot" else ())
    price = profile.get("billingProfile", "maxPrice")
    checks += _purchase_checks(profile.get("priority"), price, sizes)
    if resource_types.canonical(profile.resource.type) == resource_types.SCALE_SET:
        checks += _mix_checks(profile)
        if bought != "spot":
            checks.append(
                (is_present(profile.resource.inputs.get("spotRestorePolicy")), _NOT_RESTORED)
            )
    return faults_of_checks(checks)


def pool_spot_faults(spec: Any, sizes: Sequence[str]) -> tuple[str, ...] | Unknown:
    """Return descriptions of the settings of a node pool that AKS refuses with its priority."""
    priority = at(spec, "scaleSetPriority")
    bought = capacity_of(priority)
    if isinstance(bought, Unknown):
        return UNKNOWN
    checks = list(_purchase_checks(priority, at(spec, "spotMaxPrice"), sizes))
    if bought == "spot":
        checks.append((equals(at(spec, "mode"), "System"), _SYSTEM_NODES))
        checks.append((is_present(at(spec, "capacityReservationGroupID")), _RESERVED))
    return faults_of_checks(checks)


def _purchase_checks(priority: Any, price: Any, sizes: Sequence[str]) -> Iterator[Check]:
    """Yield what Azure refuses of a known priority, its maximum price and the sizes.

    MaxPriceValueInvalid, MaxPriceIsSupportedOnlyForAzureSpotVirtualMachines and
    AzureSpotIsNotSupportedForThisVMSize are its words for them:
    https://learn.microsoft.com/azure/virtual-machines/error-codes-spot
    """
    is_spot = capacity_of(priority) == "spot"
    name = text(priority)
    is_unknown_priority = isinstance(name, str) and name.lower() not in _PRIORITIES
    yield is_unknown_priority, f"unknown priority {name}: use Regular or Spot"
    yield from _price_checks(price, spot=is_spot)
    for size in sizes if is_spot else ():
        yield is_refused_as_spot(size), f"{size} is not sold as spot: choose another size"


def _price_checks(price: Any, *, spot: bool) -> Iterator[Check]:
    is_price_known = not isinstance(price, Unknown) and price not in (None, "", -1, "-1")
    yield (
        is_price_known and not spot,
        f"a maximum price of {price} on regular machines: only spot machines have one",
    )
    yield (
        opposite(is_valid_price(price)) if spot else False,
        f"a maximum price of {price}: use -1, or an amount above zero",
    )


def _fleet_price(profile: Profile) -> Any:
    return at(profile.resource.inputs.get("spotPriorityProfile"), "maxPricePerVM")


def eviction_faults(profile: Profile) -> tuple[str, ...] | Unknown:
    """Return descriptions of the eviction settings that Azure refuses.

    EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines is its word for it.
    """
    if resource_types.canonical(profile.resource.type) == resource_types.FLEET:
        spot = profile.resource.inputs.get("spotPriorityProfile")
        return eviction_faults_of("Spot", at(spot, "evictionPolicy"))
    return eviction_faults_of(profile.get("priority"), profile.get("evictionPolicy"))


def eviction_faults_of(priority: Any, policy: Any) -> tuple[str, ...] | Unknown:
    """Return the faults of an eviction policy with a priority, of any resource type."""
    bought = capacity_of(priority)
    policy_name = text(policy)
    if isinstance(policy_name, str) and policy_name and policy_name.lower() not in _EVICTIONS:
        return (f"unknown eviction policy {policy_name}: use Deallocate or Delete",)
    if policy in (None, "") or bought == "spot":
        return ()
    if isinstance(bought, Unknown) or isinstance(policy, Unknown):
        return UNKNOWN
    return (f"eviction policy {policy} on regular machines: only spot machines are evicted",)


def _spot_checks(profile: Profile) -> Iterator[Check]:
    notice = profile.get("scheduledEventsProfile", "terminateNotificationProfile", "enable")
    is_notified = flag(notice)
    yield False if is_notified is None else is_notified, _NOTICE
    yield is_present(profile.get("availabilitySet")), _IN_A_SET
    yield is_present(profile.get("capacityReservation", "capacityReservationGroup")), _RESERVED


def _mix_checks(profile: Profile) -> Iterator[Check]:
    mix = is_present(profile.resource.inputs.get("priorityMixPolicy"))
    mode = text(profile.resource.inputs.get("orchestrationMode"))
    if mix is not False and mode != "Flexible":
        yield UNKNOWN if isinstance(mode, Unknown) else mix, _UNIFORM_MIX


def start_faults(profile: Profile, sizes: Sequence[str]) -> Iterator[str]:
    """Yield what keeps machines from starting: a security type, encryption, a plan, a key path.

    Only what a table knows that a size does not take: unknown stays unknown.
    """
    security = profile.get("securityProfile")
    security_type = at(security, "securityType")
    is_encrypted = flag(at(security, "encryptionAtHost")) is True
    for size in sizes:
        supported = capabilities(size)
        if security_type == "TrustedLaunch" and supported.trusted_launch is False:
            yield f"{size} does not support the security type TrustedLaunch"
        if security_type == "ConfidentialVM" and not may_be_confidential(size):
            yield (
                f"{size} does not support the security type ConfidentialVM, "
                "which sizes of the series DC, EC and NCC do"
            )
        if is_encrypted and supported.encryption_at_host is False:
            yield f"{size} does not support encryption at host"
    yield from _missing_plan_faults(profile)
    yield from _keys_elsewhere(profile)


def _missing_plan_faults(profile: Profile) -> Iterator[str]:
    image: Any = profile.get("storageProfile", "imageReference")
    image_parts = (at(image, "publisher"), at(image, "offer"))
    if image_parts == _SOLD_WITH_A_PLAN and profile.resource.inputs.get("plan") is None:
        yield f"the image {image_parts[1]} requires a marketplace plan, and the scale set has none"


def _keys_elsewhere(profile: Profile) -> Iterator[str]:
    """Yield the keys outside the user's own directory, the only place Azure writes them to.

    https://github.com/Azure/azure-cli/issues/12459
    """
    system = profile.get("osProfile")
    user = text(at(system, "adminUsername"))
    for key in as_list(at(system, "linuxConfiguration", "ssh", "publicKeys")):
        path, login_key_path = text(at(key, "path")), f"/home/{user}/.ssh/authorized_keys"
        if isinstance(user, str) and isinstance(path, str) and path != login_key_path:
            yield f"a key in {path}: Azure puts keys of the user {user} only into {login_key_path}"
