"""`gpuinfra catalog refresh`: fetch current prices and machines, and show price changes."""

import sys
from collections.abc import Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import click

from gpuinfra.cli.options import format_options
from gpuinfra.cli.views.render import clean, note, show_json, show_table
from gpuinfra.clouds import PRICED_CLOUDS
from gpuinfra.units import format_percent_change, format_unit_price

if TYPE_CHECKING:
    from collections.abc import Generator

    from gpuinfra.clouds.refreshing.contract import FetchedData, Part
    from gpuinfra.clouds.refreshing.job import Job
    from gpuinfra.clouds.refreshing.page_fetcher import Say
    from gpuinfra.clouds.refreshing.price_changes import ChangeCounts, Key, PriceChange

_MAX_SHOWN: Final = 10
_MEMORY_TOLERANCE: Final = Decimal("0.1")
"""The maximum relative difference between a reported and a nominal GPU memory."""


@click.command("refresh")
@click.option("--cloud", type=click.Choice(PRICED_CLOUDS), required=True, help="Whose interfaces.")
@click.option(
    "--region",
    multiple=True,
    help="Only this region; may be repeated; default all. One AWS region is hundreds of MB.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(["prices", "machines", "spot"]),
    help="Only this part; may be repeated; default all that the credentials allow.",
)
@click.option("--endpoint", default="", help="Use this address instead of the official interface.")
@format_options
def command(
    cloud: str, region: tuple[str, ...], only: "tuple[Part, ...]", endpoint: str, format_: str
) -> int:
    """Fetch current prices and machines from a cloud's own interfaces.

    They go to the user's data folder and join the shipped ones: the newest row counts. On any
    failure the old file stays, with its old dates. Keys come from the environment alone
    (GOOGLE_API_KEY, LAMBDA_API_KEY, the AWS credential chain). Alibaba and Tencent: not yet.
    """
    job = _job(cloud, only, region, endpoint)
    from gpuinfra.clouds.refreshing import job as work  # noqa: PLC0415
    from gpuinfra.clouds.refreshing.price_changes import count_changes, price_changes  # noqa: PLC0415

    for skipped in job.skipped:
        note(f"note: skipped {skipped}")
    try:
        with _progress(cloud) as show_progress:
            fetched = work.fetch(job, show_progress)
    except KeyboardInterrupt:
        note(work.interruption_message(cloud))
        raise
    previous_prices, fetched_prices = _previous_prices(cloud, fetched), _fetched_prices(fetched)
    written_path = work.write(job, fetched)
    counts, changed_prices = (
        count_changes(previous_prices, fetched_prices),
        price_changes(previous_prices, fetched_prices),
    )
    if format_ == "json":
        show_json(
            {
                "cloud": cloud,
                "file": str(written_path),
                "prices": len(fetched.prices),
                "machines": len(fetched.machines),
                "oldest": min((price.as_of for price in fetched.prices), default=None),
                "newest": max((price.as_of for price in fetched.prices), default=None),
                "changes": counts,
                "moves": changed_prices,
                "skipped": job.skipped,
                "left_out": fetched.left_out,
            }
        )
        return 0
    _show_rows(fetched)
    _show_changes(counts, changed_prices)
    click.echo(f"written to {clean(str(written_path))}")
    return 0


def _show_rows(fetched: "FetchedData") -> None:
    dates = sorted({price.as_of for price in fetched.prices})
    date_text = f", of {dates[0]}" if dates else ""
    date_text += f" to {dates[-1]}" if len(dates) > 1 else ""
    machines = f"; {len(fetched.machines):,} machine types" if fetched.machines else ""
    click.echo(f"{len(fetched.prices):,} prices{date_text}{machines}")
    for row in fetched.left_out[:_MAX_SHOWN]:
        note(f"omitted: {row}")
    if len(fetched.left_out) > _MAX_SHOWN:
        note(f"… and {len(fetched.left_out) - _MAX_SHOWN} more omitted: --json lists them")


