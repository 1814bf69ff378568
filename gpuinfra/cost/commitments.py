"""What committing to a machine costs against buying it on demand, and from when on it pays."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import Book
from gpuinfra.clouds import priced_room
from gpuinfra.model import Origin, Price

HOURS_PER_YEAR: Final = Decimal(8760)
RULE_OF_THUMB: Final = Decimal("0.42")
"""The buying guides' estimate of a three-year price, as a share of the on-demand one. Shown beside
real prices and never taken for one."""

_TERM: Final = re.compile(r".*-(?P<count>\d+)(?P<unit>mo|y)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """One way to commit to a machine; money is USD for the machine.

    `hours` are those of its term, each of which is paid, and `total` is what they cost. `saves`
    is the share of the on-demand price that an hour costs less, `pays_from` the share of the term,
    and `break_even` the hours of it, that the machine has to be in use for the commitment to cost
    less than those hours on demand: above 1 it never pays.
    """

    mode: str
    hours: Decimal
    per_hour: Decimal
    total: Decimal
    saves: Decimal
    pays_from: Decimal
    break_even: Decimal
    as_of: str
    source: str
    origin: Origin
    note: str


def commitments(
    cloud: str, machine: str, region: str, prices: Book
) -> tuple[Price | None, tuple[Commitment, ...]]:
    """The on-demand price of a machine, and every commitment with a known price, cheapest first.

    Without an on-demand price nothing can be compared, so there is none.
    """
    listed = prices.on_demand(cloud, machine, region)
    if listed is None:
        return None, ()
    found = [
        _commitment(mode, hours, price, listed)
        for mode in priced_room(cloud).modes()
        if (hours := term_hours(mode)) is not None
        if (price := prices.listed(cloud, machine, region, mode)) is not None
    ]
    return listed, tuple(sorted(found, key=lambda one: (one.per_hour, one.mode)))


def term_hours(mode: str) -> Decimal | None:
    """The hours of a mode's term, such as 8,760 of reserved-1y; None for one without a term."""
    found = _TERM.fullmatch(mode)
    if found is None:
        return None
    count = Decimal(found["count"])
    return count * (HOURS_PER_YEAR if found["unit"] == "y" else HOURS_PER_YEAR / 12)


def _commitment(mode: str, hours: Decimal, price: Price, listed: Price) -> Commitment:
    share = price.per_unit / listed.per_unit
    return Commitment(
        mode=mode,
        hours=hours,
        per_hour=price.per_unit,
        total=price.per_unit * hours,
        saves=1 - share,
        pays_from=share,
        break_even=share * hours,
        as_of=price.as_of,
        source=price.source,
        origin=price.origin,
        note=price.notes,
    )
