"""The fabric that resources request: InfiniBand joins the machines of one scale set.

No InfiniBand interface is ever declared: Azure gives every machine the ports that its size has,
and joins those of one scale set in a single placement group:
https://learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated/ndh100v5-series
"""

from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.azure.images import has_image, public_image
from gpuinfra.clouds.azure.machines import machine, size_name
from gpuinfra.clouds.azure.network import SINGLE_PLACEMENT_GROUP, most_machines
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import ObservedInterface, Profile
from gpuinfra.clouds.azure.observe.launch.locations import one_zone
from gpuinfra.clouds.azure.observe.launch.machine_requests import GroupRequest
from gpuinfra.clouds.azure.observe.network import cross_region, network_paths
from gpuinfra.clouds.azure.observe.network.traffic import INBOUND, OUTBOUND
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    at,
    flag,
    is_present,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Fabric, Known, Machine, Purpose, Unknown
from gpuinfra.records import record

_ONE_DOMAIN: Final = 1
"""Of the recipe for InfiniBand, which joins the machines of several fault domains as well:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-manage-fault-domains
"""

_OS_PUBLISHERS: Final = frozenset({"Canonical", "Debian", "OpenLogic", "RedHat", "SUSE"})
"""Publishers of operating systems' own images, without any driver:
https://learn.microsoft.com/azure/virtual-machines/linux/endorsed-distros"""

_LONE: Final = (
    "it is outside a scale set: InfiniBand connects only the machines of one scale "
    "set, however close single machines are"
)


@record
class FabricFacts:
    """The facts for judging a fabric: the machines' model, the request, and the surroundings."""

    profile: Profile
    request: GroupRequest
    interfaces: tuple[ObservedInterface, ...] | Unknown
    purpose: Purpose
    index: Index


def fabric_of(facts: FabricFacts) -> Fabric | None:
    """Return the fabric that machines request; None when they request none."""
    kind = resource_types.canonical(facts.profile.resource.type)
    if kind == resource_types.SCALE_SET:
        return _scale_set_fabric(facts)
    if kind == resource_types.MACHINE and _stands_close(facts):
        return _machine_fabric(facts)
    return None


def single_placement(profile: Profile) -> Known:
    """Return whether a scale set is one placement group, the default of uniform ones.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-placement-groups
    """
    single = flag(profile.resource.inputs.get("singlePlacementGroup"))
    if single is not None:
        return single
    mode = text(profile.resource.inputs.get("orchestrationMode"))
    return UNKNOWN if isinstance(mode, Unknown) else mode != "Flexible"


def _scale_set_fabric(facts: FabricFacts) -> Fabric | None:
    if not _requests_fabric(facts):
        return None
    inputs = facts.profile.resource.inputs
    single = single_placement(facts.profile)
    spread = [_overprovisions(facts), _too_many(facts)]
    is_uniform = text(inputs.get("orchestrationMode")) in {None, "Uniform"}
    set_faults = _set_faults(facts, single, spread)
    return Fabric(
        requirement="required"
        if flag(inputs.get("singlePlacementGroup")) is True
        else "preferred",
        interfaces=_interfaces(facts.request) if is_uniform else UNKNOWN,
        faults=rule_faults("fabric-scale-set", tuple(_far_subnets(facts)) or set_faults),
        one_zone=one_zone(inputs.get("zones"), together=single),
        placement=SINGLE_PLACEMENT_GROUP
        if single is True
        else None
        if single is False
        else UNKNOWN,
        self_ingress=_lets_peers(facts, INBOUND),
        self_egress=_lets_peers(facts, OUTBOUND),
        public_ip=_public(facts),
        driver_image=_driver_image(facts),
    )


def _lets_peers(facts: FabricFacts, direction: str) -> Known | None:
    """Return whether groups allow the other machines' traffic; None for a single machine."""
    if facts.request.maximum == 1:
        return None
    return network_paths.traffic_between(facts.interfaces, facts.index, direction)


