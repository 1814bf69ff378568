"""What spot rules share: how many machines of a group are bought on spot."""

from decimal import Decimal

from gpuinfra.model import Group

ALL = Decimal(1)


def on_spot(group: Group, machines: int) -> Decimal:
    """Return how many of a group's machines are on spot, on the standing rung.

    A rung without an on-demand base and without a share is bought whole.
    """
    rung = group.rung
    if rung.capacity != "spot":
        return Decimal(0)
    share = rung.spot_share_above_base or ALL
    return max(0, machines - rung.on_demand_base) * share


def uses_spot(group: Group) -> bool:
    """Whether any machine of a group may be bought on spot."""
    return group.rung.capacity == "spot"
