"""The lengths of capacity that is booked ahead: blocks of days, and their usable hours."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from gpuinfra.records import record

DAY: Final = Decimal(24)


@record
class Booking:
    """The lengths in days for which a purchase mode is sold.

    `paid_to_end` lengths are paid to their end; else `days` is only the longest time. Of a
    `unusable_end` one the end is not usable: `PricedCloud.block_lead` says how much.
    """

    days: tuple[int, ...]
    source: str
    paid_to_end: bool = True
    unusable_end: bool = False


BOOKINGS: Final[Mapping[str, Booking]] = {
    "capacity-block": Booking(
        days=(*range(1, 15), *range(21, 183, 7)),
        unusable_end=True,
        source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    ),
    "calendar": Booking(
        days=tuple(range(1, 91)),
        source="https://cloud.google.com/compute/docs/instances/"
        "future-reservations-calendar-mode-overview",
    ),
    "flex-start": Booking(
        days=(7,),
        paid_to_end=False,
        source="https://cloud.google.com/compute/docs/instances/about-flex-start-vms",
    ),
}


def paid_hours(mode: str, hours: Decimal, lead: Decimal = Decimal(0)) -> Decimal | None:
    """Return the hours that are paid for a run; None where the mode is not sold for that long.

    Args:
        mode: for example on-demand.
        hours: that the run takes.
        lead: hours before the end at which it has to be done, in a mode that is shortened.
    """
    booking = BOOKINGS.get(mode)
    if booking is None:
        return hours
    spare = lead if booking.unusable_end else Decimal(0)
    lengths = (day * DAY for day in booking.days if day * DAY - spare >= hours)
    length = next(lengths, None)
    return length if length is None or booking.paid_to_end else hours
