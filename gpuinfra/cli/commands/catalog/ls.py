"""`gpuinfra catalog ls`: the machine types, and the lowest known price of each."""

from collections.abc import Sequence
from itertools import groupby

import click

from gpuinfra.catalog.machine_listing import ListedMachine, listing
from gpuinfra.catalog.query_subject import gpu_keys
from gpuinfra.cli.options import format_options
from gpuinfra.cli.views.catalog_facts import amount, gpus, number
from gpuinfra.cli.views.render import show_json, show_table, wrap_after
from gpuinfra.clouds import PRICED_CLOUDS
from gpuinfra.model import Machine
from gpuinfra.units import format_count


@click.command("ls")
@click.option(
    "--cloud", type=click.Choice(PRICED_CLOUDS), multiple=True, help="Only these clouds."
)
@click.option("--gpu", default=None, help="Only with this GPU: H100, A100-80GB, T4.")
@format_options
def command(cloud: tuple[str, ...], gpu: str | None, format_: str) -> int:
    """List the machine types with their GPUs and the cheapest on-demand price."""
    keys = None if gpu is None else gpu_keys(gpu)
    listed_machines = listing(cloud or PRICED_CLOUDS, keys)
    if format_ == "json":
        show_json(listed_machines)
        return 0
    show_listing(listed_machines)
    return 0


def show_listing(listed_machines: Sequence[ListedMachine]) -> None:
    """Print a table of machine types for each cloud."""
    for cloud, of_it in groupby(
        listed_machines, key=lambda listed_machine: listed_machine.machine.cloud
    ):
        show_table(
            ("machine", "GPUs", "NVLink", "fabric", "per hour", "in", "as of"),
            [
                (
                    entry.machine.type + status_suffix(entry.machine),
                    gpus(entry.machine),
                    nvlink_size(entry.machine),
                    rdma_text(entry.machine),
                    "–" if entry.cheapest is None else amount(entry.cheapest),
                    "" if entry.cheapest is None else entry.cheapest.region,
                    "" if entry.cheapest is None else entry.cheapest.as_of[:7],
                )
                for entry in of_it
            ],
            right=("NVLink", "per hour"),
            title=cloud,
            spare=("as of", "in", "NVLink"),
        )
    count = format_count(len(listed_machines), "machine type")
    click.echo(
        wrap_after(
            "",
            f"{count}. per hour: cheapest on-demand price; –: unknown. "
            "NVLink: how many GPUs it joins. Fabric: Gbps. ?: unknown. "
            "The rest: gpuinfra catalog show TYPE",
        )
    )


def status_suffix(machine: Machine) -> str:
    """Return the status of a machine type in parentheses; empty if it is current."""
    return "" if machine.status == "current" else f" ({machine.status})"


def nvlink_size(machine: Machine) -> str:
    """Return how many GPUs NVLink joins, abbreviated; "?" if unknown."""
    if machine.nvlink is None:
        return "?"
    if not machine.nvlink:
        return "–"
    return "yes" if machine.nvlink_domain is None else str(machine.nvlink_domain)


def rdma_text(machine: Machine) -> str:
    """Return the RDMA network between machines and its Gbps, abbreviated."""
    if not machine.fabric:
        return "–"
    rate = "?" if machine.fabric_gbps is None else number(machine.fabric_gbps)
    return f"{machine.fabric} {rate}"
