"""The launch settings of one machine: an instance's inputs over those of its launch template."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import standalone_interfaces
from gpuinfra.clouds.aws.observe.launch.template_versions import template_at_version
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import amount, as_list, at, text
from gpuinfra.model import UNKNOWN, Capacity, Resource, Unknown
from gpuinfra.records import record

_RESERVATION: Final = "capacityReservationSpecification"
_PREFERENCE: Final = "capacityReservationPreference"
_RESERVATIONS_ONLY: Final = "capacity-reservations-only"
_TEMPLATE_UNKNOWN: Final = "its launch template is not known yet"


@record(kw_only=False)
class ObservedPurchase:
    """The purchase option of a machine, and spot's maximum hourly price (UNKNOWN: not yet).

    `reservation` is what it is started from; `kept_by` the URN of that, where this stack makes it.
    `kept_only`: a machine without a place in it does not start, on demand or elsewhere.
    """

    capacity: Capacity = "on-demand"
    max_price: Decimal | Unknown | None = None
    reservation: str | Unknown | None = None
    kept_by: str | None = None
    kept_only: bool = False


def as_instance(
    resource: Resource, prop: str, inputs: Mapping[str, Any], mark: str = ""
) -> Resource:
    """Return a property's settings for machines in the form of an instance resource.

    `mark` tells it from what else the property says. Any input may be what the property refers to.
    """
    return replace(
        resource,
        urn=f"{resource.urn}#{mark or prop}",
        type=resource_types.INSTANCE,
        inputs=dict(inputs),
        relations=dict.fromkeys(inputs, resource.relations.get(prop, ())),
    )


def instance_launch(resource: Resource, index: Index) -> LaunchSources:
    """Return the launch settings of an instance."""
    template = resource.inputs.get("launchTemplate")
    if template is None:
        return LaunchSources((resource,))
    template_layer = template_launch(resource, "launchTemplate", template, index)
    return LaunchSources((resource, *template_layer.layers), template_layer.hidden)


def template_launch(resource: Resource, prop: str, spec: Any, index: Index) -> LaunchSources:
    """Return the launch settings of a template reference (`id`, `name` or the long spellings)."""
    launches = template_launches(resource, prop, spec, index)
    return launches[0] if len(launches) == 1 else LaunchSources((), _TEMPLATE_UNKNOWN)


def template_launches(
    resource: Resource, prop: str, spec: Any, index: Index
) -> tuple[LaunchSources, ...]:
    """Return the launch settings of each template that a reference may mean.

    Where a property refers to several templates that are not made yet, each of its references may
    mean any of them.
    """
    reference: Any = None
    for key in ("id", "launchTemplateId", "name", "launchTemplateName"):
        reference = at(spec, key)
        if reference is not None:
            break
    if reference is None:
        return (LaunchSources((), "it names no launch template"),)
    targets = index.targets(resource, prop, resource_types.TEMPLATE, reference)
    templates = (*targets.certain, *targets.possible) if targets.complete else ()
    if templates:
        return tuple(_sources_at_version(resource, prop, spec, template) for template in templates)
    if isinstance(reference, Unknown):
        return (LaunchSources((), _TEMPLATE_UNKNOWN),)
    return (LaunchSources((), f"its launch template {reference} is not in this stack"),)


def _sources_at_version(
    resource: Resource, prop: str, spec: Any, template: Resource
) -> LaunchSources:
    version = template_at_version(resource, prop, spec, template)
    return LaunchSources((), version) if isinstance(version, str) else LaunchSources((version,))


def market_of(launch: LaunchSources, index: Index) -> ObservedPurchase:
    """Return how a template or an instance is bought.

    A machine of a reservation that this stack makes is on demand: the stack pays for both once,
    unless it may be a spot machine, which is never in it.
    """
    options = launch.get("instanceMarketOptions")
    kind = at(options, "marketType")
    if kind == "spot" or (kind is None and at(options, "spotOptions") is not None):
        return ObservedPurchase("spot", amount(at(options, "spotOptions", "maxPrice")))
    reservation_id, reservation = reservation_of(launch, index)
    if kind == "capacity-block":
        return ObservedPurchase("capacity-block", reservation=reservation_id)
    if reservation is not None and not isinstance(kind, Unknown):
        return ObservedPurchase(
            reservation=reservation_id,
            kept_by=reservation.urn,
            kept_only=_starts_only_in_it(launch),
        )
    is_foreign_reservation = isinstance(reservation_id, str) and reservation is None
    return ObservedPurchase(
        "reserved" if is_foreign_reservation else "on-demand", reservation=reservation_id
    )


def own_price(
    own_maximum: Decimal | Unknown | None, shared: Decimal | Unknown | None
) -> Decimal | Unknown | None:
    """Return the maximum price of one part of a request: its own, else the shared one."""
    return shared if own_maximum is None else own_maximum


def price_of_machine(
    per_unit: Decimal | Unknown | None, weight: Decimal | Unknown | None
) -> Decimal | Unknown | None:
    """Return the maximum price of a machine, from the price of a unit and its weight in units.

    The price of a launch template, which has no units, is of a machine:
    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_FleetLaunchTemplateOverridesRequest.html
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SpotFleetLaunchSpecification.html
    """
    if per_unit is None or weight is None:
        return per_unit
    if isinstance(per_unit, Unknown) or isinstance(weight, Unknown):
        return UNKNOWN
    return per_unit * weight


def dearest_price(prices: list[Decimal | Unknown | None]) -> Decimal | Unknown | None:
    """Return the maximum price of all parts; None where a part has none.

    One request without a maximum may pay the on-demand price, so no maximum holds for all.
    """
    if UNKNOWN in prices:
        return UNKNOWN
    known_prices = [price for price in prices if isinstance(price, Decimal)]
    return max(known_prices) if known_prices and len(known_prices) == len(prices) else None


def reservation_of(
    launch: LaunchSources, index: Index
) -> tuple[str | Unknown | None, Resource | None]:
    """Return the reservation that a launch names, and its resource if this stack makes it.

    A scaling group may name some of its own, of which one is read.
    """
    layer, specification = launch.stating_layer_and_value(_RESERVATION)
    target = at(specification, "capacityReservationTarget")
    ids = as_list(at(target, "capacityReservationIds"))
    reservation_id = ids[0] if len(ids) == 1 else at(target, "capacityReservationId")
    if layer is None or reservation_id is None:
        return text(at(target, "capacityReservationResourceGroupArn")), None
    reservation = index.targets(
        layer, _RESERVATION, resource_types.RESERVATION, reservation_id
    ).only
    return text(reservation_id), reservation if _is_used(specification) else None


def _is_used(specification: Any) -> bool:
    """Return whether machines start in a reservation; an unknown preference counts as no."""
    preference = text(at(specification, _PREFERENCE))
    return preference != "none" and not isinstance(preference, Unknown)


def _starts_only_in_it(launch: LaunchSources) -> bool:
    """Return whether a machine starts only with a free place in the reservation that it names.

    A template or an instance names either a target or a preference. A scaling group states both,
    and starts on demand what finds no place, unless it says otherwise:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html
    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CapacityReservationSpecification.html
    """
    layer, specification = launch.stating_layer_and_value(_RESERVATION)
    preference = at(specification, _PREFERENCE)
    is_group = layer is not None and resource_types.canonical(layer.type) == resource_types.GROUP
    return preference == _RESERVATIONS_ONLY or (preference is None and not is_group)


def machine_of(launch: LaunchSources) -> str | Unknown | None:
    """Return the machine type that a template or instance names; None when it names none."""
    return text(launch.get("instanceType"))


def interfaces_of(launch: LaunchSources, index: Index) -> tuple[Any, ...] | Unknown:
    """Return the declared network interfaces; UNKNOWN when they can't be seen.

    An interface that exists already (networkInterfaceId) is what its own resource says.
    """
    return launch.memo(index, "interfaces", (), lambda: _interfaces_of(launch, index))


def _interfaces_of(launch: LaunchSources, index: Index) -> tuple[Any, ...] | Unknown:
    interfaces: list[Any] = []
    for prop in ("primaryNetworkInterface", "networkInterfaces"):
        layer, nics = launch.stating_layer_and_value(prop)
        if isinstance(nics, Unknown):
            return UNKNOWN
        known_nics = (
            ()
            if layer is None
            else standalone_interfaces.resolve_interfaces(layer, prop, as_list(nics), index)
        )
        if isinstance(known_nics, Unknown):
            return UNKNOWN
        interfaces += known_nics
    return tuple(interfaces)


def security_groups(launch: LaunchSources, index: Index, nic: Any = None) -> Targets | None:
    """Return the security groups of an interface, else of its machine; None for none."""
    layer, nics = launch.stating_layer_and_value("networkInterfaces")
    groups = at(nic, "securityGroups")
    if layer is not None and groups is not None:
        return index.targets(layer, "networkInterfaces", resource_types.SECURITY_GROUP, groups)
    if isinstance(nics, Unknown) and layer is not None:
        return index.targets(layer, "networkInterfaces", resource_types.SECURITY_GROUP, UNKNOWN)
    for key in ("vpcSecurityGroupIds", "securityGroups", "securityGroupNames"):
        targets = launch.targets(index, key, resource_types.SECURITY_GROUP)
        if targets is not None:
            return targets
    return Targets(complete=False) if launch.hidden else None
