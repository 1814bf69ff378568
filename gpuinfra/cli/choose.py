"""`gpuinfra choose`: rank the machines that fit, and say why the others lose."""

import click

from gpuinfra.cli.render import money, show_json, show_table
from gpuinfra.cli.source import format_options
from gpuinfra.clouds import CLOUDS, room

SHOWN_LOSERS = 12


@click.command("choose")
@click.argument("gpu")
@click.option(
    "--region",
    multiple=True,
    help="Where; may be repeated; by default the one with the most known prices.",
)
@click.option("--cloud", type=click.Choice(CLOUDS), default=CLOUDS[0], show_default=True)
@click.option(
    "--capacity", type=click.Choice(["on-demand", "spot"]), default="on-demand", show_default=True
)
@click.option("--nvlink/--no-nvlink", default=None, help="Demand NVLink between the GPUs.")
@click.option("--fabric", is_flag=True, help="Demand an RDMA fabric between machines.")
@click.option("--losers", is_flag=True, help="List every loser, not just the first few.")
@format_options
def command(
    gpu: str,
    region: tuple[str, ...],
    cloud: str,
    capacity: str,
    nvlink: bool | None,
    fabric: bool,
    losers: bool,
    format_: str,
) -> int:
    """Rank the machines for GPU: H100:8, 80GB..:8, or an instance type."""
    from gpuinfra.catalog import choose, request  # noqa: PLC0415

    asked = request(
        gpu,
        cloud=cloud,
        regions=region or (room(cloud).DEFAULT_REGION,),
        capacity=capacity,
        nvlink=nvlink,
        fabric=fabric,
    )
    choice = choose(asked)
    if format_ == "json":
        show_json(choice)
        return 0
    show_table(
        ("", "machine", "GPUs", "region", "$/h", "$/GPU-h", "price of"),
        [
            (
                "→" if place == 0 else "",
                one.machine.type,
                f"{one.machine.gpu_count} × {one.machine.gpu}",
                one.region,
                money(one.per_hour),
                money(one.per_hour / one.machine.gpu_count if one.per_hour is not None else None),
                one.as_of or "–",
            )
            for place, one in enumerate(choice.ranked)
        ],
        right=("$/h", "$/GPU-h"),
    )
    lost = choice.losers
    if not losers:
        lost = tuple(one for one in lost if one.constraint != "instance")[:SHOWN_LOSERS]
    if lost:
        show_table(("lost", "because"), [(one.machine, one.reason) for one in lost])
    if len(lost) < len(choice.losers):
        rest = f"{len(choice.losers) - len(lost)} {'more' if lost else 'others lose'}"
        click.echo(f"{'… and ' if lost else ''}{rest}: --losers lists them")
    return 0
