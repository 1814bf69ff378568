"""Buying the GPUs against renting them."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.errors import InputError
from gpuinfra.own.purchase import Purchase, against, read

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


@pytest.fixture
def bought(tmp_path: Path) -> Purchase:
    path = tmp_path / "purchase.yaml"
    path.write_text(SERVER)
    return read(path)


def test_a_year_of_owning_is_wear_energy_and_upkeep(bought):
    found = against(bought, Decimal("24.48"), Decimal(1), Decimal(1))

    assert found.rented == Decimal("24.48") * 8760
    assert found.wear == 27_000
    assert found.energy_kwh == Decimal(45990)
    assert found.energy == Decimal("5518.80")
    assert found.upkeep == 10_800
    assert found.owned == Decimal("43318.80")


def test_the_guides_h100_draws_9198_kwh_a_year_at_a_pue_of_one_and_a_half(bought):
    h100 = bought.model_copy(update={"watts": Decimal(700), "pue": Decimal("1.5")})

    assert against(h100, Decimal(4), Decimal(1), Decimal(1)).energy_kwh == 9198


def test_what_does_not_work_draws_no_power_but_wears(bought):
    half = against(bought, Decimal("24.48"), Decimal(2), Decimal("0.5"))

    assert (half.energy_kwh, half.wear, half.upkeep) == (Decimal(45990), 54_000, 21_600)
    assert half.rented == Decimal("24.48") * 8760


def test_the_month_in_which_it_is_paid_back(bought):
    found = against(bought, Decimal("24.48"), Decimal(1), Decimal(1))
    saved = (Decimal("24.48") - Decimal("0.63")) * 730 - 900

    assert found.break_even_month == 6
    assert saved * 5 < 90_000 <= saved * 6


def test_what_is_paid_back_after_its_life_is_never(bought):
    assert against(bought, Decimal(3), Decimal(1), Decimal(1)).break_even_month is None
    assert against(bought, Decimal("1.5"), Decimal(1), Decimal(1)).break_even_month is None


def test_rent_below_the_price_of_power_never_breaks_even(bought):
    assert against(bought, Decimal("0.63"), Decimal(1), Decimal(1)).break_even_utilisation is None


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
    share = against(bought, rent, years, Decimal(1)).break_even_utilisation
    assert share is not None
    even = against(bought, rent, years, share)

    assert abs(even.rented - even.owned) < Decimal("1e-12") * even.owned


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
        read(path)
    (problem,) = refused.value.problems

    assert problem.message == message
    assert problem.position is not None
