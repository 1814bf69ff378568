"""The number of spot machines of a group, and its purchase modes."""

from decimal import Decimal

from gpuinfra.model import Group, Unknown

ONE = Decimal(1)


def spot_machine_count(group: Group, machines: int) -> Decimal:
    """Return how many of a group's machines are spot machines, on its current rung.

    A rung without an on-demand base and without a share is all on spot.
    """
    rung = group.rung
    if rung.capacity != "spot":
        return Decimal(0)
    share = rung.spot_share_above_base or ONE
    return max(0, machines - rung.on_demand_base) * share


def uses_spot(group: Group) -> bool:
    """Return whether any machine of a group may be a spot machine."""
    return group.rung.capacity == "spot"


def required_purchase_modes(group: Group) -> tuple[tuple[str, ...], ...] | Unknown:
    """Return the required purchase modes: one mode of each tuple, and all tuples.

    A pool with an on-demand part needs both ways; kept capacity is sold as machines on demand are.
    """
    usage_classes = group.market.usage_classes
    if usage_classes is not None:
        return usage_classes if isinstance(usage_classes, Unknown) else (usage_classes,)
    rung = group.rung
    if rung.capacity == "reserved":
        return (("on-demand",),)
    share = rung.spot_share_above_base
    mixed = uses_spot(group) and (rung.on_demand_base > 0 or 0 < share < ONE)
    return ((rung.capacity,), ("on-demand",)) if mixed else ((rung.capacity,),)
