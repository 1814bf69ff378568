"""Durations, sizes, rates, shares and ranges, as they are read."""

from datetime import timedelta
from decimal import Decimal

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


@given(st.integers(1, 1825 * 86400))
def test_a_duration_can_be_read_back(seconds):
    duration = timedelta(seconds=seconds)

    assert units.parse_duration(units.format_duration(duration)) == duration


def test_hours_and_gigabytes_are_exact():
    assert units.hours(timedelta(minutes=10)) * 6 == 1
    assert units.hours(timedelta(hours=72)) == 72
    assert units.gigabytes(2 * 10**12) == 2000
    assert Decimal(730) == units.HOURS_PER_MONTH


def test_shares():
    assert units.parse_share("60%") == Decimal("0.6")
    assert units.format_share(Decimal("0.6")) == "60%"
    assert units.format_share(Decimal("0.125")) == "12.5%"
