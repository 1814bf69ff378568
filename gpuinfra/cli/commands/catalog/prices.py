"""The price tables of `gpuinfra catalog show`: by region and mode, or by zone."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import click

from gpuinfra.catalog.fact_age import earliest, is_outdated
from gpuinfra.catalog.price_book import ceiling
from gpuinfra.catalog.price_row_choice import ConsideredPrice
from gpuinfra.cli.views.catalog_facts import amount, interruption_rate, source
from gpuinfra.cli.views.render import heading, show_table, wrap_after
from gpuinfra.model import OUTDATED_AFTER_DAYS, Interruption, Price
from gpuinfra.today import today

OUTDATED_MARK: Final = "*"
"""The mark of a price that is outdated or undated."""

NOT_CHEAPER: Final = "!"
"""The mark of a price that is not below the one on demand in its region."""

LEGEND: Final = {
    OUTDATED_MARK: f"older than {OUTDATED_AFTER_DAYS} days, or undated",
    NOT_CHEAPER: "not below the on-demand price: older than a price cut, or no spare capacity",
}


def show_prices(
    rows: Sequence[ConsideredPrice], interruptions: Sequence[Interruption], *, by_zone: bool
) -> None:
    """Print the prices in use, by region and mode or, with `by_zone`, every row by zone."""
    heading("prices per machine-hour")
    if not rows:
        click.echo("none is known: no source was found")
        return
    used = _rows(rows) if by_zone else _regions(rows, interruptions)
    if interruptions:
        interruption = interruptions[0]
        rates = (
            ", ".join(
                f"{interruption.region} {interruption_rate(interruption)}"
                for interruption in interruptions
            )
            if by_zone
            else ""
        )
        legend_text = (
            f"interrupted: share of spot machines per month{f': {rates}' if rates else ''}"
        )
        click.echo(wrap_after("", f"{legend_text}; {interruption.source}, {interruption.as_of}"))
    for mark, legend_text in LEGEND.items():
        if any(mark in text for text in used):
            click.echo(f"{mark}  {legend_text}")


def _rows(rows: Sequence[ConsideredPrice]) -> list[str]:
    """Print rows by zone with their sources, and return the marks used."""
    on_demand = _on_demand_prices(rows)
    marks = [_marks(row.price, on_demand) for row in rows]
    show_table(
        ("", "mode", "region", "zone", "per hour", "as of", "source"),
        [
            (
                "→" if considered.is_effective else "",
                considered.price.mode,
                considered.price.region,
                considered.price.zone or "",
                f"{amount(considered.price)}{mark}",
                considered.price.as_of,
                source(considered.price),
            )
            for considered, mark in zip(rows, marks, strict=True)
        ],
        right=("per hour",),
    )
    click.echo("→  counts for its region; --why shows the rule")
    return marks


def _regions(rows: Sequence[ConsideredPrice], interruptions: Sequence[Interruption]) -> list[str]:
    """Print a line per region, cheapest first, with each price's month, and return the cells."""
    on_demand = _on_demand_prices(rows)
    counting = {(row.price.region, row.price.mode): row.price for row in rows if row.is_effective}
    modes = tuple(dict.fromkeys(row.price.mode for row in rows))
    interruption_by_region = {interruption.region: interruption for interruption in interruptions}

    def cell(region: str, mode: str) -> str:
        price = counting.get((region, mode))
        if price is None:
            return "–"
        return f"{amount(price)} {month(price.as_of)}{_marks(price, on_demand)}"

    def order(region: str) -> tuple[bool, Decimal, str]:
        price = counting.get((region, modes[0]))
        return (price is None, Decimal(0) if price is None else price.per_unit, region)

    regions = sorted({row.price.region for row in rows}, key=order)
    cells = {region: tuple(cell(region, mode) for mode in modes) for region in regions}
    extra = ("taken back",) if interruption_by_region else ()
    show_table(
        ("region", *modes, *extra),
        [
            (
                region,
                *cells[region],
                *(
                    (interruption_rate(interruption_by_region.get(region)),)
                    if interruption_by_region
                    else ()
                ),
            )
            for region in regions
        ],
        right=(*modes, *extra),
    )
    explanation = "year and month of each price; –: unknown"
    options = "Day, zone, source: --region REGION. How it was selected: --why"
    click.echo(wrap_after("", f"{explanation}. {options}"))
    return [text for line in cells.values() for text in line]


def month(as_of: str) -> str:
    """Return the year and month of a date in short (26-07); a year alone in full."""
    return as_of[2:7] if earliest(as_of) and "-" in as_of else as_of


def _on_demand_prices(rows: Sequence[ConsideredPrice]) -> dict[tuple[str, str], Decimal]:
    """Return the on-demand price in use, by region and currency."""
    return {
        (row.price.region, row.price.currency): row.price.per_unit
        for row in rows
        if row.is_effective and row.price.mode == "on-demand"
    }


def _marks(price: Price, on_demand: dict[tuple[str, str], Decimal]) -> str:
    old = is_outdated(price.as_of, today())
    usual = on_demand.get((price.region, price.currency))
    is_dear = price.mode != "on-demand" and usual is not None and ceiling(price) >= usual
    return (OUTDATED_MARK if old else "") + (NOT_CHEAPER if is_dear else "")
