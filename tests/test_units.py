"""Durations, sizes, shares, ranges and money."""

import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import units
from gpuinfra.units import Range, UnitError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("72h", timedelta(hours=72)),
        ("30d", timedelta(days=30)),
        ("10m", timedelta(minutes=10)),
        ("45s", timedelta(seconds=45)),
        ("2w", timedelta(weeks=2)),
        ("1.5 h", timedelta(minutes=90)),
        ("1825d", timedelta(days=1825)),
    ],
)
def test_durations(text, expected):
    assert units.parse_duration(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10TB", 10**13),
        ("500GB", 5 * 10**11),
        ("1TiB", 2**40),
        ("1.5 GB", 1_500_000_000),
        ("1EB", 10**18),
        ("1B", 1),
    ],
)
def test_sizes(text, expected):
    assert units.parse_size(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("400Gbps", 50 * 10**9),
        ("50GB/s", 50 * 10**9),
        ("3.2 Tbps", 400 * 10**9),
        ("250MiB/s", 250 * 2**20),
        ("1kbps", 125),
        ("0.001kB/s", 1),
    ],
)
def test_rates(text, expected):
    assert units.parse_rate(text) == expected


@pytest.mark.parametrize(
    ("parse", "text", "hint"),
    [
        (units.parse_duration, "72", "72h"),
        (units.parse_duration, "72H", "72h"),
        (units.parse_duration, "3 days", "3d"),
        (units.parse_duration, "3 months", ""),
        (units.parse_duration, "10min", "10m"),
        (units.parse_duration, "24 hors", "24h"),
        (units.parse_duration, "5 minuts", "5m"),
        (units.parse_duration, "10ms", ""),
        (units.parse_duration, "500msec", ""),
        (units.parse_duration, "5 x", ""),
        (units.parse_size, "80", "80GB"),
        (units.parse_size, "80gb", "80GB"),
        (units.parse_size, "80G", "80GB"),
        (units.parse_size, "100 gigs", "100GB"),
        (units.parse_size, "2 terabytes", "2TB"),
        (units.parse_size, "1tib", "1TiB"),
        (units.parse_size, "200 GBs", "200GB"),
        (units.parse_size, "1 gigabite", "1GB"),
        (units.parse_size, "3 days", ""),
        (units.parse_size, "much", ""),
        (units.parse_rate, "400", "400Gbps"),
        (units.parse_rate, "400 gbps", "400Gbps"),
        (units.parse_rate, "400Gbit/s", "400Gbps"),
        (units.parse_rate, "400Gb/s", "400Gbps"),
        (units.parse_rate, "50gB/s", "50GB/s"),
        (units.parse_rate, "50mib/s", ""),
        (units.parse_rate, "50 GBs", ""),
        (units.parse_rate, "fast", ""),
        (units.parse_share, "60", "60%"),
        (units.parse_share, "0.6", "60%"),
        (units.parse_share, ".125", "12.5%"),
        (units.parse_share, "most", ""),
        (units.parse_range, "..20", "1..20"),
        (units.parse_range, "80GB+", "80GB.."),
    ],
)
def test_a_near_miss_has_a_hint(parse, text, hint):
    with pytest.raises(UnitError) as caught:
        parse(text)

    assert caught.value.hint == hint
    assert caught.value.allowed
    assert caught.value.malformed


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (units.parse_duration, "0h"),
        (units.parse_duration, "0.0d"),
        (units.parse_duration, "-1h"),
        (units.parse_duration, "1e3h"),
        (units.parse_duration, "72h\n"),
        (units.parse_duration, "٣h"),
        (units.parse_duration, ""),
        (units.parse_duration, "9" * 5000 + "h"),
        (units.parse_size, "0GB"),
        (units.parse_size, "-5TB"),
        (units.parse_size, "NaNGB"),
        (units.parse_rate, "0Gbps"),
        (units.parse_rate, "-1GB/s"),
        (units.parse_rate, "50GB"),
        (units.parse_rate, ""),
        (units.parse_share, "101%"),
        (units.parse_share, "-1%"),
        (units.parse_share, "nan%"),
        (units.parse_range, "0..5"),
        (units.parse_range, "a..b"),
    ],
)
def test_what_is_no_unit_is_refused(parse, text):
    with pytest.raises(UnitError) as caught:
        parse(text)

    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (units.parse_duration, "1826d"),
        (units.parse_duration, "999999999999999999w"),
        (units.parse_size, "1.000001EB"),
        (units.parse_size, "0.000001kB"),
        (units.parse_rate, "1000.1TB/s"),
        (units.parse_rate, "0.000001kB/s"),
        (units.parse_range, "20..1"),
    ],
)
def test_what_is_out_of_bounds_is_well_formed(parse, text):
    with pytest.raises(UnitError) as caught:
        parse(text)

    assert not caught.value.malformed


