"""On-demand prices of machines without GPUs, from a cloud's table `cpu_prices`."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from gpuinfra.clouds.tables import Tables
from gpuinfra.model import Price

ON_DEMAND: Final = "on-demand"
_TABLE: Final = "cpu_prices"
_CUSTOM: Final = "custom_types"
_UNKNOWN: Final = "-"


class CpuPrices:
    """The on-demand prices of one cloud's machines without GPUs: no specs, and never chosen.

    The table is read when the first of them is looked up.

    Args:
        cloud: whose they are.
        tables: the cloud's; one without the table has no such prices.
    """

    def __init__(self, cloud: str, tables: Tables) -> None:
        self._cloud = cloud
        self._tables = tables

    def is_in_table(self, type_: str) -> bool:
        """Return whether a machine type is in the table, in any region: it has no GPU."""
        return type_ in self._by_type or self._series(type_) is not None

    def standard_type(self, type_: str) -> str | None:
        """Return the standard type that prices a custom type; None for any other."""
        series = self._series(type_)
        return None if series is None else str(series["type"])

    def rows(self, type_: str, region: str) -> tuple[Price, ...]:
        """Return the price of a machine type in a region; none where the table has none."""
        cells = self._by_type.get(type_)
        if cells is None and (series := self._series(type_)) is not None:
            return self._prices_of_parts(type_, region, series)
        if cells is None or region not in self._regions:
            return ()
        per_hour = cells.split()[list(self._regions).index(region)]
        return () if per_hour == _UNKNOWN else (self._price(type_, region, per_hour),)

    def _series(self, type_: str) -> Mapping[str, Any] | None:
        """Return the price row of a custom machine type; None for other types."""
        if "custom-" not in type_ or not self._tables.has(_CUSTOM):
            return None
        from gpuinfra.clouds import custom_prices  # noqa: PLC0415  (few stacks have any)

        return custom_prices.series_of(type_, self._tables.table(_CUSTOM))

    def _prices_of_parts(
        self, type_: str, region: str, series: Mapping[str, Any]
    ) -> tuple[Price, ...]:
        from gpuinfra.clouds import custom_prices  # noqa: PLC0415  (few stacks have any)

        def first_price(standard_type: str) -> Price | None:
            return next(iter(self.rows(standard_type, region)), None)

        table = self._tables.table(_CUSTOM)
        price = custom_prices.price_of(type_, series, table, first_price)
        return () if price is None else (price,)

    def all(self) -> Iterator[Price]:
        """Yield every price of the table."""
        for type_, cells in self._by_type.items():
            for region, per_hour in zip(self._regions, cells.split(), strict=True):
                if per_hour != _UNKNOWN:
                    yield self._price(type_, region, per_hour)

    def _price(self, type_: str, region: str, per_hour: str) -> Price:
        source, as_of = self._content["sources"][self._regions[region]]
        return Price(
            cloud=self._cloud,
            item=type_,
            region=region,
            zone=None,
            mode=ON_DEMAND,
            unit="hour",
            per_unit=Decimal(per_hour),
            currency="USD",
            source=source,
            as_of=as_of,
        )

    @cached_property
    def _content(self) -> dict[str, Any]:
        return self._tables.table(_TABLE) if self._tables.has(_TABLE) else {}

    @property
    def _regions(self) -> dict[str, int]:
        """The index of the source of each region, in the order of the prices."""
        regions: dict[str, int] = self._content.get("regions", {})
        return regions

    @cached_property
    def _by_type(self) -> dict[str, str]:
        """The prices of each type in all regions, separated by blanks."""
        groups: dict[str, str] = self._content.get("prices", {})
        return {type_: cells for types, cells in groups.items() for type_ in types.split()}