def _far_subnets(facts: FabricFacts) -> Iterator[str]:
    """Yield the subnets of another region, in which Azure makes no machine of this one."""
    for interface in () if isinstance(facts.interfaces, Unknown) else facts.interfaces:
        subnets = network_paths.subnets_of(interface, facts.index)
        yield from cross_region.other_region_references(
            facts.profile.resource, subnets, facts.index
        )


def _machine_fabric(facts: FabricFacts) -> Fabric:
    """Return the fabric of machines in one availability set or, possibly, one flexible set."""
    inputs = facts.profile.resource.inputs
    grouped = [
        is_present(inputs.get(key)) for key in ("availabilitySet", "virtualMachineScaleSet")
    ]
    is_alone = any_of(grouped) is False
    return Fabric(
        requirement="preferred",
        interfaces=0 if is_alone else UNKNOWN,
        faults=rule_faults("fabric-scale-set", (_LONE,) if is_alone else UNKNOWN),
        one_zone=one_zone(inputs.get("zones"), together=UNKNOWN),
        placement=None if is_alone else UNKNOWN,
        self_ingress=None,
        self_egress=None,
        public_ip=_public(facts),
        driver_image=_driver_image(facts),
    )


def _requests_fabric(facts: FabricFacts) -> bool:
    """Return whether a scale set requests a fabric.

    One in a single placement group does, by machines that have InfiniBand, and by the recipe for
    it (no overprovisioning) with any machines. Several machines with InfiniBand do as well,
    unless they serve, or say no to the placement group and stay away from a proximity placement
    group, which is no substitute. A flexible set has to ask by its placement group. Where the
    machines are stated to train, neither the mode nor a placement group excludes them; only an
    explicit refusal does (see `_trains`).
    """
    inputs = facts.profile.resource.inputs
    single = flag(inputs.get("singlePlacementGroup"))
    if any(_may_join(name) for name in facts.request.machines):
        is_close_placement = (
            single is not False or is_present(inputs.get("proximityPlacementGroup")) is not False
        )
        return single is True or (is_close_placement and _may_train(facts)) or _trains(facts)
    may_be_one = single in {True, UNKNOWN}
    is_recipe = may_be_one and flag(inputs.get("overprovision")) in {False, UNKNOWN}
    return is_recipe and _may_train(facts)


def _may_train(facts: FabricFacts) -> bool:
    """Return whether these are several machines of a uniform set that is not for inference."""
    is_flexible = facts.profile.resource.inputs.get("orchestrationMode") == "Flexible"
    return facts.request.maximum != 1 and not is_flexible and facts.purpose != "inference"


def _trains(facts: FabricFacts) -> bool:
    """Return whether these machines are stated to train, and do not decline InfiniBand.

    A uniform set that spells out all the recipe for InfiniBand but its placement group declines
    it. That is what the build makes of `fabric: none`, and no resource shows that wish otherwise.
    """
    inputs = facts.profile.resource.inputs
    declines = (
        text(inputs.get("orchestrationMode")) == "Uniform"
        and flag(inputs.get("singlePlacementGroup")) is False
        and flag(inputs.get("overprovision")) is False
        and whole_number(inputs.get("platformFaultDomainCount")) == _ONE_DOMAIN
    )
    return facts.purpose == "training" and facts.request.maximum != 1 and not declines


def _may_join(name: str) -> bool:
    known = machine(size_name(name))
    return known is not None and known.fabric_interfaces != 0


def _stands_close(facts: FabricFacts) -> bool:
    """Return whether a machine with InfiniBand is to train with another one of this stack."""
    inputs = facts.profile.resource.inputs
    if facts.purpose == "inference" or not any(_may_join(name) for name in facts.request.machines):
        return False
    is_close_placement = any(is_present(inputs.get(key)) is not False for key in _CLOSE)
    return (is_close_placement or facts.purpose == "training") and any(
        resource.urn != facts.profile.resource.urn
        and _may_join(str(at(resource.inputs.get("hardwareProfile"), "vmSize")))
        for resource in facts.index.of_kind(resource_types.MACHINE)
    )


