"""A cloud's prices: machines, services, and the resource types that cost nothing."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, Final

from gpuinfra.clouds.billing import MeteredRate
from gpuinfra.clouds.cpu_prices import ON_DEMAND, CpuPrices
from gpuinfra.clouds.refreshing import user_table_files
from gpuinfra.clouds.tables import Tables, number
from gpuinfra.model import Interruption, Origin, Price

LIST: Final = "list"
"""The mode of a service's price; a machine's price has a way to buy it as its mode."""


class PriceList:
    """The prices of one cloud, from `prices`, `cpu_prices`, `services`, `items` and `free`.

    The user's refreshed rows join the table's; which row of several holds is for the asker. A row
    of `services` is one price in US dollars and the regions, separated by blanks, where it holds.

    Args:
        cloud: whose they are.
        tables: the cloud's.
    """

    def __init__(self, cloud: str, tables: Tables) -> None:
        self._cloud = cloud
        self._tables = tables
        self.cpu = CpuPrices(cloud, tables)
        """The prices of machines without GPUs, which `rows` has too."""
        self.rows = cache(self._rows)
        """All rows of an item in a region, zone rows too.

        `item` is a machine type with the mode on-demand, spot, reserved-1y, reserved-3y or
        capacity-block (USD per machine-hour), or a service item with the mode `list`.
        """
        self.interruption = cache(self._interruption)
        """Return the published interruption rate of a type's spot machines; None without one."""

    def modes(self) -> tuple[str, ...]:
        """Return the modes in which machines have prices."""
        return tuple(
            dict.fromkeys(mode for content, _ in self._contents for mode in content["modes"])
        )

    def all_rows(self) -> Iterator[Price]:
        """Yield every row: of machines with GPUs by region, zone and mode, then of services."""
        for content, origin in self._contents:
            for item, regions in content["items"].items():
                for region, rows in regions.items():
                    for row in rows:
                        yield unpack_price(self._cloud, item, region, row, content, origin)
        for item in self._services:
            yield from self.rows_in_all_regions(item)

    def service_items(self) -> tuple[str, ...]:
        """Return the service keys of the price table, sorted."""
        return tuple(sorted(self._services))

    def rows_in_all_regions(self, item: str) -> tuple[Price, ...]:
        """Return all rows of a service item, of every region."""
        return tuple(
            self._service(row, region)
            for row in self._services.get(item, ())
            for region in row[-1].split()
        )

    def free_type_row(self, token: str) -> Price | None:
        """Return the zero-price row of a free resource type; None for other types."""
        return self._free_rows.get(token)

    def token(self, item: str) -> str:
        """Return the resource type that an item is paid for, as in `not_counted`; or ""."""
        types = self._items["types"].items()
        return next((type_ for start, type_ in types if item.startswith(start)), "")

    @cached_property
    def usage_billing_rules(self) -> Mapping[str, MeteredRate]:
        """The billing rules of a stack's monthly usage, by key of `usage`."""
        return {kind: _metered_rate(row) for kind, row in self._items["metered"].items()}

    def _interruption(self, machine: str, region: str) -> Interruption | None:
        if not self._tables.has("interruptions"):
            return None
        content = self._tables.table("interruptions")
        bucket = content["items"].get(machine, {}).get(region)
        if bucket is None:
            return None
        low, high = content["buckets"][bucket]
        return Interruption(
            machine=machine,
            region=region,
            low=Decimal(low),
            high=number(high),
            source=content["source"],
            as_of=content["as_of"],
        )

    def _rows(self, item: str, region: str, mode: str) -> tuple[Price, ...]:
        if mode == LIST:
            return tuple(
                self._service(row, region)
                for row in self._services.get(item, ())
                if region in row[-1].split()
            )
        prices: tuple[Price, ...] = ()
        for content, origin in self._contents:
            if mode not in content["modes"]:
                continue
            mode_index = content["modes"].index(mode)
            cells = content["items"].get(item, {}).get(region, ())
            prices += tuple(
                unpack_price(self._cloud, item, region, row, content, origin)
                for row in cells
                if row[0] == mode_index
            )
        if prices or mode != ON_DEMAND:
            return prices
        return self.cpu.rows(item, region) or self._custom_machine_prices(item, region)

    def _custom_machine_prices(self, item: str, region: str) -> tuple[Price, ...]:
        """Return a custom machine's price with its GPUs, which no single row contains."""
        standard_type = self.cpu.standard_type(item.partition("+")[0])
        if "+" not in item or standard_type is None:
            return ()
        from gpuinfra.clouds import custom_prices  # noqa: PLC0415  (few stacks have any)

        price = custom_prices.price_with_gpus(
            item,
            standard_type,
            lambda type_: next(iter(self.rows(type_, region, ON_DEMAND)), None),
        )
        return () if price is None else (price,)

    @cached_property
    def _contents(self) -> tuple[tuple[dict[str, Any], Origin], ...]:
        """The shipped table, and the refreshed one where there is one."""
        shipped = self._tables.table("prices")
        fresh = user_table_files.content(self._cloud)
        return (
            ((shipped, "catalog"),)
            if fresh is None
            else ((shipped, "catalog"), (fresh, "refreshed"))
        )

    @cached_property
    def _items(self) -> Mapping[str, Mapping[str, Any]]:
        has_items = self._tables.has("items")
        return self._tables.table("items") if has_items else {"types": {}, "metered": {}}

    @cached_property
    def _services(self) -> dict[str, list[list[Any]]]:
        """The rows of the table `services`, unchanged, by item."""
        by_item: dict[str, list[list[Any]]] = {}
        for row in self._tables.table("services")["rows"]:
            by_item.setdefault(row[0], []).append(row)
        return by_item

    def _service(self, row: list[Any], region: str) -> Price:
        """Return a row of services as a price in one of its regions."""
        item, unit, per_unit, source, quality, note, _ = row
        content = self._tables.table("services")
        name, as_of = content["sources"][source]
        return Price(
            cloud=self._cloud,
            item=item,
            region=region,
            zone=None,
            mode=LIST,
            unit=unit,
            per_unit=Decimal(per_unit),
            currency="USD",
            source=name,
            as_of=as_of,
            notes=f"{quality}; {content['notes'][note]}".removesuffix("; "),
        )

    @cached_property
    def _free_rows(self) -> dict[str, Price]:
        return {
            token: Price(
                cloud=self._cloud,
                item=token,
                region="",
                zone=None,
                mode=LIST,
                unit="",
                per_unit=Decimal(0),
                currency="USD",
                source=row["source"],
                as_of=row["as_of"],
                notes=row["why"],
            )
            for row in self._tables.table("free")["rows"]
            for token in row["types"]
        }


def unpack_price(
    cloud: str, item: str, region: str, row: list[Any], content: dict[str, Any], origin: Origin
) -> Price:
    """Return a row of a table of machine prices as a price.

    Args:
        cloud: whose price it is.
        item: the machine type of the row.
        region: its region.
        row: mode, zone, per hour, the highest zone's, source, note, and the currency if not USD.
        content: the table, with its modes, sources and notes.
        origin: whether the table was shipped or refreshed.
    """
    mode, zone, per_hour, highest, source, note, *currency = row
    name, as_of = content["sources"][source]
    return Price(
        cloud=cloud,
        item=item,
        region=region,
        zone=zone,
        mode=content["modes"][mode],
        unit="hour",
        per_unit=Decimal(per_hour),
        currency=currency[0] if currency else "USD",
        source=name,
        as_of=as_of,
        maximum=number(highest),
        notes=content["notes"][note],
        origin=origin,
    )


def _metered_rate(row: Mapping[str, Any]) -> MeteredRate:
    fields: dict[str, Any] = {**row, "tiers": tuple(map(tuple, row.get("tiers", ())))}
    return MeteredRate(**fields)
