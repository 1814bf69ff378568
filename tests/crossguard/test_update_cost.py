"""What one resource may cost while it changes."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.crossguard.update_cost import Cost


def fleet(machines: int, each: int | Decimal) -> Cost:
    """So many machines, in US dollars per hour each."""
    return Cost(
        per_hour=Decimal(each) * machines, per_month=Decimal(each) * machines, machines=machines
    )


FLEETS = st.builds(fleet, st.integers(0, 12), st.integers(1, 20))


def test_few_dear_machines_may_get_all_the_cheap_ones_beside_them():
    stands = fleet(2, 10).maximum(fleet(10, 1))
    assert stands.growing_to(fleet(11, 1)).per_hour == 2 * 10 + 9 * 1


def test_of_one_price_the_larger_fleet_is_counted_as_a_whole():
    assert fleet(2, 10).maximum(fleet(10, 10)).growing_to(fleet(12, 10)).per_hour == 120


def test_what_does_not_run_yet_leaves_the_machines_that_may():
    assert Cost().maximum(fleet(3, 5)) == fleet(3, 5)


@given(FLEETS, FLEETS, FLEETS)
def test_it_is_never_less_than_what_either_of_them_grows_to(stands, may_stand, after):
    most = stands.maximum(may_stand).growing_to(after).per_hour
    rounding = Decimal("0.000001")
    assert most + rounding >= stands.growing_to(after).per_hour
    assert most + rounding >= may_stand.growing_to(after).per_hour
