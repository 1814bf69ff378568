"""What one resource may cost while it changes."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.crossguard.update_cost import ZERO_COST, Cost


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


def test_one_machine_runs_on_beside_those_that_come():
    assert fleet(1, 10).growing_to(fleet(3, 1)).per_hour == 10 + 2


def test_dearer_ones_take_the_place_of_those_that_run():
    assert fleet(4, 1).growing_to(fleet(10, 2)).per_hour == 20


def test_two_of_nothing_pay_for_no_machine():
    assert ZERO_COST.maximum(ZERO_COST) == ZERO_COST == Cost(per_hour=Decimal(0), machines=0)


def test_what_is_added_can_be_taken_out_again():
    both = fleet(2, 10) + fleet(3, 10)
    assert both == fleet(5, 10)
    assert both.minus(fleet(3, 10)) == fleet(2, 10)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (fleet(5, 10), True),
        (fleet(2, "10.01"), False),
        (replace(fleet(2, 10), per_month=Decimal(40)), False),
        (replace(fleet(2, 10), machines=0), False),
        (replace(fleet(2, 10), unknown=("a disk has no price",)), False),
        (replace(ZERO_COST, machines=2), False),
    ],
)
def test_fleets_have_one_price_where_all_of_it_is_known_and_alike(other, same):
    assert fleet(2, 10).has_price_of(other) is same
    assert other.has_price_of(fleet(2, 10)) is same


@pytest.mark.parametrize("cents", [{"per_hour": "0.5"}, {"per_month": "0.5"}])
def test_half_a_dollar_is_not_nothing(cents):
    assert not Cost(**{span: Decimal(amount) for span, amount in cents.items()}).adds_nothing


@given(FLEETS, FLEETS, FLEETS)
def test_it_is_never_less_than_what_either_of_them_grows_to(stands, may_stand, after):
    most = stands.maximum(may_stand).growing_to(after).per_hour
    rounding = Decimal("0.000001")
    assert most + rounding >= stands.growing_to(after).per_hour
    assert most + rounding >= may_stand.growing_to(after).per_hour
