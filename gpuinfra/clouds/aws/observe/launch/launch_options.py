"""The launch options of a group: every machine type with its template, and how it is bought."""

from collections.abc import Iterator
from dataclasses import field, replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.extra_machines import with_warm_pool
from gpuinfra.clouds.aws.observe.launch.launch_settings import (
    ObservedPurchase,
    dearest_price,
    instance_launch,
    machine_of,
    market_of,
    price_of_machine,
    template_launch,
    template_launches,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import amount, as_list, at, text, whole_or
from gpuinfra.model import UNKNOWN, Capacity, Resource, Unknown
from gpuinfra.records import record

WEIGHT: Final = "weightedCapacity"
_REQUIREMENTS: Final = "instanceRequirements"


@record(kw_only=False)
class LaunchOption:
    """A launch option: a machine type (None: not stated) and its template.

    `weight` says how many units of the group's size a machine is; None for one. `max_price` is the
    most a machine may cost as spot, where that is of this way alone.
    """

    machine: str | Unknown | None
    launch: LaunchSources
    reason: str = ""
    weight: Decimal | Unknown | None = None
    max_price: Decimal | Unknown | None = None


@record(kw_only=False)
class GroupRequest:
    """The request of a group, in the model's terms.

    `minimum`, `maximum` and `base` count units, which are machines where none has a weight.
    """

    options: tuple[LaunchOption, ...]
    market: ObservedPurchase
    minimum: int | Unknown
    maximum: int | Unknown
    base: int = 0
    spot_share: Decimal = field(default=Decimal(0))

    @property
    def launches(self) -> tuple[LaunchSources, ...]:
        """The launch settings of the options, in their order."""
        return tuple(option.launch for option in self.options)


def single_machine_request(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of a single instance."""
    launch = instance_launch(resource, index)
    return _single_market_request((option_of(None, launch),), market_of(launch, index), 1, 1)


def spot_instance_request(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of one spot machine, whose launch settings are its own inputs."""
    launch = instance_launch(replace(resource, type=resource_types.INSTANCE), index)
    market = ObservedPurchase("spot", amount(resource.inputs.get("spotPrice")))
    return _single_market_request((option_of(None, launch),), market, 1, 1)


def scaling_group_request(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of an auto scaling group, at its largest."""
    inputs = resource.inputs
    smallest, most = whole_or(inputs.get("minSize"), 0), whole_or(inputs.get("maxSize"), UNKNOWN)
    most = with_warm_pool(resource, most)
    mixed = inputs.get("mixedInstancesPolicy")
    if mixed is not None:
        return _mixed_group_request(resource, mixed, index, smallest, most)
    if inputs.get("launchTemplate") is None:
        not_counted = "launch configurations are not supported; use a launch template"
        return GroupRequest(
            (LaunchOption(None, LaunchSources((), not_counted), not_counted),),
            ObservedPurchase(),
            smallest,
            most,
        )
    launch = template_launch(resource, "launchTemplate", inputs["launchTemplate"], index)
    market = market_of(_with_group_settings(resource, launch), index)
    return _single_market_request((option_of(None, launch),), market, smallest, most)


_DEFAULT_NODE_TYPE: Final = "t3.medium"
_IMAGES_OF_DEFAULT_TYPE: Final = (None, "AL2_x86_64", "AL2023_x86_64_STANDARD", "CUSTOM")
"""The machine type where neither a node group nor its template names one, and with which images:
https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html"""


def node_group_request(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of a managed node group of EKS."""
    inputs = resource.inputs
    scaling = inputs.get("scalingConfig")
    spec = inputs.get("launchTemplate")
    launch = (
        LaunchSources((), "")
        if spec is None
        else template_launch(resource, "launchTemplate", spec, index)
    )
    options = tuple(_node_options(resource, launch))
    kind = inputs.get("capacityType")
    market = market_of(launch, index)
    if kind == "SPOT":
        market = ObservedPurchase("spot")
    elif isinstance(text(kind), Unknown):
        market = ObservedPurchase()  # what may be spot is not surely in a reservation
    elif kind == "CAPACITY_BLOCK":
        market = ObservedPurchase("capacity-block", reservation=market.reservation)
    return _single_market_request(
        options,
        market,
        whole_or(at(scaling, "minSize"), 0),
        with_warm_pool(resource, whole_or(at(scaling, "maxSize"), UNKNOWN)),
    )


def _node_options(group: Resource, launch: LaunchSources) -> Iterator[LaunchOption]:
    """Yield the options of a node group: its own types, else its template's, else the default.

    EKS refuses types in both: https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
    """
    types = as_list(group.inputs.get("instanceTypes"))
    has_types = types or launch.get("instanceType") is not None
    if launch.get(_REQUIREMENTS) is not None and not launch.hidden:
        yield option_of({_REQUIREMENTS: {}}, launch)
    elif has_types or group.inputs.get("amiType") not in _IMAGES_OF_DEFAULT_TYPE:
        yield from (LaunchOption(text(type_), launch) for type_ in types)
        if not types:
            yield option_of(None, launch)
    else:
        yield LaunchOption(_DEFAULT_NODE_TYPE, launch)


def bought_alike(kind: Capacity, markets: list[ObservedPurchase]) -> ObservedPurchase:
    """Return a fleet's purchase option for non-spot machines: reserved if its templates say so."""
    are_bought_alike = (
        len({(market.capacity, market.kept_by, market.kept_only) for market in markets}) == 1
    )
    if kind == "on-demand":
        purchase = markets[0] if are_bought_alike else ObservedPurchase()
        return (
            purchase if purchase.capacity == "reserved" or purchase.kept_by else ObservedPurchase()
        )
    return ObservedPurchase(kind, reservation=markets[0].reservation if markets else None)


def _mixed_group_request(
    resource: Resource, policy: Any, index: Index, smallest: int | Unknown, largest: int | Unknown
) -> GroupRequest:
    options = tuple(_overrides(resource, at(policy, "launchTemplate"), index))
    distribution = at(policy, "instancesDistribution")
    base = whole_or(at(distribution, "onDemandBaseCapacity"), 0)
    on_demand_percent = whole_or(at(distribution, "onDemandPercentageAboveBaseCapacity"), 100)
    if isinstance(on_demand_percent, Unknown) or isinstance(base, Unknown):
        # An unknown share counts as all on demand, which is the maximum price; and what may be
        # spot is not surely in a reservation.
        return GroupRequest(options, ObservedPurchase(), smallest, largest)
    spot = (100 - Decimal(on_demand_percent)) / 100
    if spot == 0:
        launches = (_with_group_settings(resource, option.launch) for option in options)
        market = bought_alike("on-demand", [market_of(launch, index) for launch in launches])
        return GroupRequest(options, market, smallest, largest)
    price = amount(at(distribution, "spotMaxPrice"))
    options = tuple(
        replace(option, max_price=price_of_machine(price, option.weight)) for option in options
    )
    market = ObservedPurchase("spot", dearest_price([option.max_price for option in options]))
    return GroupRequest(options, market, smallest, largest, base, spot)


def _with_group_settings(group: Resource, launch: LaunchSources) -> LaunchSources:
    """Return a template with its group's settings over it, which name the reservation."""
    return LaunchSources((group, *launch.layers), launch.hidden)


def _overrides(resource: Resource, template: Any, index: Index) -> Iterator[LaunchOption]:
    """Yield the options of a mixed group; an override may name its own template."""
    common = at(template, "launchTemplateSpecification")
    for override in as_list(at(template, "overrides")) or (None,):
        spec = at(override, "launchTemplateSpecification")
        spec = common if spec is None else spec
        for launch in template_launches(resource, "mixedInstancesPolicy", spec, index):
            yield option_of(override, launch)


def _single_market_request(
    options: tuple[LaunchOption, ...],
    market: ObservedPurchase,
    smallest: int | Unknown,
    largest: int | Unknown,
) -> GroupRequest:
    share = Decimal(1 if market.capacity == "spot" else 0)
    return GroupRequest(options, market, smallest, largest, 0, share)


def option_of(override: Any, launch: LaunchSources) -> LaunchOption:
    """Return the launch option of a template with an override of the group."""
    if at(override, _REQUIREMENTS) is not None:
        return LaunchOption(None, launch, "its machines are chosen by attributes, not by type")
    machine = text(at(override, "instanceType")) or machine_of(launch)
    if machine is None and launch.get(_REQUIREMENTS) is not None:
        return LaunchOption(None, launch, "its machines are chosen by attributes, not by type")
    return LaunchOption(machine, launch, weight=amount(at(override, WEIGHT)))
