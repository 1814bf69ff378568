"""`gpuinfra catalog show`: everything known of a machine type or a GPU, and why it is used."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from gpuinfra.catalog.contradictions import Contradiction
from gpuinfra.catalog.gpus import most_similar, nearest_gpus_text
from gpuinfra.catalog.machine_listing import ListedMachine, listing
from gpuinfra.catalog.price_row_choice import ConsideredPrice, considered_prices
from gpuinfra.catalog.query_subject import Subject, subject
from gpuinfra.catalog.reference_figures import ReferenceFigure
from gpuinfra.cli import shell_completion
from gpuinfra.cli.commands.catalog import why as reasons
from gpuinfra.cli.commands.catalog.ls import show_listing
from gpuinfra.cli.commands.catalog.prices import show_prices
from gpuinfra.cli.options import format_options
from gpuinfra.cli.views.catalog_facts import gpu_facts, machine_facts, show_facts
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import heading, show_json
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.errors import InputError, unknown_word
from gpuinfra.model import Gpu, Interruption, Machine


@dataclass(frozen=True, kw_only=True)
class PriceFilter:
    """The filter of the prices shown; an empty field matches all."""

    regions: tuple[str, ...]
    modes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CatalogFacts:
    """The facts shown, in the shape of the JSON; `contradictions` and `apart` need --why."""

    machine: Machine | None = None
    gpus: tuple[Gpu, ...]
    prices: tuple[ConsideredPrice, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    machines: tuple[ListedMachine, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    apart: tuple[ReferenceFigure, ...] = ()


@click.command("show")
@click.argument("word", shell_complete=shell_completion.machines)
@click.option("--region", multiple=True, help="Only these regions, zone by zone.")
@click.option("--mode", multiple=True, help="Only prices of these modes, zone by zone.")
@click.option("--why", is_flag=True, help="Every row considered, and the rule that decided on it.")
@format_options
def command(
    word: str, region: tuple[str, ...], mode: tuple[str, ...], why: bool, format_: str
) -> int:
    """Show all that is known of WORD: a machine type (p5.48xlarge) or a GPU (H100)."""
    catalog_subject = subject(word)
    facts = catalog_facts(catalog_subject, PriceFilter(regions=region, modes=mode), why=why)
    if format_ == "json":
        show_json(facts)
        return 0
    if catalog_subject.machine is not None:
        show_facts(catalog_subject.machine.type, machine_facts(catalog_subject.machine))
    if catalog_subject.machine is None or not why:
        show_gpus(catalog_subject)
    if why:
        reasons.show(facts.prices, facts.contradictions, facts.apart)
    elif catalog_subject.machine is not None:
        click.echo()
        show_prices(facts.prices, facts.interruptions, by_zone=bool(region or mode))
    else:
        click.echo()
        if facts.machines:
            heading("machine types that have it")
            show_listing(facts.machines)
        else:
            click.echo(wrap_text(_not_sold([gpu.key for gpu in facts.gpus])))
    return 0


def _not_sold(keys: Sequence[str]) -> str:
    """Return that no machine type has these GPUs, and the nearest that some have."""
    sold = {listed_machine.machine.gpu for listed_machine in listing()}
    nearest_text = nearest_gpus_text(keys, most_similar(keys, sold))
    return "; ".join(filter(None, ("no machine type in the catalog has it", nearest_text)))


def show_gpus(subject: Subject) -> None:
    """Print the GPU of a machine, or the GPU models."""
    for index, gpu in enumerate(subject.gpus):
        if subject.machine or index:
            click.echo()
        show_facts(f"its GPU, {gpu.key}" if subject.machine else gpu.key, gpu_facts(gpu))


def catalog_facts(subject: Subject, price_filter: PriceFilter, *, why: bool) -> CatalogFacts:
    """Return the facts to show of a machine type or of GPU models.

    Raises:
        InputError: the cloud has no such region or mode; all of them are named.
    """
    machine = subject.machine
    if machine is None:
        machines = listing(keys=[gpu.key for gpu in subject.gpus])
        return CatalogFacts(
            gpus=subject.gpus, machines=machines, contradictions=contradictions_of(subject, why)
        )
    check(machine, price_filter)
    rows = tuple(rows_of(machine, price_filter))
    if why and not price_filter.regions:
        regions = reasons.main_region(machine, rows)
        rows = tuple(row for row in rows if row.price.region in regions)
    return CatalogFacts(
        machine=machine,
        gpus=subject.gpus,
        prices=rows,
        interruptions=tuple(interruptions(machine, price_filter)),
        contradictions=contradictions_of(subject, why),
        apart=reasons.kept_apart(subject) if why else (),
    )


def contradictions_of(subject: Subject, why: bool) -> tuple[Contradiction, ...]:
    """Return the contradictions between sources with `why`; else nothing."""
    return reasons.contradictions_of(subject) if why else ()


def check(machine: Machine, price_filter: PriceFilter) -> None:
    """Refuse regions and modes that the cloud does not have.

    Raises:
        InputError: one or more are unknown; all of them are named.
    """
    priced_cloud = priced_cloud_of(machine.cloud)
    wrong = [
        unknown_word(f"unknown {option} of {machine.cloud}", given_value, allowed)
        for option, given_values, allowed in (
            ("region", price_filter.regions, priced_cloud.regions.all()),
            ("mode", price_filter.modes, priced_cloud.prices.modes()),
        )
        for given_value in given_values
        if given_value not in allowed
    ]
    if wrong:
        raise InputError(wrong)


def rows_of(machine: Machine, price_filter: PriceFilter) -> Iterator[ConsideredPrice]:
    """Yield the price rows of a machine by mode and region, the one in use first."""
    priced_cloud = priced_cloud_of(machine.cloud)
    for mode in price_filter.modes or priced_cloud.prices.modes():
        for region in price_filter.regions or priced_cloud.regions.all():
            yield from considered_prices(machine.cloud, machine.type, region, mode)


def interruptions(machine: Machine, price_filter: PriceFilter) -> Iterator[Interruption]:
    """Yield the published interruption rate of a machine type for each region."""
    priced_cloud = priced_cloud_of(machine.cloud)
    for region in price_filter.regions or priced_cloud.regions.all():
        published = priced_cloud.prices.interruption(machine.type, region)
        if published is not None:
            yield published
