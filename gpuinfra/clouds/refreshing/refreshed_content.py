"""The content of a refreshed file: the fetched rows as table columns, merged with old ones."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from gpuinfra.clouds.price_list import unpack_price
from gpuinfra.clouds.refreshing.contract import FetchedData
from gpuinfra.clouds.refreshing.user_table_files import Content
from gpuinfra.model import Price


def merged_file(cloud: str, fetched: FetchedData, old: Content | None) -> Content:
    """Return the content of a refreshed file after a fetch.

    A machine's rows of a mode in a region give way to new ones of the same, all zones together.
    What was not asked about, or is not listed any more, stays with its own date: a silence is no
    price, and what lies under the row is older still.
    """
    fresh = {(price.item, price.region, price.mode) for price in fetched.prices}
    shipped_prices = [
        price
        for price in prices(cloud, old or {})
        if (price.item, price.region, price.mode) not in fresh
    ]
    rows: dict[str, Mapping[str, Any]] = {}
    rows.update((row["type"], row) for row in (old or {}).get("machines", ()))
    rows.update((row["type"], row) for row in fetched.machines)
    return {
        "cloud": cloud,
        **_columns([*shipped_prices, *fetched.prices]),
        "machines": [rows[type_] for type_ in sorted(rows)],
    }


def prices(cloud: str, content: Content) -> Iterator[Price]:
    """Yield all price rows of a refreshed file."""
    for item, regions in content.get("items", {}).items():
        for region, rows in regions.items():
            for row in rows:
                yield unpack_price(cloud, item, region, row, content, "refreshed")


def _columns(prices: Iterable[Price]) -> Content:
    modes: dict[str, int] = {}
    sources: dict[tuple[str, str], int] = {}
    notes: dict[str, int] = {}
    items: dict[str, dict[str, list[list[Any]]]] = {}
    for price in sorted(
        prices, key=lambda entry: (entry.item, entry.region, entry.mode, entry.zone or "")
    ):
        row: list[Any] = [
            modes.setdefault(price.mode, len(modes)),
            price.zone,
            _number(price.per_unit),
            None if price.maximum is None else _number(price.maximum),
            sources.setdefault((price.source, price.as_of), len(sources)),
            notes.setdefault(price.notes, len(notes)),
        ]
        if price.currency != "USD":
            row.append(price.currency)
        items.setdefault(price.item, {}).setdefault(price.region, []).append(row)
    return {"modes": list(modes), "sources": list(sources), "notes": list(notes), "items": items}


def _number(value: Decimal) -> str:
    """Return a number as the tables write it, without superfluous digits."""
    return format(value.normalize(), "f")
