"""`gpuinfra catalog age`: the age of each table, and which shipped rows are outdated."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import click

from gpuinfra.catalog.table_ages import TableAge, ages
from gpuinfra.cli.options import DAY, format_options
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import show_json, show_table
from gpuinfra.clouds import PRICED_CLOUDS
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.today import today
from gpuinfra.units import format_percent


@click.command("age")
@click.option(
    "--as-of",
    type=DAY,
    default=None,
    help="Compute the age for this day; default today.",
)
@click.option(
    "--cloud", type=click.Choice(PRICED_CLOUDS), multiple=True, help="Only these clouds."
)
@click.option(
    "--days",
    type=click.IntRange(min=1),
    default=OUTDATED_AFTER_DAYS,
    show_default=True,
    help="Age in days from which a row is outdated.",
)
@click.option("--years", is_flag=True, help="Count the rows by year instead.")
@format_options
def command(
    as_of: datetime | None, cloud: tuple[str, ...], days: int, years: bool, format_: str
) -> int:
    """Show how old the tables are: per cloud, table and mode of price."""
    day = today() if as_of is None else as_of.date()
    aged = ages(day, days, cloud or PRICED_CLOUDS)
    if format_ == "json":
        show_json({"as_of": day, "days": days, "ages": aged})
        return 0
    if years:
        show_years(aged)
        return 0
    numbers = ("rows", "outdated", "undated")
    show_table(
        ("cloud", "what", "rows", "oldest", "newest", "outdated", "undated"),
        [
            (
                age.cloud or "all",
                table_name(age),
                f"{age.rows:,}",
                str(age.oldest or "–"),
                str(age.newest or "–"),
                share(age.outdated, age.rows),
                share(age.undated, age.rows),
            )
            for age in aged
        ],
        right=numbers,
        title=f"age on {day}",
    )
    fresh = sum(age.refreshed for age in aged)
    if fresh:
        click.echo(f"{fresh:,} of these rows were fetched by gpuinfra catalog refresh")
    click.echo(wrap_text(outdated_sentence(aged, days), "  "))
    return 0


def show_years(ages: Sequence[TableAge]) -> None:
    """Print how many rows are of which year."""
    columns = sorted({year for age in ages for year in age.years})
    show_table(
        ("cloud", "what", *columns, "rows"),
        [
            (
                age.cloud or "all",
                table_name(age),
                *(f"{age.years[year]:,}" if year in age.years else "" for year in columns),
                f"{age.rows:,}",
            )
            for age in ages
        ],
        right=(*columns, "rows"),
    )


def outdated_sentence(ages: Sequence[TableAge], days: int) -> str:
    """Return what outdated means and its consequence, and how to fetch current prices."""
    if not any(age.outdated or age.undated for age in ages):
        return f"no row is undated or older than {days} days"
    return (
        f"outdated: older than {days} days. A stack is refused where an outdated list price,"
        " doubled, would exceed a cap, unless it sets prices: {accept_outdated: true};"
        " `gpuinfra catalog refresh --cloud aws` fetches current prices, and so for other clouds"
        " where it can."
    )


def table_name(age: TableAge) -> str:
    """Return the name of a table; for prices, with the mode."""
    return f"{age.table} {age.mode}".strip()


def share(count: int, rows: int) -> str:
    """Return a count with its share of the rows; empty for a count of 0."""
    return f"{count:,} ({percent(count, rows)})" if count else ""


def percent(count: int, rows: int) -> str:
    """Return a share of the rows in percent; 0% and 100% are never the result of rounding."""
    return format_percent(Decimal(count) / rows)
