"""`gpuinfra catalog regions`: the regions in the tables, by cloud and continent."""

import click

from gpuinfra.catalog.continents import continent_of
from gpuinfra.cli.options import format_options
from gpuinfra.cli.views.render import show_json, show_table
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of


@click.command("regions")
@click.option(
    "--cloud", type=click.Choice(PRICED_CLOUDS), multiple=True, help="Only these clouds."
)
@format_options
def command(cloud: tuple[str, ...], format_: str) -> int:
    """List the regions of each cloud, by continent; `choose --region` takes both."""
    by_cloud = {name: _regions_by_continent(name) for name in cloud or PRICED_CLOUDS}
    if format_ == "json":
        show_json(by_cloud)
        return 0
    rows = [
        (name, continent, ", ".join(regions))
        for name, by_continent in by_cloud.items()
        for continent, regions in by_continent.items()
    ]
    show_table(("cloud", "continent", "regions"), rows)
    return 0


def _regions_by_continent(cloud: str) -> dict[str, list[str]]:
    regions: dict[str, list[str]] = {}
    for region in priced_cloud_of(cloud).regions.all():
        regions.setdefault(continent_of(region) or "elsewhere", []).append(region)
    return dict(sorted(regions.items()))
