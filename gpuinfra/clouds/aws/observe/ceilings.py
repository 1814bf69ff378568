"""The most that requests for spot machines may pay."""

from decimal import Decimal

from gpuinfra.model import UNKNOWN, Unknown


def stated(
    own: Decimal | Unknown | None, shared: Decimal | Unknown | None
) -> Decimal | Unknown | None:
    """Return the maximum of one part of a request: its own, or else that of all."""
    return shared if own is None else own


def of_machine(
    per_unit: Decimal | Unknown | None, weight: Decimal | Unknown | None
) -> Decimal | Unknown | None:
    """Return the maximum of a machine that is worth some units of capacity: it is of a unit.

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


def dearest(prices: list[Decimal | Unknown | None]) -> Decimal | Unknown | None:
    """Return the maximum of all parts.

    One request without a maximum may pay the on-demand price, so no maximum holds for all.
    """
    if any(isinstance(price, Unknown) for price in prices):
        return UNKNOWN
    known = [price for price in prices if isinstance(price, Decimal)]
    return max(known) if known and len(known) == len(prices) else None
