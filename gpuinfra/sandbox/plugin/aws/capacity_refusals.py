"""AWS's checks of reserved capacity: mismatches, and wrong use of capacity blocks."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.sandbox.plugin.aws import machines
from gpuinfra.sandbox.plugin.aws.machines import BLOCK, GROUP, INSTANCE, RESERVATION, MachineStart
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.refusing import RefusalRule, Refusals

_BLOCKS = "capacity-block"
_CLUSTER = "cluster"


def _group_of_reservation(context: OperationContext) -> Refusals:
    arn = context.call.inputs.get("placementGroupArn")
    if not arn:
        return
    name = str(arn).rpartition("/")[2]
    group = context.properties(machines.PLACEMENT, "name", name)
    if group is None:
        yield CloudRefusalError(
            "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown."
        )
    elif group.get("strategy") != _CLUSTER:
        yield CloudRefusalError(
            "InvalidParameterValue",
            f"a capacity reservation takes a placement group of strategy cluster, and '{name}' "
            f"is of strategy {group.get('strategy')}",
        )


def _matching(context: OperationContext) -> Refusals:
    """Yield errors for type, zone, tenancy or count that differ from the targeted reservation."""
    for start, reservation in _starts_in_reservations(context):
        required = (
            context.call.inputs.get("desiredCapacity") or context.call.inputs.get("minSize") or 1
        )
        differs = {
            "instance type": (start.machine, reservation.get("instanceType")),
            "tenancy": (
                (start.template.get("placement") or {}).get("tenancy") or "default",
                reservation.get("tenancy"),
            ),
        }
        for noun, (machine_value, reservation_value) in differs.items():
            if reservation_value and machine_value != reservation_value:
                yield _mismatch(noun, machine_value, str(reservation_value))
        zone = reservation.get("availabilityZone")
        if zone and start.zones and set(start.zones) != {zone}:
            yield _mismatch("Availability Zone", ", ".join(start.zones), str(zone))
        count = reservation.get("instanceCount")
        if isinstance(count, int) and required > count:
            yield CloudRefusalError(
                "ReservationCapacityExceeded",
                f"Your requested instance count of {required} is above the {count} of the "
                "capacity reservation.",
            )


def _same_group(context: OperationContext) -> Refusals:
    """Yield an error if a reservation in a cluster placement group is used outside of it."""
    for start, reservation in _starts_in_reservations(context):
        reservation_group = str(reservation.get("placementGroupArn") or "").rpartition("/")[2]
        placement = _placement(context, start.template)
        if reservation_group and placement != reservation_group:
            used = f"'{placement}'" if placement else "none"
            yield CloudRefusalError(
                "InvalidParameterCombination",
                "the capacity reservation was made in the placement group "
                f"'{reservation_group}', and the launch names {used}",
            )


def _block(context: OperationContext) -> Refusals:
    """Yield errors if a block and the market type capacity-block aren't used together."""
    for start in machines.starts(context):
        reservation = _reservation(context, start.template)
        is_block = reservation is not None and reservation.get("reservationType") == _BLOCKS
        if start.capacity == _BLOCKS and _target(start.template) is None:
            yield CloudRefusalError(
                "InvalidParameterCombination",
                "the market type capacity-block needs the id of a Capacity Block in "
                "capacityReservationSpecification.capacityReservationTarget",
            )
        if (start.capacity == _BLOCKS) != is_block and reservation is not None:
            yield CloudRefusalError(
                "InvalidParameterValue",
                "The market type (purchasing) option is not valid: a Capacity Block needs the "
                "market type capacity-block, and any other reservation must not have it",
            )


def _starts_in_reservations(
    context: OperationContext,
) -> Iterator[tuple[MachineStart, Mapping[str, Any]]]:
    for start in machines.starts(context):
        reservation = _reservation(context, start.template)
        if reservation is not None:
            yield start, reservation


def _target(template: Mapping[str, Any]) -> str | None:
    specification = template.get("capacityReservationSpecification") or {}
    target = specification.get("capacityReservationTarget") or {}
    return target.get("capacityReservationId") or target.get("capacityReservationResourceGroupArn")


def _reservation(
    context: OperationContext, template: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the reservation that a template targets by id, with a block's type; else None."""
    target = _target(template)
    if target is None:
        return None
    reservation = context.properties(RESERVATION, "id", target)
    if reservation is not None:
        return reservation
    block = context.properties(BLOCK, "id", target)
    return None if block is None else {"reservationType": _BLOCKS, **block}


def _placement(context: OperationContext, template: Mapping[str, Any]) -> str:
    name = (
        context.call.inputs.get("placementGroup")
        or template.get("placementGroup")
        or (template.get("placement") or {}).get("groupName")
    )
    return str(name or "")


def _mismatch(noun: str, own: str, reserved: str) -> CloudRefusalError:
    return CloudRefusalError(
        "InvalidParameterValue",
        f"the {noun} {own} does not match that of the capacity reservation, {reserved}",
    )


_LAUNCH = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html"
_GROUP_RESERVATION_PAGE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html"
_CAPACITY_BLOCK_PAGE = (
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html"
)
_STARTERS = (INSTANCE, GROUP)

RULES: tuple[RefusalRule, ...] = (
    RefusalRule((RESERVATION,), _group_of_reservation, _GROUP_RESERVATION_PAGE),
    RefusalRule(_STARTERS, _matching, _LAUNCH),
    RefusalRule(_STARTERS, _same_group, _GROUP_RESERVATION_PAGE),
    RefusalRule(_STARTERS, _block, _CAPACITY_BLOCK_PAGE),
)
