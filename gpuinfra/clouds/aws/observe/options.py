"""The ways a group may start its machines: every type with its template, and how it is bought."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.ceilings import dearest, stated
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import (
    Market,
    machine_of,
    market_of,
    of_instance,
    of_template,
)
from gpuinfra.clouds.aws.observe.surging import with_warm_pool
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import amount, at, listed, text, whole
from gpuinfra.model import UNKNOWN, Capacity, Resource, Unknown
from gpuinfra.records import record

_SPECIFICATIONS: Final = "launchSpecifications"
_WEIGHT: Final = "weightedCapacity"


@record(kw_only=False)
class Option:
    """One way to start a machine: its type (None: not stated) from its template.

    `weight` says how many units of the group's size a machine is; None for one.
    """

    machine: str | Unknown | None
    launch: Layers
    reason: str = ""
    weight: Decimal | Unknown | None = None


@record(kw_only=False)
class GroupRequest:
    """What a group asks for, in the words of the model.

    `minimum`, `maximum` and `base` count units, which are machines where none has a weight.
    """

    options: tuple[Option, ...]
    market: Market
    minimum: int | Unknown
    maximum: int | Unknown
    base: int = 0
    spot_share: Decimal = field(default=Decimal(0))


def of_one(resource: Resource, index: Index) -> GroupRequest:
    """Return what a single instance asks for."""
    launch = of_instance(resource, index)
    return _plain((_option(None, launch),), market_of(launch, index), 1, 1)


def of_spot_request(resource: Resource, index: Index) -> GroupRequest:
    """Return what a request for one spot machine asks for, which says itself how it starts."""
    launch = of_instance(replace(resource, type=kinds.INSTANCE), index)
    market = Market("spot", amount(resource.inputs.get("spotPrice")))
    return _plain((_option(None, launch),), market, 1, 1)


def of_group(resource: Resource, index: Index) -> GroupRequest:
    """Return what an auto scaling group asks for, at its largest."""
    inputs = resource.inputs
    smallest, most = _number(inputs.get("minSize"), 0), _number(inputs.get("maxSize"), UNKNOWN)
    most = with_warm_pool(resource, most)
    mixed = inputs.get("mixedInstancesPolicy")
    if mixed is not None:
        return _mixed(resource, mixed, index, smallest, most)
    if inputs.get("launchTemplate") is None:
        why = "launch configurations are not supported; use a launch template"
        return GroupRequest((Option(None, Layers((), why), why),), Market(), smallest, most)
    launch = of_template(resource, "launchTemplate", inputs["launchTemplate"], index)
    market = market_of(_below(resource, launch), index)
    return _plain((_option(None, launch),), market, smallest, most)


def of_fleet(resource: Resource, index: Index) -> GroupRequest:
    """Return what an EC2 fleet asks for."""
    target = resource.inputs.get("targetCapacitySpecification")
    total = _number(at(target, "totalTargetCapacity"), UNKNOWN)
    if at(target, "targetCapacityUnitType") not in {None, "units"}:
        total = UNKNOWN
    options: list[Option] = []
    ceilings: list[Decimal | Unknown | None] = []
    markets: list[Market] = []
    for config in listed(resource.inputs.get("launchTemplateConfigs")):
        spec = at(config, "launchTemplateSpecification")
        launch = of_template(resource, "launchTemplateConfigs", spec, index)
        overrides = listed(at(config, "overrides"))
        options += [_option(override, launch) for override in overrides or (None,)]
        market = market_of(launch, index)
        markets.append(market)
        shared = market.max_price
        ceilings += [
            stated(amount(at(override, "maxPrice")), shared) for override in overrides or (None,)
        ]
    default = at(target, "defaultTargetCapacityType")
    base = _number(at(target, "onDemandTargetCapacity"), 0)
    on_spot = _number(at(target, "spotTargetCapacity"), 0)
    # The default type is that of the capacity beyond both targets, of which there may be none.
    none_beyond = isinstance(base, int) and 0 < base == total
    if on_spot != 0 or (default == "spot" and not none_beyond):
        market = Market("spot", dearest(ceilings))
        held = base if isinstance(base, int) else 0
        return GroupRequest(tuple(options), market, total, total, held, Decimal(1))
    if isinstance(text(default), Unknown):
        return GroupRequest(tuple(options), Market(), total, total)
    kind: Capacity = "capacity-block" if default == "capacity-block" else "on-demand"
    return GroupRequest(tuple(options), _of_fleet(kind, markets), total, total)


def of_spot_fleet(resource: Resource, index: Index) -> GroupRequest:
    """Return what a spot fleet request asks for, of templates or of specifications of its own."""
    inputs = resource.inputs
    total = _number(inputs.get("targetCapacity"), UNKNOWN)
    if inputs.get("targetCapacityUnitType") not in {None, "units"}:
        total = UNKNOWN
    shared = amount(inputs.get("spotPrice"))
    options: list[Option] = []
    parts: list[Any] = []
    for config in listed(inputs.get("launchTemplateConfigs")):
        spec = at(config, "launchTemplateSpecification")
        launch = of_template(resource, "launchTemplateConfigs", spec, index)
        overrides = listed(at(config, "overrides")) or (None,)
        options += [_option(override, launch) for override in overrides]
        parts += overrides
    for number, spec in enumerate(listed(inputs.get(_SPECIFICATIONS))):
        launch = _of_specification(resource, number, spec)
        options.append(replace(_option(None, launch), weight=amount(at(spec, _WEIGHT))))
        parts.append(spec)
    ceilings = [stated(amount(at(part, "spotPrice")), shared) for part in parts]
    held = _number(inputs.get("onDemandTargetCapacity"), 0)
    market = Market("spot", dearest(ceilings))
    return GroupRequest(
        tuple(options), market, total, total, held if isinstance(held, int) else 0, Decimal(1)
    )


def _of_specification(resource: Resource, number: int, spec: Any) -> Layers:
    """How machines start by a specification inside a spot fleet: written as an instance is."""
    if not isinstance(spec, Mapping):
        return Layers((), "its launch settings are not known yet")
    related = resource.relations.get(_SPECIFICATIONS, ())
    inputs: dict[str, Any] = dict(spec)
    if (profile := inputs.get("iamInstanceProfileArn")) is not None:
        inputs["iamInstanceProfile"] = profile
    inputs["tenancy"] = inputs.get("placementTenancy")
    roots = listed(inputs.get("rootBlockDevices"))
    inputs["rootBlockDevice"] = roots[0] if roots else None
    return Layers(
        (
            replace(
                resource,
                urn=f"{resource.urn}#{number}",
                type=kinds.INSTANCE,
                inputs=inputs,
                relations=dict.fromkeys(inputs, related),
            ),
        )
    )


_DEFAULT_TYPE: Final = "t3.medium"
_OF_DEFAULT_TYPE: Final = frozenset({None, "AL2_x86_64", "AL2023_x86_64_STANDARD"})
"""What a node group that names no machine type has, and with which images:
https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html"""


def of_node_group(resource: Resource, index: Index) -> GroupRequest:
    """Return what a managed node group of EKS asks for."""
    inputs = resource.inputs
    scaling = inputs.get("scalingConfig")
    spec = inputs.get("launchTemplate")
    launch = (
        Layers((), "") if spec is None else of_template(resource, "launchTemplate", spec, index)
    )
    types = listed(inputs.get("instanceTypes"))
    if not types and spec is None and inputs.get("amiType") in _OF_DEFAULT_TYPE:
        types = (_DEFAULT_TYPE,)
    options = tuple(Option(_machine(type_), launch) for type_ in types) or (_option(None, launch),)
    kind = inputs.get("capacityType")
    market = market_of(launch, index)
    if kind == "SPOT":
        market = Market("spot")
    elif isinstance(text(kind), Unknown):
        market = Market()  # what may be spot is not surely in a reservation
    elif kind == "CAPACITY_BLOCK":
        market = Market("capacity-block", reservation=market.reservation)
    return _plain(
        options,
        market,
        _number(at(scaling, "minSize"), 0),
        with_warm_pool(resource, _number(at(scaling, "maxSize"), UNKNOWN)),
    )


def _of_fleet(kind: Capacity, markets: list[Market]) -> Market:
    """How a fleet buys what is no spot; reserved where its templates name a reservation."""
    same = len({(market.capacity, market.kept_by, market.kept_only) for market in markets}) == 1
    if kind == "on-demand":
        held = markets[0] if same else Market()
        return held if held.capacity == "reserved" or held.kept_by else Market()
    return Market(kind, reservation=markets[0].reservation if markets else None)


def _mixed(
    resource: Resource, policy: Any, index: Index, smallest: int | Unknown, largest: int | Unknown
) -> GroupRequest:
    prop = "mixedInstancesPolicy"
    template = at(policy, "launchTemplate")
    base_launch = of_template(resource, prop, at(template, "launchTemplateSpecification"), index)
    options = tuple(_overrides(resource, prop, template, base_launch, index))
    shares = at(policy, "instancesDistribution")
    base = _number(at(shares, "onDemandBaseCapacity"), 0)
    # An unknown share counts as all on demand, which is the maximum price.
    above = _number(at(shares, "onDemandPercentageAboveBaseCapacity"), 100)
    spot = Decimal(0) if isinstance(above, Unknown) else (100 - Decimal(above)) / 100
    market = Market("spot", amount(at(shares, "spotMaxPrice")))
    if isinstance(above, Unknown):
        market = Market()  # what may be spot is not surely in a reservation
    elif spot == 0:
        launches = (_below(resource, option.launch) for option in options)
        market = _of_fleet("on-demand", [market_of(launch, index) for launch in launches])
    held = base if isinstance(base, int) else 0
    return GroupRequest(options, market, smallest, largest, held if spot > 0 else 0, spot)


def _below(group: Resource, launch: Layers) -> Layers:
    """A template with what its group states over it: the reservation that machines start from."""
    return Layers((group, *launch.layers), launch.hidden)


def _overrides(
    resource: Resource, prop: str, template: Any, base: Layers, index: Index
) -> Iterator[Option]:
    overrides = listed(at(template, "overrides"))
    if not overrides:
        yield _option(None, base)
    for override in overrides:
        spec = at(override, "launchTemplateSpecification")
        launch = base if spec is None else of_template(resource, prop, spec, index)
        yield _option(override, launch)


def _plain(
    options: tuple[Option, ...], market: Market, smallest: int | Unknown, largest: int | Unknown
) -> GroupRequest:
    share = Decimal(1 if market.capacity == "spot" else 0)
    return GroupRequest(options, market, smallest, largest, 0, share)


def _option(override: Any, launch: Layers) -> Option:
    if at(override, "instanceRequirements") is not None:
        return Option(None, launch, "its machines are chosen by attributes, not by type")
    machine = _machine(at(override, "instanceType")) or machine_of(launch)
    if machine is None and launch.get("instanceRequirements") is not None:
        return Option(None, launch, "its machines are chosen by attributes, not by type")
    return Option(machine, launch, weight=amount(at(override, _WEIGHT)))


def _machine(value: Any) -> str | Unknown | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else UNKNOWN


def _number(value: Any, default: int | Unknown) -> int | Unknown:
    number = whole(value)
    return default if number is None else number
