"""The placement group and the reservation of a training workload's machines."""

from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.existing_network import SUBNET
from gpuinfra.clouds.aws.fabric import PLACEMENT
from gpuinfra.clouds.declaring.network import NetworkPlace
from gpuinfra.graph import Lookup, Options, Resource
from gpuinfra.model import CLOUD_PLACED, Group
from gpuinfra.records import record

PLATFORM: Final = "Linux/UNIX"


@record
class Capacity:
    """The placement of machines, as values of the graph.

    Attributes:
        placement_group: its name; None where they are anywhere in their zone.
        reservation: the id of the one whose machines they are.
    """

    placement_group: Any = None
    reservation: Any = None


def make_capacity(
    children: Children, group: Group, nodes: int, network_place: NetworkPlace, zone: str | None
) -> Capacity:
    """Declare the rung's placement group and reservation; `zone` is None if none was planned.

    AWS has placed the machines of a capacity block and of a reservation of the caller's already. A
    placement group of ours is a different placement: launches into it find no capacity, or lose
    machines of the block.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
    """
    rung = group.rung
    if rung.capacity in CLOUD_PLACED:
        return Capacity(placement_group=rung.placement_group, reservation=rung.reservation)
    placement = None
    if group.fabric is not None:
        placement = children.make(
            "aws:ec2/placementGroup:PlacementGroup", "placement_group", strategy=PLACEMENT
        )
    reserved = None
    if rung.reserve:
        capacity_zone = zone or _zone(children, network_place)
        reserved = _reserve(children, group, nodes, capacity_zone, placement)
    return Capacity(
        placement_group=None if placement is None else placement["name"],
        reservation=None if reserved is None else reserved["id"],
    )


def _zone(children: Children, network_place: NetworkPlace) -> Lookup:
    """Return the look-up of the zone of a subnet of the caller's."""
    arguments = {"id": network_place.first_subnet, "region": children.spec.region}
    return Lookup(SUBNET, arguments, "availabilityZone")


def _reserve(
    children: Children, group: Group, nodes: int, zone: Any, placement: Resource | None
) -> Resource:
    """Declare a reservation for this workload alone, billed until the reservation is deleted.

    It is made in the placement group: one beside it holds no machines of the group. The old one
    goes first, as both at once would be paid, and rarely had.
    """
    return children.make(
        "aws:ec2/capacityReservation:CapacityReservation",
        "reservation",
        Options(delete_before_replace=True),
        availabilityZone=zone,
        instanceType=group.rung.machine,
        instancePlatform=PLATFORM,
        instanceCount=nodes,
        instanceMatchCriteria="targeted",
        endDateType="unlimited",
        placementGroupArn=None if placement is None else placement["arn"],
    )
