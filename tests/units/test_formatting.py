"""Percentages, plurals, sizes and rates as text."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import units


@pytest.mark.parametrize(
    ("rate", "text"),
    [(50 * 10**9, "400Gbps"), (400 * 10**9, "3200Gbps"), (125, "1kbps"), (1, "0.001kB/s")],
)
def test_a_rate_is_shown_as_a_network_speed(rate, text):
    assert units.format_rate(rate) == text


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
