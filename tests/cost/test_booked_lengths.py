"""The hours that are paid of a booked machine."""

from decimal import Decimal

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.cost.booked_lengths import paid_hours


@pytest.mark.parametrize(
    ("mode", "hours_", "paid"),
    [
        ("on-demand", "72", "72"),
        ("capacity-block", "23.25", "24"),
        ("capacity-block", "23.26", "48"),
        ("capacity-block", "340", str(21 * 24)),
        ("capacity-block", "4367.25", str(182 * 24)),
        ("capacity-block", "4367.26", None),
        ("capacity-block", "4400", None),
        ("calendar", "2160", "2160"),
        ("calendar", "2161", None),
        ("flex-start", "100", "100"),
        ("flex-start", "169", None),
        ("calendar", "24", "24"),
    ],
)
def test_what_is_booked_is_paid_in_days(mode, hours_, paid):
    lead = provider_of("aws").block_lead("p5.48xlarge")

    assert paid_hours(mode, Decimal(hours_), lead) == (None if paid is None else Decimal(paid))
