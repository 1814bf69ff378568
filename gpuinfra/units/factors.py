"""The units, their factors, and the text patterns of each kind of value."""

from datetime import timedelta
from decimal import Decimal
from typing import Final

HOURS_PER_MONTH: Final = Decimal(730)
"""A month of a price, in hours: 365 days / 12, as AWS, Google Cloud and Azure print it."""

HOURS_PER_YEAR: Final = HOURS_PER_MONTH * 12

MAXIMUM_DURATION: Final = timedelta(days=5 * 365)
MAXIMUM_SIZE: Final = 10**18
MAXIMUM_RATE: Final = 10**15
MAXIMUM_TALLY: Final = 10**15

SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
BYTES: Final = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "PB": 10**15,
    "EB": 10**18,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "PiB": 2**50,
}
TALLIES: Final = {"k": 10**3, "M": 10**6, "B": 10**9}
RATES: Final = {
    "kbps": 125,
    "Mbps": 125 * 10**3,
    "Gbps": 125 * 10**6,
    "Tbps": 125 * 10**9,
    **{f"{unit}/s": factor for unit, factor in BYTES.items() if 10**3 <= factor <= 2**40},
}
"""Bytes a second: networks are sold in bits (Gbps), disks and links in bytes (GB/s)."""


NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,6})?"
_ABOVE_ZERO = r"(?!0+(?:\.0+)?[^0-9.])"
DURATION_PATTERN: Final = rf"{_ABOVE_ZERO}{NUMBER} ?(?:{'|'.join(SECONDS)})"
SIZE_PATTERN: Final = rf"{_ABOVE_ZERO}{NUMBER} ?(?:{'|'.join(BYTES)})"
RATE_PATTERN: Final = rf"{_ABOVE_ZERO}{NUMBER} ?(?:{'|'.join(RATES)})"
TALLY_PATTERN: Final = rf"[0-9]{{1,15}}|[0-9]{{1,9}}(?:\.[0-9]{{1,3}})? ?(?:{'|'.join(TALLIES)})"
SHARE_PATTERN: Final = r"(?:100(?:\.0{1,6})?|[0-9]{1,2}(?:\.[0-9]{1,6})?) ?%"
"""The grammar as regular expressions that Python and ECMAScript read alike, without anchors."""

DURATION_ALLOWED: Final = "a number and s, m, h, d or w, for example 45s, 10m, 72h, 30d"
SIZE_ALLOWED: Final = "a number and a unit, for example 500GB, 10TB (10^12 bytes each) or 1TiB"
RATE_ALLOWED: Final = "a number and a unit, for example 400Gbps (bits) or 50GB/s (bytes)"
TALLY_ALLOWED: Final = "a whole number, or a number and k, M or B, for example 10M or 2.5M"
SHARE_ALLOWED: Final = "a share of 0% to 100%, for example 60%"
