"""What services cost that are billed by the hour of what they state, by a table of their cloud.

A row of the table names types and the cases of what they pay for; the first case that holds is
what a resource pays. A case holds where the inputs have the values under `when` (see
`free_cases`), the texts at the paths under `match` are of that form, and each item of its lines
has a price. An item is named by the parts of those texts, and its quantity is the product of
`times`: see `_number`. A line without `times` is paid once, and one with null by use.

With `each`, every entry of that list pays as a case says. `unpriced` says what else a resource
pays for, without a price in the table, unless its inputs meet a case or its version is supported:
`until` has the last day of each version at the path under `version`. A line is left out by its
`unless`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.observing import free_cases
from gpuinfra.clouds.observing.rows import service_item, unpriced_rows
from gpuinfra.clouds.observing.values import amount, largest
from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.tables import Tables
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown
from gpuinfra.today import today

_TABLE: Final = "hourly_services"
_MILLICORE: Final = "m"


@dataclass(frozen=True)
class HourlyServices:
    """The services of one cloud that are billed by the hour.

    Args:
        cloud: whose they are.
        tables: the cloud's, with `hourly_services`.
        prices: the cloud's.
    """

    cloud: str
    tables: Tables
    prices: PriceList

    def rows(self, resource: Resource, kind: str, region: Callable[[], str]) -> Rows | None:
        """Return what a resource pays an hour; None where the table does not say it.

        Args:
            resource: of any type.
            kind: its canonical type.
            region: returns the region of the resource.
        """
        row = _rows_by_type(self.tables).get(kind)
        return None if row is None else self._rows(resource, row, region)

    def _rows(
        self, resource: Resource, row: Mapping[str, Any], region: Callable[[], str]
    ) -> Rows | None:
        row_factor = row.get("each", "")
        parts = [
            self._lines(row, part) for part in free_cases.values_at(resource.inputs, row_factor)
        ]
        if not parts or None in parts:
            return None
        items = [
            service_item(self.cloud, resource, row["kind"], item, line["unit"], quantity, region())
            for lines in parts
            for item, line, quantity in lines or ()
        ]
        unpriced = "; ".join(
            entry["what"]
            for entry in row.get("unpriced", ())
            if not free_cases.is_harmless(resource.inputs, entry.get("unless", ()))
            and not _is_supported(resource.inputs, entry)
        )
        unpriced_result = unpriced_rows(resource, unpriced) if unpriced else Rows()
        return replace(unpriced_result, items=tuple(items))

    def _lines(
        self, row: Mapping[str, Any], inputs: Any
    ) -> list[tuple[str, Mapping[str, Any], Decimal | Unknown | None]] | None:
        """Return the lines of the first case that holds, with their items and quantities."""
        for case in row["cases"]:
            matched_parts = _words(case, inputs)
            if matched_parts is None:
                continue
            lines = [
                (
                    line["item"].format(**matched_parts),
                    line,
                    _quantity(line, inputs, matched_parts),
                )
                for line in case["lines"]
                if not free_cases.is_harmless(inputs, line.get("unless", ()))
            ]
            if all(self.prices.rows_in_all_regions(item) for item, *_ in lines):
                return lines
        return None


@cache
def _rows_by_type(tables: Tables) -> Mapping[str, Mapping[str, Any]]:
    return {token: row for row in tables.table(_TABLE)["rows"] for token in row["types"]}


def _words(case: Mapping[str, Any], inputs: Any) -> dict[str, str] | None:
    """Return the named parts of the texts that a case matches; None where it does not hold."""
    if not free_cases.matches_case(inputs, case.get("when", {})):
        return None
    words: dict[str, str] = {}
    for path, form in case.get("match", {}).items():
        (value,) = free_cases.values_at(inputs, path)
        value_text = _text(value)
        match = None if value_text is None else re.fullmatch(form, value_text, re.IGNORECASE)
        if match is None:
            return None
        words |= {name: part.lower() for name, part in match.groupdict("").items()}
    return words


def _is_supported(inputs: Any, entry: Mapping[str, Any]) -> bool:
    """Return whether a version is stated whose last day of support is not over."""
    versions: Mapping[str, str] = entry.get("until", {})
    if not versions:
        return False
    (stated,) = free_cases.values_at(inputs, entry["version"])
    stated_version = _text(stated) or ""
    ends = (
        last_day
        for version, last_day in versions.items()
        if re.match(rf"{re.escape(version)}(?![^._])", stated_version)
    )
    return today().isoformat() <= next(ends, "")


def _text(value: Any) -> str | None:
    """Return a text, a number in digits, empty for what is not stated; None for other values."""
    if isinstance(value, str):
        return value
    number = amount(value)
    if number is None:
        return ""
    return None if isinstance(number, Unknown) else str(number)


def _quantity(
    line: Mapping[str, Any], inputs: Any, matched_parts: Mapping[str, str]
) -> Decimal | Unknown | None:
    times = line.get("times", ())
    if times is None:
        return None
    product = Decimal(1)
    for factor in times:
        number = _number(factor, inputs, matched_parts)
        if isinstance(number, Unknown):
            return UNKNOWN
        product *= number
    return product


def _number(factor: Any, inputs: Any, matched_parts: Mapping[str, str]) -> Decimal | Unknown:
    """Return a factor: a number, the `largest` of some, a part of a text, or the sum at a path.

    `as` gives the number of a word, `plus` adds to what is stated, `per` divides; `unstated` is
    the factor in place of a value that is not there, without which it is unknown.
    """
    if isinstance(factor, str):
        return Decimal(factor)
    if "largest" in factor:
        return largest([_number(part, inputs, matched_parts) for part in factor["largest"]])
    if "part" in factor:
        values: Iterator[Any] = iter([matched_parts[factor["part"]]])
    else:
        values = free_cases.values_at(inputs, factor["at"])
    total = Decimal(0)
    for value in values:
        number = _stated_number(value, factor)
        if number is None:
            number = (
                _number(factor["unstated"], inputs, matched_parts)
                if "unstated" in factor
                else UNKNOWN
            )
        if isinstance(number, Unknown):
            return UNKNOWN
        total += number
    return (total + Decimal(factor.get("plus", 0))) / Decimal(factor.get("per", 1))


def _stated_number(value: Any, factor: Mapping[str, Any]) -> Decimal | Unknown | None:
    """Return the number that is stated; None where there is no value."""
    known_words = factor.get("as")
    if known_words is not None and value is not None:
        return amount(known_words.get(value) if isinstance(value, str) else None) or UNKNOWN
    return _READERS[factor.get("read", "number")](value)


def _cores(value: Any) -> Decimal | Unknown | None:
    """Return a number of processors, in thousandths where it ends in m."""
    if isinstance(value, str) and value.endswith(_MILLICORE):
        number = amount(value.removesuffix(_MILLICORE))
        return number / 1000 if isinstance(number, Decimal) else UNKNOWN
    return amount(value)


def _gib(value: Any) -> Decimal | Unknown | None:
    """Return a quantity of Kubernetes in GiB."""
    return None if value is None else free_cases.gib_of(value) or UNKNOWN


_READERS: Final[Mapping[str, Callable[[Any], Decimal | Unknown | None]]] = {
    "number": amount,
    "gib": _gib,
    "cores": _cores,
}