_CLOSE: Final = ("proximityPlacementGroup", "availabilitySet")


def _interfaces(request: GroupRequest) -> int | Unknown:
    """Return the InfiniBand ports of each machine of the set; the fewest of several sizes."""
    counts: list[int] = []
    for name in request.machines:
        known = machine(name)
        if known is None or known.fabric_interfaces is None:
            return UNKNOWN
        counts.append(known.fabric_interfaces)
    return min(counts)


def _overprovisions(facts: FabricFacts) -> Known:
    """Return whether more machines are started than requested, as only a uniform set does.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-orchestration-modes
    """
    inputs = facts.profile.resource.inputs
    mode = text(inputs.get("orchestrationMode"))
    stated_flag = flag(inputs.get("overprovision"))
    uniform: Known = UNKNOWN if isinstance(mode, Unknown) else mode != "Flexible"
    return all_of((uniform, True if stated_flag is None else stated_flag))


def _too_many(facts: FabricFacts) -> Known:
    count = facts.request.maximum
    return UNKNOWN if isinstance(count, Unknown) else count > most_machines(SINGLE_PLACEMENT_GROUP)


def _set_faults(
    facts: FabricFacts, single: Known, spread: Sequence[Known]
) -> tuple[str, ...] | Unknown:
    """Return the settings that break InfiniBand; UNKNOWN as long as something still may."""
    faults = tuple(_infiniband_breakers(facts, single))
    return UNKNOWN if UNKNOWN in (single, *spread) and not faults else faults


def _infiniband_breakers(facts: FabricFacts, single: Known) -> Iterator[str]:
    """Yield descriptions of the settings that break InfiniBand."""
    if single is False:
        yield "the scale set has several placement groups (set singlePlacementGroup true)"
    if _overprovisions(facts) is True:
        yield (
            "the scale set overprovisions: extra machines, deleted after the start, count "
            "towards the placement group's limit (set overprovision false)"
        )
    if _too_many(facts) is True:
        most = most_machines(SINGLE_PLACEMENT_GROUP)
        yield f"{facts.request.maximum} machines: a single placement group holds at most {most}"
    reserved = facts.profile.get("capacityReservation", "capacityReservationGroup")
    if reserved is not None and single is True:
        yield "a capacity reservation can't be in a single placement group"


def _public(facts: FabricFacts) -> Known:
    if isinstance(facts.interfaces, Unknown):
        return UNKNOWN
    return any_of(interface.public for interface in facts.interfaces)


def _driver_image(facts: FabricFacts) -> Known:
    """Return whether the image has drivers, as public HPC images do; UNKNOWN for custom ones.

    They have them for the machines that they serve, regardless of what else they are started on.
    """
    image = facts.profile.get("storageProfile", "imageReference")
    machines = [known for name in facts.request.machines if (known := machine(name)) is not None]
    parts = tuple(at(image, key) for key in ("publisher", "offer", "sku"))
    is_complete = len(machines) == len(facts.request.machines)
    if isinstance(parts[0], str) and parts[0] in _OS_PUBLISHERS and not _set_up(facts):
        return False
    return True if is_complete and all(_serves(parts, size) for size in machines) else UNKNOWN


def _serves(image_parts: tuple[object, ...], machine: Machine) -> bool:
    public = public_image("training", machine.architecture)
    if public is None or not has_image(machine, "training"):
        return False
    return image_parts == (public.publisher, public.offer, public.sku)


def _set_up(facts: FabricFacts) -> bool:
    """Return whether a script or an extension may install the software that the image lacks."""
    keys = (("osProfile", "customData"), ("userData",), ("extensionProfile",))
    if any(is_present(facts.profile.get(*key)) is not False for key in keys):
        return True
    return any(facts.index.of_kind(kind) for kind in _EXTENSIONS)


_EXTENSIONS: Final = (resource_types.MACHINE_EXTENSION, resource_types.SCALE_SET_EXTENSION)
