"""A suggested cap is 20 to 30 % above a cost, and a round amount."""

from decimal import Decimal

import pytest

from gpuinfra.rules.budget import rounded_cap


@pytest.mark.parametrize(
    ("cost", "cap"),
    [
        ("0.8768", "1.10"),
        ("0.7388", "0.90"),
        ("3.43", "4.20"),
        ("22.70", "28"),
        ("640.06", "800"),
        ("16569.39", "20000"),
    ],
)
def test_a_suggested_cap_is_a_round_amount(cost: str, cap: str) -> None:
    assert rounded_cap(Decimal(cost)) == cap


def test_a_suggested_cap_is_20_to_30_percent_above_a_cost() -> None:
    for cents in (*range(10, 2000, 7), *range(2000, 10**8, 10**6 + 1)):
        cost = Decimal(cents) / 100

        assert Decimal("1.2") <= Decimal(rounded_cap(cost)) / cost <= Decimal("1.3"), cost


def test_a_suggested_cap_leaves_room_for_doubled_prices() -> None:
    assert rounded_cap(Decimal("0.90"), Decimal("1.77")) == "1.80"
