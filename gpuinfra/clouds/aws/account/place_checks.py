"""Checks that zones offer the machine types and that reservations match the stack file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account.account_machines import running
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed

OFFER_CHECK: Final = "offered"
RESERVATION: Final = "reservation"
PLATFORM: Final = "Linux/UNIX"
NO_RESERVATION: Final = frozenset(
    {"InvalidCapacityReservationId.NotFound", "InvalidCapacityReservationId.Malformed"}
)


def zone_offer_checks(
    client: AccountClient, need: WorkloadNeed, zones: tuple[str, ...]
) -> Iterator[AccountCheck]:
    """Check that each zone offers one of the machine types that the workload may run.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypeOfferings.html
    """
    region, types = need.rung.region, " or ".join(need.types)
    item = f"{types} in {', '.join(zones) or region}: {need.workload_and_rung}"
    offerings = client.all_rows(
        "ec2",
        region,
        "describe_instance_type_offerings",
        "InstanceTypeOfferings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": list(need.types)}],
    )
    allowed = f"offered in {', '.join(zones) or 'one zone'}"
    if isinstance(offerings, NoAnswer):
        yield unknown(OFFER_CHECK, item, offerings.why, offerings.fix, allowed)
        return
    offering_zones = sorted({offering["Location"] for offering in offerings})
    missing = [zone for zone in zones if zone not in offering_zones]
    if offering_zones:
        fix = (
            f"set zones: [{', '.join(offering_zones)}] under where, or choose another machine type"
        )
    else:
        fix = (
            f"allow another region under where: {region} doesn't offer it; `gpuinfra choose` "
            "ranks others"
        )
    yield answered_check(
        OFFER_CHECK,
        item,
        fine=bool(offering_zones) and not missing,
        value=f"offered in {', '.join(offering_zones) or 'no zone'}",
        allowed=allowed,
        fix=fix,
    )


def reservation(
    client: AccountClient, need: WorkloadNeed, zones: tuple[str, ...], stack: str
) -> Iterator[AccountCheck]:
    """Check the reservation that a rung names; yield nothing where it names none.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityReservations.html

    Args:
        client: the client.
        need: the workload on the rung.
        zones: the zones of its machines; empty where they are not known.
        stack: its machines count as free.
    """
    id_ = need.rung.reservation
    if id_ is None:
        return
    item = f"{id_}: {need.workload_and_rung}"
    answer = client.ask(
        "ec2",
        need.rung.region,
        "describe_capacity_reservations",
        CapacityReservationIds=[id_],
    )
    if isinstance(answer, NoAnswer) and answer.code not in NO_RESERVATION:
        yield unknown(RESERVATION, item, answer.why, answer.fix)
        return
    reservations = () if isinstance(answer, NoAnswer) else answer["CapacityReservations"]
    if not reservations:
        yield answered_check(
            RESERVATION,
            item,
            fine=False,
            value=f"no such reservation in {need.rung.region}",
            allowed="a reservation of this account, or shared with it, in this region",
            fix="use the id of one: aws ec2 describe-capacity-reservations --region "
            f"{need.rung.region}",
        )
        return
    yield from _facts(need, item, reservations[0])
    yield _zone(need, item, reservations[0], zones)
    yield from _end(need, item, reservations[0])
    yield _reservation_room_check(client, need, item, reservations[0], stack)


def _facts(need: WorkloadNeed, label: str, details: dict[str, Any]) -> Iterator[AccountCheck]:
    rung = need.rung
    kind = "capacity-block" if rung.capacity == "capacity-block" else "default"
    start = _day(details.get("StartDate"))
    starts = f", from {start}" if start and details["State"] in {"scheduled", "pending"} else ""
    facts = (
        (
            "state",
            f"{details['State']}{starts}",
            "active",
            "wait until the reservation is active, or use another one",
        ),
        (
            "machine",
            details["InstanceType"],
            rung.machine,
            "set instance to its machine type, or use another reservation",
        ),
        ("platform", details["InstancePlatform"], PLATFORM, "use a reservation for Linux/UNIX"),
        (
            "tenancy",
            details.get("Tenancy", "default"),
            "default",
            "use a reservation with default tenancy",
        ),
        (
            "kind",
            details.get("ReservationType", "default"),
            kind,
            ("set capacity: capacity-block for a capacity block, reserved for a reservation"),
        ),
    )
    for name, value, allowed, fix in facts:
        is_fine = value == allowed
        yield answered_check(
            RESERVATION, f"{name} of {label}", fine=is_fine, value=value, allowed=allowed, fix=fix
        )


def _zone(
    need: WorkloadNeed, label: str, details: dict[str, Any], zones: tuple[str, ...]
) -> AccountCheck:
    label, zone = f"zone of {label}", details["AvailabilityZone"]
    if not zones:
        return unknown(RESERVATION, label, f"{zone}; the zone of the machines is unknown", "")
    return answered_check(
        RESERVATION,
        label,
        fine=zone in zones,
        value=zone,
        allowed=", ".join(zones),
        fix=f"set zones: [{zone}] under where of {need.workload}, or name a subnet there",
    )


def _end(need: WorkloadNeed, label: str, details: dict[str, Any]) -> Iterator[AccountCheck]:
    """Check the end of a reservation; that of a capacity block must equal the stack file's."""
    end = details.get("EndDate")
    end_text = need.rung.ends
    if end_text is None:
        if end is not None:
            is_fine = end > datetime.now(UTC)
            yield answered_check(
                RESERVATION, f"end of {label}", fine=is_fine, value=_day(end), allowed="later"
            )
        return
    is_same = end is not None and end == datetime.fromisoformat(end_text)
    yield answered_check(
        RESERVATION,
        f"end of {label}",
        fine=is_same,
        value=_day(end) or "no end",
        allowed=end_text,
        fix=f"set ends: {_day(end)}" if end else "use a capacity block",
    )


def _reservation_room_check(
    client: AccountClient, need: WorkloadNeed, label: str, details: dict[str, Any], stack: str
) -> AccountCheck:
    """Check that a reservation has capacity for the machines, including those already running."""
    label = f"free machines of {label}"
    free, needed_machines = details["AvailableInstanceCount"], need.count
    if needed_machines is None:
        return unknown(
            RESERVATION, label, f"{free} are free; the number of machines is unknown", ""
        )
    own_use = 0
    if free < needed_machines:
        machines = running(client, need.rung.region)
        if isinstance(machines, NoAnswer):
            return unknown(RESERVATION, label, machines.why, machines.fix, f"{needed_machines}")
        id_ = need.rung.reservation
        own_use = sum(
            machine.stack == stack and machine.reservation == id_ for machine in machines
        )
    own_use_text = f", {own_use} used by this stack" if own_use else ""
    return answered_check(
        RESERVATION,
        label,
        fine=free + own_use >= needed_machines,
        value=f"{free} of {details['TotalInstanceCount']}{own_use_text}",
        allowed=f"{needed_machines}",
        fix="use fewer nodes, enlarge the reservation, or stop what uses it",
    )


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
