"""The parsing of durations, sizes, shares and ranges."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from gpuinfra.records import record
from gpuinfra.similar_words import nearest
from gpuinfra.units.factors import (
    BYTES,
    DURATION_ALLOWED,
    DURATION_PATTERN,
    MAXIMUM_DURATION,
    MAXIMUM_RATE,
    MAXIMUM_SIZE,
    NUMBER,
    RATE_ALLOWED,
    RATE_PATTERN,
    RATES,
    SECONDS,
    SHARE_ALLOWED,
    SHARE_PATTERN,
    SIZE_ALLOWED,
    SIZE_PATTERN,
    TALLIES,
    TALLY_ALLOWED,
    TALLY_PATTERN,
)
from gpuinfra.units.formatting import format_share, plain

_SPELLINGS: Final = {
    "kB": ("kilobyte", "kilobytes"),
    "MB": ("meg", "megs", "megabyte", "megabytes"),
    "GB": ("", "gig", "gigs", "gigabyte", "gigabytes"),
    "TB": ("terabyte", "terabytes"),
    "PB": ("petabyte", "petabytes"),
    "MiB": ("mebibyte", "mebibytes"),
    "GiB": ("gibibyte", "gibibytes"),
    "TiB": ("tebibyte", "tebibytes"),
    "k": ("thousand",),
    "M": ("m", "mio", "million", "millions"),
    "Gbps": ("", "gbit", "gbit/s"),
    "s": ("sec", "secs", "second", "seconds"),
    "m": ("min", "mins", "minute", "minutes"),
    "h": ("", "hr", "hrs", "hour", "hours"),
    "d": ("day", "days"),
    "w": ("wk", "week", "weeks"),
}
"""How people spell units otherwise; a bare number probably meant GB, or hours."""

_MAX_SHOWN: Final = 60

_SHORTEST_SLIP: Final = 3
"""Letters of a word from which on it may be a misspelt unit: ms is another unit than m."""


class UnitError(ValueError):
    """The error of a text that does not match a unit's grammar.

    Attributes:
        allowed: the accepted values, in words.
        hint: the probable intended value, ready to write; empty if unclear.
        malformed: the text breaks the grammar (else only its value is out of bounds).
    """

    def __init__(
        self, message: str, *, allowed: str, hint: str = "", malformed: bool = True
    ) -> None:
        self.allowed = allowed
        self.hint = hint
        self.malformed = malformed
        super().__init__(message)


@record(kw_only=False)
class Range:
    """A closed range of whole numbers; a `maximum` of None leaves the end open."""

    minimum: int
    maximum: int | None

    def __contains__(self, value: int | Decimal) -> bool:
        return self.minimum <= value and (self.maximum is None or value <= self.maximum)


def parse_duration(text: str) -> timedelta:
    """Parse `72h`, `30d`, `10m`, `45s`, `2w` as a duration above zero, at most five years.

    Raises:
        UnitError: the text is something else.
    """
    number, factor = _measure(text, DURATION_PATTERN, SECONDS, "a duration", DURATION_ALLOWED)
    seconds = number * factor
    if seconds > int(MAXIMUM_DURATION.total_seconds()):
        raise UnitError(
            "the duration is longer than five years",
            allowed=f"{DURATION_ALLOWED}; at most {MAXIMUM_DURATION.days}d",
            malformed=False,
        )
    return timedelta(microseconds=int(seconds * 1_000_000))


def parse_size(text: str) -> int:
    """Parse `500GB`, `10TB` (10^12 bytes each), `1TiB` as bytes, above zero, at most 1EB.

    Raises:
        UnitError: the text is something else.
    """
    number, factor = _measure(text, SIZE_PATTERN, BYTES, "a size", SIZE_ALLOWED)
    reasons = "the size is smaller than one byte", "the size is larger than 1EB"
    return _whole(number * factor, MAXIMUM_SIZE, reasons, f"{SIZE_ALLOWED}; at most 1EB")


def parse_rate(text: str) -> int:
    """Parse `400Gbps`, `50GB/s`, `250 MiB/s` as bytes per second, above zero, at most 1000TB/s.

    Raises:
        UnitError: the text is something else.
    """
    number, factor = _measure(text, RATE_PATTERN, RATES, "a rate", RATE_ALLOWED)
    reasons = "the rate is less than a byte a second", "the rate is more than 1000TB/s"
    return _whole(number * factor, MAXIMUM_RATE, reasons, f"{RATE_ALLOWED}; at most 1000TB/s")


def _whole(exact: Decimal, maximum: int, reasons: tuple[str, str], allowed: str) -> int:
    """Return an amount as a whole number; the reasons are for one below 1 and above `maximum`."""
    number = int(exact.to_integral_value())
    if not 0 < number <= maximum:
        raise UnitError(reasons[number > 0], allowed=allowed, malformed=False)
    return number


def parse_tally(text: str) -> int:
    """Parse `10M`, `2.5k` or `12000` as a count.

    Raises:
        UnitError: the text is something else.
    """
    if re.fullmatch(TALLY_PATTERN, text) is None:
        raise UnitError(
            f"{_quote_text(text)} is not a count",
            allowed=TALLY_ALLOWED,
            hint=_unit_hint(text, TALLY_PATTERN, TALLIES),
        )
    factor = TALLIES.get(text[-1], 1)
    return int(Decimal(text.rstrip("".join(TALLIES)).strip()) * factor)


def parse_share(text: str) -> Decimal:
    """Parse `60%` as 0.6.

    Raises:
        UnitError: the text is not a percentage of 0 to 100.
    """
    if re.fullmatch(SHARE_PATTERN, text) is None:
        raise UnitError(
            f"{_quote_text(text)} is not a share", allowed=SHARE_ALLOWED, hint=_share_hint(text)
        )
    return Decimal(text.rstrip("% ")) / 100


def parse_count(text: str) -> int:
    """Parse a whole number of at least 1, of at most six digits.

    Raises:
        UnitError: the text is something else.
    """
    if re.fullmatch(r"[1-9][0-9]{0,5}", text) is None:
        raise UnitError(
            f"{_quote_text(text)} is not a count", allowed="a whole number of at least 1"
        )
    return int(text)


def parse_range(text: str, parse_number: Callable[[str], int] = parse_count) -> Range:
    """Parse `1..20`, `80GB..` (no upper end) or a single value; `parse_number` parses each end.

    Raises:
        UnitError: an end is not what `parse_number` reads, or the range is upside down.
    """
    if text.endswith("+"):
        raise UnitError(
            f"{_quote_text(text)} is not a range",
            allowed="a range, for example 1..20 or 80GB.., or one value",
            hint=f"{text.removesuffix('+')}..",
        )
    start, dots, end = text.partition("..")
    if dots and not start:
        raise UnitError(
            f"{_quote_text(text)} has no lower end",
            allowed="a range, for example 1..20, or one value",
            hint=f"1..{end}" if end.isdigit() else "",
        )
    minimum = parse_number(start)
    if not dots:
        return Range(minimum, minimum)
    maximum = parse_number(end) if end else None
    if maximum is not None and maximum < minimum:
        raise UnitError(
            f"{_quote_text(text)} ends below its start",
            allowed="a range whose end is at least its start",
            hint=f"{end}..{start}",
            malformed=False,
        )
    return Range(minimum, maximum)


def _measure(
    text: str, pattern: str, factors: dict[str, int], noun: str, allowed: str
) -> tuple[Decimal, int]:
    """Split a text into its number and the factor of its unit."""
    if re.fullmatch(pattern, text) is None:
        raise UnitError(
            f"{_quote_text(text)} is not {noun}",
            allowed=allowed,
            hint=_unit_hint(text, pattern, factors),
        )
    number = text.rstrip("".join(factors))
    unit = text[len(number) :]
    return Decimal(number.strip()), factors[unit]


_YEARS: Final = ("y", "yr", "year", "years")
_DAYS_OF_YEAR: Final = 365


def _unit_hint(text: str, pattern: str, factors: dict[str, int]) -> str:
    """Return the number with the unit that the user probably meant."""
    match = re.fullmatch(rf"\s*({NUMBER})\s*([A-Za-z/]*)\s*", text)
    if match is None:
        return ""
    number, unit_word = match.group(1), match.group(2).lower()
    if unit_word.endswith("b/s"):  # Gb/s or GB/s: letter case alone tells bits from bytes
        bits = match.group(2)[:-2].endswith("b")
        unit_word = f"{unit_word[:-3]}bps" if bits else unit_word
    if unit_word in _YEARS and "d" in factors:
        hint = f"{plain(Decimal(number) * _DAYS_OF_YEAR)}d"
        return hint if re.fullmatch(pattern, hint) else ""
    units = _units_by_spelling(factors)
    unit = units.get(unit_word) or _misspelt_unit(unit_word, units)
    hint = f"{number}{unit}"
    return hint if unit and re.fullmatch(pattern, hint) else ""


def _units_by_spelling(factors: dict[str, int]) -> dict[str, str]:
    """Return each unit by the words that people write for it; the empty word is for none."""
    units: dict[str, str] = {}
    for unit in factors:
        spellings = filter(None, (unit.lower(), unit.lower().removesuffix("b")))
        for word in (*spellings, *_SPELLINGS.get(unit, ())):
            units.setdefault(word, unit)
    return units


def _misspelt_unit(word: str, units: Mapping[str, str]) -> str:
    """Return the unit whose word a longer one is a slip of, with the same first letter.

    None of rates, where a letter tells bits from bytes.
    """
    if len(word) < _SHORTEST_SLIP or any("/" in spelling for spelling in units):
        return ""
    near = nearest(word, filter(None, units))
    return units[near] if near and near[0] == word[0] else ""


def _share_hint(text: str) -> str:
    """Return the percentage that a bare number or a fraction probably meant."""
    if re.fullmatch(r"[0-9]{1,2}|100", text):
        return f"{text}%"
    if re.fullmatch(r"0?\.[0-9]{1,6}", text):
        return format_share(Decimal(text))
    return ""


def _quote_text(text: str) -> str:
    """Return a text for a message: control characters escaped, clipped when long."""
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…")
