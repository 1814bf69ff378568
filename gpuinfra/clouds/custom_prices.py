"""The price of custom machine types (own vCPUs and GiB), from the prices of predefined types."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_UP, Decimal
from typing import Any, Final

from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import Price

_FORM: Final = re.compile(r"(?:(?P<series>[a-z]\d[a-z]?)-)?custom-(?P<vcpus>\d+)-(?P<mib>\d+)")
_FIRST_SERIES: Final = "n1"
"""The series of a type that names none."""

_MIB: Final = 1024
_CENTS: Final = Decimal("0.000001")


def series_of(type_: str, table: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the row of a type's series; None where the table has none for it."""
    form = _FORM.fullmatch(type_)
    series = None if form is None else form["series"] or _FIRST_SERIES
    return next((row for row in rows_of(table) if row["series"] == series), None)


def price_of(
    type_: str,
    row: Mapping[str, Any],
    table: Mapping[str, Any],
    priced: Callable[[str], Price | None],
) -> Price | None:
    """Return a custom type's price: parts at the rates of two predefined types, times a factor.

    Args:
        type_: n2-custom-8-16384 has 8 vCPUs and 16 GiB.
        row: of its series.
        table: the table that the row is of.
        priced: the price of an ordinary type in the region; None where it is not known.
    """
    form = _FORM.fullmatch(type_)
    small, large = priced(row["type"]), priced(row["larger"])
    if form is None or small is None or large is None:
        return None
    least, most = Decimal(row["gib"]), Decimal(row["larger_gib"])
    gib = (large.per_unit - small.per_unit) / (most - least)
    vcpu = (small.per_unit - gib * least) / row["vcpus"]
    parts = vcpu * int(form["vcpus"]) + gib * int(form["mib"]) / _MIB
    cost = (parts * Decimal(table["factor"])).quantize(_CENTS, ROUND_UP)
    source = f"{table['source']}; {small.source}"
    return replace(small, item=type_, per_unit=cost, source=source)


def price_with_gpus(
    type_: str, standard_type: str, priced: Callable[[str], Price | None]
) -> Price | None:
    """Return the price of a type with attached GPUs, each at its rate on the predefined type.

    Args:
        type_: n1-custom-8-30720+4xT4 has four.
        standard_type: the type of its series of which the price with one GPU is known.
        priced: the price of a type in the region; None where it is not known.
    """
    base, _, gpus = type_.partition("+")
    count, _, gpu = gpus.partition("x")
    ordinary_price, with_one_gpu, base_price = (
        priced(standard_type),
        priced(f"{standard_type}+1x{gpu}"),
        priced(base),
    )
    if (
        ordinary_price is None
        or with_one_gpu is None
        or base_price is None
        or not count.isdecimal()
    ):
        return None
    cost = base_price.per_unit + int(count) * (with_one_gpu.per_unit - ordinary_price.per_unit)
    return replace(
        base_price, item=type_, per_unit=cost, source=f"{base_price.source}; {with_one_gpu.source}"
    )
