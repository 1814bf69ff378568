"""Amounts of money, unit prices and their parts."""

from decimal import Decimal

import pytest

from gpuinfra import units


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "$0.00"),
        ("0.5", "$0.50"),
        ("0.8048", "$0.80"),
        ("0.005", "$0.01"),
        ("0.00001", "<$0.01"),
        ("-0.00001", "-<$0.01"),
        ("0.99999", "$1.00"),
        ("1234.505", "$1,234.51"),
        ("1234.515", "$1,234.52"),
        ("-3.1", "-$3.10"),
        ("15851.52", "$15,851.52"),
    ],
)
def test_money(amount, text):
    assert units.format_money(Decimal(amount)) == text


def test_an_unknown_amount_is_a_dash_and_an_unknown_change_a_question_mark():
    assert units.format_money(None) == units.format_unit_price(None) == "–"
    assert units.format_change(None) == "?"


@pytest.mark.parametrize(
    ("price", "text"),
    [
        ("0", "$0.00"),
        ("0.4", "$0.40"),
        ("0.0125", "$0.0125"),
        ("1.006", "$1.006"),
        ("88.490000119", "$88.49"),
        ("0.00000043", "$0.00000043"),
        ("1E-7", "$0.0000001"),
        ("16888", "$16,888.00"),
    ],
)
def test_a_unit_price_has_the_digits_of_the_cloud_s_list(price, text):
    assert units.format_unit_price(Decimal(price)) == text


@pytest.mark.parametrize(
    ("amounts", "total", "texts"),
    [
        (["0.8048", "0.005", "0.045", "0.02"], None, ["$0.80", "$0.01", "$0.04", "$0.02"]),
        (["24.144", "3.65", "32.85", "0.6148"], None, ["$24.14", "$3.65", "$32.85", "$0.62"]),
        (["0.004", "0.004", "0.004"], None, ["$0.01", "<$0.01", "<$0.01"]),
        (["-0.005", "0.0125"], None, ["-<$0.01", "$0.01"]),
        (["1.005", None], None, ["$1.01", "–"]),
        (["1.005", "2.005"], "9", ["$1.01", "$2.01"]),
        ([], "0", []),
    ],
)
def test_the_parts_of_a_total_add_up_as_they_are_shown(amounts, total, texts):
    parts = [None if amount is None else Decimal(amount) for amount in amounts]
    whole = sum(filter(None, parts)) if total is None else Decimal(total)

    assert list(units.format_parts(parts, whole)) == texts


@pytest.mark.parametrize(
    ("amounts", "texts"),
    [
        (["0.8048", "0.1", "-0.2"], ["$0.80", "$0.10", "-$0.20"]),
        (["220.16", "0.045", "0.045"], ["$220.160", "$0.045", "$0.045"]),
        (["1", "0.0002", "-0.099", None], ["$1.000", "<$0.001", "-$0.099", "–"]),
        (["1.1", "0"], ["$1.10", "$0.00"]),
    ],
)
def test_amounts_per_hour_have_a_third_decimal_where_one_is_under_a_dime(amounts, texts):
    parts = [None if amount is None else Decimal(amount) for amount in amounts]

    unit = units.hourly_unit(parts)

    assert list(units.format_parts(parts, sum(filter(None, parts)), unit)) == texts


def test_a_difference_is_that_of_the_amounts_as_they_are_shown():
    assert units.format_change(Decimal("6.08"), rounded=Decimal("6.09")) == "+$6.09"
    assert units.format_change(Decimal("0.001"), rounded=Decimal(0)) == "+<$0.01"
    assert units.format_change(Decimal(0), rounded=Decimal(0)) == "$0.00"


def test_the_prices_of_an_axis_have_the_same_decimals():
    prices = [Decimal("0.00696"), Decimal("0.0067"), Decimal(1), None]

    assert units.format_unit_prices(prices) == ["$0.0070", "$0.0067", "$1.0000", "–"]
    assert units.format_unit_prices([Decimal("0.5"), Decimal(0)]) == ["$0.50", "$0.00"]
    assert units.format_unit_prices([None]) == ["–"]


def test_another_currency_has_its_code():
    assert units.format_money(Decimal("-2.5"), "CNY") == "-2.50 CNY"
    assert units.format_unit_price(Decimal("0.0125"), "EUR") == "0.0125 EUR"


@pytest.mark.parametrize(
    ("change", "text"), [("8.25", "+$8.25"), ("-142.25", "-$142.25"), ("0", "$0.00")]
)
def test_a_change_has_its_sign(change, text):
    assert units.format_change(Decimal(change)) == text
