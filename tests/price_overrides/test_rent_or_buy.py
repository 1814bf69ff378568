"""Buying the GPUs against renting them."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.errors import InputError
from gpuinfra.price_overrides.rent_cost import RentalCost
from gpuinfra.price_overrides.rent_or_buy import Purchase, compare_with_rent, read_purchase

SERVER = """\
version: 1
what: eight V100
gpus: 8
price: 90000
lifetime: 1095d
residual: 10%
watts: 3500
pue: 1.5
electricity: 0.12
hosting: 400
staff: 500
"""


def flat(per_hour: Decimal) -> tuple[RentalCost, ...]:
    """One price for every hour at work."""
    return (RentalCost(machines=Decimal(1), hourly_rent=per_hour),)


@pytest.fixture
def bought(tmp_path: Path) -> Purchase:
    path = tmp_path / "purchase.yaml"
    path.write_text(SERVER)
    return read_purchase(path)


def test_a_year_of_owning_is_wear_energy_and_upkeep(bought):
    comparison = compare_with_rent(bought, flat(Decimal("24.48")), Decimal(1), Decimal(1))

    assert comparison.rent_cost == Decimal("24.48") * 8760
    assert comparison.depreciation == 27_000
    assert comparison.energy_kwh == Decimal(45990)
    assert comparison.energy == Decimal("5518.80")
    assert comparison.upkeep == 10_800
    assert comparison.ownership_cost == Decimal("43318.80")


def test_the_guides_h100_draws_9198_kwh_a_year_at_a_pue_of_one_and_a_half(bought):
    h100 = bought.model_copy(update={"watts": Decimal(700), "pue": Decimal("1.5")})

    assert compare_with_rent(h100, flat(Decimal(4)), Decimal(1), Decimal(1)).energy_kwh == 9198


def test_what_does_not_work_draws_no_power_but_wears(bought):
    half = compare_with_rent(bought, flat(Decimal("24.48")), Decimal(2), Decimal("0.5"))

    assert (half.energy_kwh, half.depreciation, half.upkeep) == (Decimal(45990), 54_000, 21_600)
    assert half.rent_cost == Decimal("24.48") * 8760


def test_the_month_in_which_it_is_paid_back(bought):
    comparison = compare_with_rent(bought, flat(Decimal("24.48")), Decimal(1), Decimal(1))
    saved = (Decimal("24.48") - Decimal("0.63")) * 730 - 900

    assert comparison.break_even_month == 6
    assert saved * 5 < 90_000 <= saved * 6


def test_what_is_paid_back_after_its_life_is_never(bought):
    assert (
        compare_with_rent(bought, flat(Decimal(3)), Decimal(1), Decimal(1)).break_even_month
        is None
    )
    assert (
        compare_with_rent(bought, flat(Decimal("1.5")), Decimal(1), Decimal(1)).break_even_month
        is None
    )


def test_rent_below_the_price_of_power_never_breaks_even(bought):
    assert (
        compare_with_rent(
            bought, flat(Decimal("0.63")), Decimal(1), Decimal(1)
        ).break_even_utilisation
        is None
    )


FALLING = RentalCost(
    machines=Decimal(8), hourly_rent=Decimal("3.06"), tiers=((Decimal(720), Decimal(1)),)
)
RESERVED = RentalCost(machines=Decimal(8), hourly_rent=Decimal(0), hourly_prepaid=Decimal("1.38"))


def test_rent_falls_with_its_tiers(bought):
    comparison = compare_with_rent(bought, (FALLING,), Decimal(3), Decimal(1))

    assert comparison.rent_per_hour == Decimal("24.48")
    assert comparison.rent_cost == 8 * (720 * Decimal("3.06") + 25_560)
    assert comparison.prepaid == 0
    tenth = compare_with_rent(bought, (FALLING,), Decimal(3), Decimal("0.1"))
    assert tenth.rent_cost == 8 * (720 * Decimal("3.06") + (2_628 - 720))


@pytest.mark.parametrize("share", ["0.1", "0.5", "1"])
def test_what_was_paid_beforehand_is_paid_at_any_load(bought, share):
    comparison = compare_with_rent(bought, (RESERVED,), Decimal(3), Decimal(share))

    assert comparison.rent_cost == comparison.prepaid == Decimal("290131.20")


def test_what_is_paid_at_any_load_may_make_buying_cheaper_at_rest(bought):
    comparison = compare_with_rent(bought, (RESERVED,), Decimal(3), Decimal("0.1"))

    assert comparison.ownership_cost < comparison.rent_cost
    assert comparison.break_even_utilisation == 0
    assert comparison.break_even_until > 1


def test_a_tier_moves_the_break_even_and_the_month(bought):
    """At 24.48 an hour 18.1% would do and month 6, see above."""
    comparison = compare_with_rent(bought, (FALLING,), Decimal(1), Decimal(1))
    share, month = comparison.break_even_utilisation, comparison.break_even_month

    even = compare_with_rent(bought, (FALLING,), Decimal(1), share)
    assert abs(even.rent_cost - even.ownership_cost) < Decimal("1e-20")
    assert share > Decimal("0.30")
    assert month == 18
    run = [8 * (720 * Decimal("3.06") + (730 * m - 720)) for m in (month - 1, month)]
    spent = [m * (730 * Decimal("0.63") + 900) for m in (month - 1, month)]
    assert run[0] - spent[0] < 90_000 <= run[1] - spent[1]


def test_a_tier_below_the_price_of_power_ends_what_buying_saves(bought):
    cheap = RentalCost(
        machines=Decimal(1), hourly_rent=Decimal(30), tiers=((Decimal(2_000), Decimal("0.1")),)
    )
    comparison = compare_with_rent(bought, (cheap,), Decimal(1), Decimal(1))
    since, until = comparison.break_even_utilisation, comparison.break_even_until

    for share in (since, until):
        even = compare_with_rent(bought, (cheap,), Decimal(1), share)
        assert abs(even.rent_cost - even.ownership_cost) < Decimal("1e-20")
    between = compare_with_rent(bought, (cheap,), Decimal(1), (since + until) / 2)
    assert between.ownership_cost < between.rent_cost


rents = st.builds(
    RentalCost,
    machines=st.decimals(1, 20, places=0),
    hourly_rent=st.decimals(5, 50, places=2),
    hourly_prepaid=st.decimals(0, 2, places=2),
    tiers=st.lists(
        st.tuples(st.decimals(1, 8_000, places=0), st.decimals(0, 5, places=2)),
        max_size=3,
        unique_by=lambda tier: tier[0],
    ).map(
        lambda some: tuple(
            zip(
                sorted(after for after, _ in some),
                sorted((price for _, price in some), reverse=True),
                strict=True,
            )
        )
    ),
)


@given(st.lists(rents, min_size=1, max_size=3), st.decimals(Decimal("0.01"), 1, places=2))
def test_buying_is_cheaper_just_between_the_break_evens(some, share):
    bought = Purchase.model_validate(
        {
            "version": 1,
            "gpus": 8,
            "price": 90000,
            "lifetime": "1095d",
            "watts": 3500,
            "electricity": Decimal("0.12"),
            "staff": 100,
        }
    )
    comparison = compare_with_rent(bought, tuple(some), Decimal(1), share)
    since, until = comparison.break_even_utilisation, comparison.break_even_until
    within = since is not None and since < share and (until is None or share < until)

    if abs(comparison.ownership_cost - comparison.rent_cost) > Decimal("1e-9"):
        assert within == (comparison.ownership_cost < comparison.rent_cost)


@given(
    st.decimals(Decimal("0.7"), 1000, places=2),
    st.decimals(Decimal("0.1"), 10, places=1),
)
def test_at_the_break_even_both_cost_the_same(rent, years):
    bought = Purchase.model_validate(
        {
            "version": 1,
            "gpus": 8,
            "price": 90000,
            "lifetime": "1095d",
            "watts": 3500,
            "electricity": Decimal("0.12"),
            "staff": 100,
        }
    )
    share = compare_with_rent(bought, flat(rent), years, Decimal(1)).break_even_utilisation
    assert share is not None
    even = compare_with_rent(bought, flat(rent), years, share)

    assert abs(even.rent_cost - even.ownership_cost) < Decimal("1e-12") * even.ownership_cost


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pue: 1.5", "pue: 0.9", "pue is below 1"),
        ("gpus: 8", "gpus: 0", "gpus is out of range"),
        ("price: 90000", "price: 0", "price is zero"),
        ("lifetime: 1095d", "lifetime: 3", "lifetime is a number without a unit"),
        ("watts: 3500\n", "", "the file has no 'watts'"),
        ("staff", "stuff", "unknown key 'stuff'"),
        ("residual: 10%", "residual: 110%", "residual is not accepted"),
        ("hosting: 400", "hosting: -1", "hosting is negative"),
    ],
)
def test_a_mistake_is_told_at_its_place(tmp_path, old, new, message):
    path = tmp_path / "purchase.yaml"
    path.write_text(SERVER.replace(old, new))
    with pytest.raises(InputError) as refused:
        read_purchase(path)
    (problem,) = refused.value.problems

    assert problem.message == message
    assert problem.position is not None