def _show_changes(counts: "Sequence[ChangeCounts]", changes: "Sequence[PriceChange]") -> None:
    numbers = ("up", "down", "same", "new", "gone")
    if counts:
        show_table(
            ("mode", *numbers),
            [(count.mode, *(str(getattr(count, name)) for name in numbers)) for count in counts],
            right=numbers,
        )
    grouped_changes = _group_same_changes(changes)
    if grouped_changes:
        show_table(
            ("biggest moves", "region", "mode", "was per hour", "is per hour", "change"),
            [
                (
                    same[0].machine,
                    same[0].region if len(same) == 1 else f"{len(same)} regions",
                    same[0].mode,
                    format_unit_price(same[0].before),
                    format_unit_price(same[0].after),
                    f"{format_percent_change(same[0].share)}",
                )
                for same in grouped_changes[:_MAX_SHOWN]
            ],
            right=("was per hour", "is per hour", "change"),
        )
    if len(grouped_changes) > _MAX_SHOWN:
        click.echo(f"… and {len(grouped_changes) - _MAX_SHOWN} more: --json lists them")
    if any(count.gone for count in counts):
        click.echo("gone: no longer listed; their last known values are kept, with the old date")


def _group_same_changes(price_changes: "Sequence[PriceChange]") -> "list[list[PriceChange]]":
    """Group moves of the same machine, mode and prices in several regions."""
    changes_by_value: dict[tuple[str, str, Decimal, Decimal], list[PriceChange]] = {}
    for price_change in price_changes:
        changes_by_value.setdefault(
            (price_change.machine, price_change.mode, price_change.before, price_change.after), []
        ).append(price_change)
    return list(changes_by_value.values())


def _job(cloud: str, only: "tuple[Part, ...]", region: tuple[str, ...], endpoint: str) -> "Job":
    from gpuinfra.errors import InputError  # noqa: PLC0415

    try:
        from gpuinfra.clouds.refreshing import job as work  # noqa: PLC0415
        from gpuinfra.clouds.refreshing.web import checked_address  # noqa: PLC0415

        if endpoint:
            checked_address(endpoint)
        return work.plan(cloud, only, region, endpoint, _gpu_key)
    except ModuleNotFoundError as error:
        if error.name not in {"urllib3", "boto3", "botocore"}:
            raise
        raise InputError.of(
            f"the Python package {error.name}, which fetches prices, is not installed",
            value=f"--cloud {cloud}",
            fix="pip install 'gpuinfra[refresh]'",
        ) from error


def _gpu_key(name: str, memory: Decimal | None) -> str | None:
    """Return the only GPU of the table with this name and about this memory; None if not one."""
    from gpuinfra.catalog.gpus import gpu, matching  # noqa: PLC0415

    known_models = [model for model in map(gpu, matching(name)) if model is not None]
    fitting = [
        model.key
        for model in known_models
        if memory is None
        or (
            model.memory_gb is not None
            and abs(model.memory_gb - memory) <= model.memory_gb * _MEMORY_TOLERANCE
        )
    ]
    return fitting[0] if len(fitting) == 1 else None


@contextmanager
def _progress(cloud: str) -> "Generator[Say]":
    """Show on a terminal which request is running; give the function that updates the line."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(f"refreshing {cloud}") as status:
        yield lambda words: status.update(f"refreshing {cloud}: {escape(clean(words))}")


def _previous_prices(cloud: str, fetched: "FetchedData") -> "dict[Key, Decimal]":
    """Return the catalog's previous prices in US dollars, for all combinations requested."""
    from gpuinfra.catalog import CATALOG  # noqa: PLC0415
    from gpuinfra.clouds import priced_cloud_of  # noqa: PLC0415

    prices: dict[Key, Decimal] = {}
    for machine in priced_cloud_of(cloud).machines.all_machines():
        for mode, region in fetched.covered:
            price = (
                CATALOG.spot(cloud, machine.type, region)
                if mode == "spot"
                else CATALOG.list_price(cloud, machine.type, region, mode)
            )
            if price is not None:
                prices[mode, machine.type, region] = price.per_unit
    return prices


def _fetched_prices(fetched: "FetchedData") -> "dict[Key, Decimal]":
    """Return the fetched prices in US dollars; of a region's zones, the most expensive."""
    prices: dict[Key, Decimal] = {}
    for price in fetched.prices:
        if price.currency == "USD":
            key = (price.mode, price.item, price.region)
            prices[key] = max(price.per_unit, prices.get(key, price.per_unit))
    return prices