def test_ranges():
    assert units.parse_range("1..20") == Range(1, 20)
    assert units.parse_range("4") == Range(4, 4)
    assert units.parse_range("80GB..", parse_number=units.parse_size) == Range(80 * 10**9, None)
    assert 80 in Range(80, None)
    assert 79 not in Range(80, None)
    assert Decimal("20.5") not in Range(1, 20)


@given(st.integers(1, 10**18))
def test_a_size_can_be_read_back(size):
    text = units.format_size(size)

    assert units.parse_size(text) == size


@given(st.integers(1, 10**15))
def test_a_rate_can_be_read_back(rate):
    assert units.parse_rate(units.format_rate(rate)) == rate


@given(st.integers(1, 900), st.sampled_from(sorted(units.RATES)))
def test_a_rate_is_its_number_times_its_unit(number, unit):
    assert units.parse_rate(f"{number}{unit}") == number * units.RATES[unit]


@pytest.mark.parametrize(
    ("rate", "text"),
    [(50 * 10**9, "400Gbps"), (400 * 10**9, "3200Gbps"), (125, "1kbps"), (1, "0.001kB/s")],
)
def test_a_rate_is_shown_as_a_network_speed(rate, text):
    assert units.format_rate(rate) == text


@given(st.integers(1, 1825 * 86400))
def test_a_duration_can_be_read_back(seconds):
    duration = timedelta(seconds=seconds)

    assert units.parse_duration(units.format_duration(duration)) == duration


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (2 * 10**12, "2TB"),
        (2**40, "1TiB"),
        (1536 * 10**9, "1536GB"),
        (1_500_000, "1.5MB"),
        (123, "123B"),
    ],
)
def test_a_size_is_written_short(size, text):
    assert units.format_size(size) == text


def test_hours_and_gigabytes_are_exact():
    assert units.hours(timedelta(minutes=10)) * 6 == 1
    assert units.hours(timedelta(hours=72)) == 72
    assert units.gigabytes(2 * 10**12) == 2000
    assert Decimal(730) == units.HOURS_PER_MONTH


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


@pytest.mark.parametrize(
    ("share", "text"),
    [
        ("0.723", "72%"),
        ("0", "0%"),
        ("1", "100%"),
        ("0.004", "0.4%"),
        ("0.9996", "99.96%"),
        ("1.003", "100.3%"),
        ("0.0000001", "0%"),
        ("12.5", "1,250%"),
    ],
)
def test_a_percentage_is_whole_and_neither_0_nor_100_by_rounding(share, text):
    assert units.format_percent(Decimal(share)) == text


def test_a_change_in_percent_has_its_sign():
    assert units.format_percent_change(-0.72) == "-72%"
    assert units.format_percent_change(Decimal("0.031")) == "+3%"


def test_shares():
    assert units.parse_share("60%") == Decimal("0.6")
    assert units.format_share(Decimal("0.6")) == "60%"
    assert units.format_share(Decimal("0.125")) == "12.5%"


@pytest.mark.parametrize(
    ("number", "noun", "plural", "shown"),
    [
        (1, "hour", "", "1 hour"),
        (4, "hour", "", "4 hours"),
        (0, "hour", "", "0 hours"),
        (Decimal("1.5"), "GiB-month", "", "1.5 GiB-months"),
        ("1", "policy", "policies", "1 policy"),
        ("1,000", "policy", "policies", "1,000 policies"),
        (1, "part has", "parts have", "1 part has"),
        (2, "part has", "parts have", "2 parts have"),
    ],
)
def test_a_noun_after_a_number_is_plural_but_after_one(number, noun, plural, shown):
    assert units.format_count(number, noun, plural) == shown


PACKAGE = Path(units.__file__).parents[1]
PLURAL = re.compile(r"""['"]s?['"] if .+? [!=]= ['"]?1\b.* else ['"]s?['"]|\b1 else ['"]s['"]""")


def test_plurals_are_made_in_one_place():
    assert [
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in PACKAGE.rglob("*.py")
        for match in PLURAL.finditer(path.read_text(encoding="utf-8"))
    ] == []
