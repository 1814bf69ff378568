"""Reads the machine prices of one region from an AWS price list file, a CSV, line by line.

Its form:
https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-service-price-list-file-for-services.html
"""

import csv
from collections.abc import Collection, Iterator
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from pydantic import BaseModel

from gpuinfra.clouds.refreshing.contract import check_positive
from gpuinfra.errors import RefreshError
from gpuinfra.units import HOURS_PER_YEAR

_WANTED_VALUES: Final = {
    "Location Type": {"AWS Region"},
    "Product Family": {"Compute Instance", "Compute Instance (bare metal)"},
    "Operating System": {"Linux"},
    "Tenancy": {"Shared"},
    "Pre Installed S/W": {"NA"},
    "CapacityStatus": {"Used"},
    "License Model": {"No License required"},
    "operation": {"RunInstances"},
}
"""The columns that identify plain Linux on shared hardware, with their values."""

_SOMETIMES: Final = {"MarketOption": {"", "OnDemand"}}
"""Columns that not every file has."""

_NEEDED_COLUMNS: Final = (
    *_WANTED_VALUES,
    "TermType",
    "Unit",
    "PricePerUnit",
    "Currency",
    "LeaseContractLength",
    "PurchaseOption",
    "OfferingClass",
    "Instance Type",
    "GPU",
)
_TERMS: Final = {"1yr": ("reserved-1y", 1), "3yr": ("reserved-3y", 3)}
_OPTIONS: Final = ("No Upfront", "Partial Upfront", "All Upfront")
"""The ways to pay for a reservation, in the order of preference."""


class ListedPrice(BaseModel):
    """The price of a machine type per hour in a region."""

    type: str
    mode: str
    per_hour: Decimal
    currency: str
    note: str = ""


class Offers(BaseModel):
    """The content of a price list file: its date, its prices, and the rows left out."""

    published: date
    offers: list[ListedPrice]
    undescribed: list[str]
    """Machine types with GPUs that the table of machines lacks."""
    left_out: list[str]


ReservedPrices = dict[tuple[str, str, str, str], dict[str, Decimal]]
"""By type, term, option and currency: the price per hour and the upfront price."""


def read_machine_offers(lines: Iterator[str], types: Collection[str]) -> Offers:
    """Return the prices of machine types in a price list file.

    Raises:
        RefreshError: it is not in the documented form, or ends in the middle of a line.
    """
    rows = csv.reader(lines, strict=True)
    try:
        published, columns = _head(rows)
        return _body(rows, columns, published, types)
    except csv.Error as error:
        raise RefreshError(
            f"the price list is not valid CSV: line {rows.line_num}: {error}"
        ) from error


def _head(rows: Iterator[list[str]]) -> tuple[date, list[str]]:
    header: dict[str, str] = {}
    for row in rows:
        if row[:1] == ["SKU"]:
            missing_columns = [name for name in _NEEDED_COLUMNS if name not in row]
            if missing_columns:
                raise RefreshError(f"the price list has no column {missing_columns[0]!r}")
            return _publication_date(header), row
        header[row[0] if row else ""] = row[1] if len(row) > 1 else ""
    raise RefreshError("the price list has no header line")


def _publication_date(header: dict[str, str]) -> date:
    text = header.get("Publication Date", "")
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise RefreshError(f"the price list has no valid publication date: {text!r}") from None


def _body(
    rows: Iterator[list[str]], columns: list[str], published: date, types: Collection[str]
) -> Offers:
    offers: list[ListedPrice] = []
    unreported: set[str] = set()
    left_out: list[str] = []
    reserved: ReservedPrices = {}
    plain = [
        (columns.index(name), accepted) for name, accepted in _accepted_values(columns).items()
    ]
    for cells in rows:
        if len(cells) != len(columns):
            raise RefreshError(f"the price list has a line of {len(cells)} cells")
        # There are millions of lines: most have to go before anything is made of them.
        if not all(cells[index] in accepted for index, accepted in plain):
            continue
        row = dict(zip(columns, cells, strict=True))
        type_ = row["Instance Type"]
        if type_ not in types:
            if row["GPU"] not in {"", "NA", "0"}:
                unreported.add(type_)
        elif row["TermType"] == "Reserved":
            _collect(row, reserved)
        elif row["TermType"] == "OnDemand" and row["Unit"] == "Hrs":
            per_hour = _number(row)
            if check_positive(per_hour, f"{type_} on-demand", left_out):
                offers.append(_offer(row, "on-demand", per_hour))
    offers += _reservations(reserved, left_out)
    return Offers(
        published=published, offers=offers, undescribed=sorted(unreported), left_out=left_out
    )


def _accepted_values(columns: Collection[str]) -> dict[str, set[str]]:
    return {
        **_WANTED_VALUES,
        **{name: values for name, values in _SOMETIMES.items() if name in columns},
    }


def _collect(row: dict[str, str], reserved: ReservedPrices) -> None:
    if row["OfferingClass"] != "standard" or row["LeaseContractLength"] not in _TERMS:
        return
    type_, term = row["Instance Type"], row["LeaseContractLength"]
    key = (type_, term, row["PurchaseOption"], row["Currency"])
    # An upfront fee is a line of its own, counted in "Quantity".
    reserved.setdefault(key, {})[row["Unit"]] = _number(row)


def _reservations(reserved: ReservedPrices, left_out: list[str]) -> Iterator[ListedPrice]:
    best: dict[tuple[str, str], tuple[str, str]] = {}
    for type_, term, option, currency in reserved:
        if option in _OPTIONS:
            best_offer = best.get((type_, term))
            if best_offer is None or _OPTIONS.index(option) < _OPTIONS.index(best_offer[0]):
                best[type_, term] = (option, currency)
    for (type_, term), (option, currency) in best.items():
        paid = reserved[type_, term, option, currency]
        mode, years = _TERMS[term]
        upfront = paid.get("Quantity", Decimal(0)) / (HOURS_PER_YEAR * years)
        per_hour = paid.get("Hrs", Decimal(0)) + upfront
        if check_positive(per_hour, f"{type_} {mode}", left_out):
            note = f"standard, {option.lower()}; the upfront fee spread over the hours of the term"
            yield ListedPrice(
                type=type_,
                mode=mode,
                per_hour=round(per_hour, 6),
                currency=currency,
                note=note if upfront else f"standard, {option.lower()}",
            )


def _offer(row: dict[str, str], mode: str, per_hour: Decimal) -> ListedPrice:
    return ListedPrice(
        type=row["Instance Type"], mode=mode, per_hour=per_hour, currency=row["Currency"]
    )


def _number(row: dict[str, str]) -> Decimal:
    try:
        price = Decimal(row["PricePerUnit"])
    except InvalidOperation:
        price = Decimal("nan")
    if not price.is_finite():
        kind, value = row["Instance Type"], row["PricePerUnit"]
        raise RefreshError(f"the price list has no valid price for {kind}: {value!r}")
    return price
