"""The formatting of durations, sizes and shares."""

from datetime import timedelta
from decimal import Decimal

from gpuinfra.units.factors import BYTES, RATES, SECONDS


def hours(duration: timedelta) -> Decimal:
    """Return a duration in hours, exactly."""
    return Decimal(duration // timedelta(microseconds=1)) / 3_600_000_000


def gigabytes(size: int) -> Decimal:
    """Return bytes in GB of 10^9 bytes."""
    return Decimal(size) / BYTES["GB"]


def format_duration(duration: timedelta) -> str:
    """Return a duration in its largest whole unit up to days, which can be parsed again."""
    micros = duration // timedelta(microseconds=1)
    for unit in "dhm":
        if micros % (SECONDS[unit] * 1_000_000) == 0:
            return f"{micros // (SECONDS[unit] * 1_000_000)}{unit}"
    return f"{plain(Decimal(micros) / 1_000_000)}s"


def format_size(size: int) -> str:
    """Return bytes in the unit with the shortest exact text, which can be parsed again."""
    texts = [
        f"{plain(Decimal(size) / factor)}{unit}"
        for unit, factor in BYTES.items()
        if size >= factor and size * 1000 % factor == 0
    ]
    return min(reversed(texts), key=len)


def format_rate(rate: int) -> str:
    """Return bytes per second as a network rate, exactly, in bits where possible."""
    for unit in ("Gbps", "Mbps", "kbps"):
        if rate * 1000 % RATES[unit] == 0 and rate >= RATES[unit]:
            return f"{plain(Decimal(rate) / RATES[unit])}{unit}"
    return f"{plain(Decimal(rate) / RATES['kB/s'])}kB/s"


def format_share(share: Decimal) -> str:
    """Return 0.6 as `60%`."""
    return f"{plain(share * 100)}%"


def format_count(number: Decimal | float | str, noun: str, plural: str = "") -> str:
    """Return a number with its noun, plural except after 1: `1 hour`, `4 hours`, `2 GiB-months`.

    Args:
        number: as it is shown, or to be shown as it is.
        noun: for one thing.
        plural: for several, where that is not the noun with an s.
    """
    return f"{number} {noun if str(number) == '1' else plural or f'{noun}s'}"


def plain(number: Decimal) -> str:
    """Return a number without trailing zeros or an exponent."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
