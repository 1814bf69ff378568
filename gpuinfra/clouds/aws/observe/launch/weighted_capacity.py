"""The machines of a group whose size is in units, with a weight per machine type.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-instance-weighting.html
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest, LaunchOption
from gpuinfra.clouds.aws.observe.launch.launch_settings import ObservedPurchase, dearest_price
from gpuinfra.model import UNKNOWN, Unknown

_ONE: Final = Decimal(1)


def count_in_machines(request: GroupRequest) -> GroupRequest:
    """Return a group's request in machines, counted by the lightest type."""
    known_weights = _weights(request)
    if known_weights is None:
        return replace(request, minimum=UNKNOWN, maximum=UNKNOWN)
    return _request_in_machines(request, request.options, min(known_weights, default=_ONE))


def split_by_weight(request: GroupRequest) -> tuple[GroupRequest, ...]:
    """Return a group's request in machines, as parts whose sum is the maximum cost.

    Machines start until the units are reached: of each weight there are at most as many as the
    units need by themselves, the last rounded up. Together they are never too few; they stand
    apart where that is less than if the heaviest came as often as the lightest may.
    """
    if all(option.weight is None and option.max_price is None for option in request.options):
        return (request,)  # its units are machines, as those of most groups are
    known_weights = _weights(request)
    if not known_weights or len(known_weights) >= max(known_weights) / min(known_weights):
        return (count_in_machines(request),)
    return tuple(
        _request_in_machines(
            request, [option for option in request.options if _weight(option) == weight], weight
        )
        for weight in sorted(known_weights, reverse=True)
    )


def minimum_machines(request: GroupRequest) -> int:
    """Return how many machines a group has at least."""
    known_weights = _weights(request)
    if known_weights is None or isinstance(request.minimum, Unknown):
        return 0
    return _machine_count(Decimal(request.minimum), max(known_weights, default=_ONE))


def maximum_machines(request: GroupRequest) -> int:
    """Return how many machines of the heaviest type a group has at its maximum."""
    known_weights = _weights(request)
    if known_weights is None or isinstance(request.maximum, Unknown):
        return minimum_machines(request)
    return _machine_count(Decimal(request.maximum), max(known_weights, default=_ONE))


def _weights(request: GroupRequest) -> set[Decimal] | None:
    """Return the weights of a group; None where one is unknown or not valid on AWS."""
    weights = {_weight(option) for option in request.options}
    known_weights = {weight for weight in weights if isinstance(weight, Decimal) and weight >= 1}
    return known_weights if len(known_weights) == len(weights) else None


def _weight(option: LaunchOption) -> Decimal | Unknown:
    return _ONE if option.weight is None else option.weight


def _request_in_machines(
    request: GroupRequest, options: Sequence[LaunchOption], weight: Decimal
) -> GroupRequest:
    return replace(
        request,
        options=tuple(options),
        market=_market(request, options),
        minimum=_machines(request.minimum, weight),
        maximum=_machines(request.maximum, weight),
        base=_machine_count(Decimal(request.base), weight),
    )


def _market(request: GroupRequest, options: Sequence[LaunchOption]) -> ObservedPurchase:
    """Return how some of a group's machines are bought, at their own maximum price if any."""
    prices = [option.max_price for option in options]
    if all(price is None for price in prices):
        return request.market
    return replace(request.market, max_price=dearest_price(prices))


def _machines(units: int | Unknown, weight: Decimal) -> int | Unknown:
    return UNKNOWN if isinstance(units, Unknown) else _machine_count(Decimal(units), weight)


def _machine_count(units: Decimal, weight: Decimal) -> int:
    return int((units / weight).to_integral_value(ROUND_CEILING))
