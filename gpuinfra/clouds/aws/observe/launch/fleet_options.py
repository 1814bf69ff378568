"""The machine options of EC2 fleets and spot fleets."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.launch_options import (
    WEIGHT,
    GroupRequest,
    LaunchOption,
    bought_alike,
    option_of,
)
from gpuinfra.clouds.aws.observe.launch.launch_settings import (
    ObservedPurchase,
    as_instance,
    dearest_price,
    market_of,
    own_price,
    price_of_machine,
    template_launches,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import amount, as_list, at, text, whole_or
from gpuinfra.model import UNKNOWN, Capacity, Resource, Unknown
from gpuinfra.records import record

_CONFIGS: Final = "launchTemplateConfigs"
_SPECIFICATIONS: Final = "launchSpecifications"
_SPOT: Final = "spot"
_UNITS: Final = (None, "units")


@record(kw_only=False)
class _Targets:
    """The units of a fleet, in total and by purchase; None for an unstated default type."""

    total: int | Unknown
    on_demand: int | Unknown
    on_spot: int | Unknown
    default: str | Unknown | None

    @property
    def most(self) -> int | Unknown:
        """The most units, by the total or by both purchases together."""
        known_units = [each for each in (self.on_demand, self.on_spot) if isinstance(each, int)]
        return self.total if isinstance(self.total, Unknown) else max(self.total, sum(known_units))

    @property
    def is_spot(self) -> bool:
        """Whether some units are, or may be, spot."""
        if self.default != _SPOT:
            return self.on_spot != 0
        # The default type is that of the capacity beyond both targets, of which there may be none.
        is_all_on_demand = isinstance(self.on_demand, int) and 0 < self.on_demand == self.total
        return self.on_spot != 0 or not is_all_on_demand

    @property
    def base(self) -> int:
        """The most units that may be on-demand: all where that is not known yet.

        What exceeds both targets is bought as the default type:
        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TargetCapacitySpecificationRequest.html
        """
        if isinstance(self.total, Unknown):
            return 0  # no price is known of what has no size
        if self.default == _SPOT:
            return self.on_demand if isinstance(self.on_demand, int) else self.total
        on_spot = self.on_spot if isinstance(self.on_spot, int) else 0
        return max(self.total - on_spot, 0)


def fleet_request(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of an EC2 fleet."""
    target = resource.inputs.get("targetCapacitySpecification")
    counts_units = at(target, "targetCapacityUnitType") in _UNITS
    targets = _Targets(
        whole_or(at(target, "totalTargetCapacity"), UNKNOWN) if counts_units else UNKNOWN,
        whole_or(at(target, "onDemandTargetCapacity"), 0),
        whole_or(at(target, "spotTargetCapacity"), 0),
        text(at(target, "defaultTargetCapacityType")),
    )
    options = tuple(
        replace(option, max_price=own_price(price, market_of(option.launch, index).max_price))
        for option, price in _template_launch_parts(resource, index, "maxPrice")
    )
    total = targets.most
    if targets.is_spot:
        market = ObservedPurchase(_SPOT, dearest_price([option.max_price for option in options]))
        return GroupRequest(options, market, total, total, targets.base, Decimal(1))
    if isinstance(targets.default, Unknown):
        return GroupRequest(options, ObservedPurchase(), total, total)
    kind: Capacity = "capacity-block" if targets.default == "capacity-block" else "on-demand"
    markets = [market_of(option.launch, index) for option in options]
    return GroupRequest(options, bought_alike(kind, markets), total, total)


def spot_fleet_request(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of a spot fleet, from templates or from its own specifications."""
    inputs = resource.inputs
    counts_units = inputs.get("targetCapacityUnitType") in _UNITS
    targets = _Targets(
        whole_or(inputs.get("targetCapacity"), UNKNOWN) if counts_units else UNKNOWN,
        whole_or(inputs.get("onDemandTargetCapacity"), 0),
        0,
        _SPOT,
    )
    shared = amount(inputs.get("spotPrice"))
    parts = [
        *_template_launch_parts(resource, index, "spotPrice"),
        *_specification_options(resource),
    ]
    options = tuple(
        replace(option, max_price=own_price(price, price_of_machine(shared, option.weight)))
        for option, price in parts
    )
    market = ObservedPurchase(_SPOT, dearest_price([option.max_price for option in options]))
    return GroupRequest(options, market, targets.most, targets.most, targets.base, Decimal(1))


LaunchPart = tuple[LaunchOption, Decimal | Unknown | None]
"""A launch option, and its maximum spot price."""


def _template_launch_parts(resource: Resource, index: Index, price: str) -> Iterator[LaunchPart]:
    """Yield the options of a fleet's templates, whose overrides may have their own prices."""
    for config in as_list(resource.inputs.get(_CONFIGS)):
        spec = at(config, "launchTemplateSpecification")
        for launch in template_launches(resource, _CONFIGS, spec, index):
            for override in as_list(at(config, "overrides")) or (None,):
                option = option_of(override, launch)
                yield option, price_of_machine(amount(at(override, price)), option.weight)


def _specification_options(resource: Resource) -> Iterator[LaunchPart]:
    """Yield the options of the specifications inside a spot fleet."""
    for spec_index, spec in enumerate(as_list(resource.inputs.get(_SPECIFICATIONS))):
        option = option_of(None, _specification_option(resource, spec_index, spec))
        option = replace(option, weight=amount(at(spec, WEIGHT)))
        yield option, price_of_machine(amount(at(spec, "spotPrice")), option.weight)


def _specification_option(resource: Resource, spec_index: int, spec: Any) -> LaunchSources:
    """Return the launch settings of a specification inside a spot fleet, as for an instance."""
    if not isinstance(spec, Mapping):
        return LaunchSources((), "its launch settings are not known yet")
    inputs: dict[str, Any] = dict(spec)
    if (profile := inputs.get("iamInstanceProfileArn")) is not None:
        inputs["iamInstanceProfile"] = profile
    inputs["tenancy"] = inputs.get("placementTenancy")
    roots = as_list(inputs.get("rootBlockDevices"))
    inputs["rootBlockDevice"] = roots[0] if roots else None
    return LaunchSources((as_instance(resource, _SPECIFICATIONS, inputs, f"{spec_index}"),))
