"""The part of `gpuinfra catalog show --why`: every row considered, and the deciding rules."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import click

from gpuinfra.catalog.contradictions import Contradiction, contradictions_about
from gpuinfra.catalog.price_book import ceiling
from gpuinfra.catalog.price_row_choice import RULES, ConsideredPrice
from gpuinfra.catalog.query_subject import Subject
from gpuinfra.catalog.reference_figures import ReferenceFigure, reference_figures
from gpuinfra.cli.views.catalog_facts import amount, source
from gpuinfra.cli.views.render import heading, wrap_after
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Machine
from gpuinfra.units import format_unit_price

UNITS: Final = {"gib": "GiB", "gb": "GB", "gbps": "Gbps", "gbs": "GB/s", "tflops": "TFLOPS"}


def main_region(machine: Machine, rows: Sequence[ConsideredPrice]) -> tuple[str, ...]:
    """Return the region to explain by default: the cloud's, else the one with most rows."""
    regions = Counter(row.price.region for row in rows)
    usual = priced_cloud_of(machine.cloud).regions.default
    if usual in regions or not regions:
        return (usual,)
    return (max(sorted(regions), key=regions.__getitem__),)


def contradictions_of(subject: Subject) -> tuple[Contradiction, ...]:
    """Return the contradictions of sources about a machine and its GPU, or about GPU models."""
    machine = subject.machine
    of_machine = contradictions_about(machine.cloud, machine.type) if machine else ()
    return (
        *of_machine,
        *(
            contradiction
            for gpu in subject.gpus
            for contradiction in contradictions_about("", gpu.key)
        ),
    )


def kept_apart(subject: Subject) -> tuple[ReferenceFigure, ...]:
    """Return the figures of a machine that sources have but that are not prices."""
    machine = subject.machine
    return reference_figures(machine.cloud, machine.type) if machine else ()


def show(
    rows: Sequence[ConsideredPrice],
    contradictions: Sequence[Contradiction],
    figures: Sequence[ReferenceFigure],
) -> None:
    """Print every row considered, the contradictions, and the rules used."""
    for (mode, region), group in groupby(
        rows, key=lambda considered: (considered.price.mode, considered.price.region)
    ):
        click.echo()
        heading(f"{mode} in {region}")
        for verdict in group:
            _row(verdict)
    click.echo()
    heading("where the sources disagree")
    if not contradictions:
        click.echo("  no known disagreement")
    for contradiction in contradictions:
        _contradiction(contradiction)
    if figures:
        click.echo()
        heading("numbers that are not prices")
    for figure in figures:
        click.echo(f"  {figure.mode} {format_unit_price(figure.per_hour, figure.currency)}")
        _print_indented(f"{figure.source}, {figure.as_of}: {figure.why}")
    used = [rule for rule in RULES if any(row.rule == rule for row in rows)]
    if used:
        click.echo()
        heading("rules")
    for rule in used:
        click.echo(wrap_after(f"  {rule:<16}", RULES[rule]))


def _row(considered: ConsideredPrice) -> None:
    price = considered.price
    spread = (
        ""
        if ceiling(price) == price.per_unit
        else f"{format_unit_price(price.per_unit, price.currency)} to "
    )
    click.secho(
        f"{'→' if considered.is_effective else ' '} {spread + amount(price):<16} "
        f"{price.zone or 'the region':<16} {price.as_of:<21} {considered.rule}",
        bold=considered.is_effective,
    )
    _print_indented("; ".join(filter(None, (source(price), price.notes))))


def _contradiction(contradiction: Contradiction) -> None:
    region_text = f" in {contradiction.region}" if contradiction.region else ""
    click.secho(
        f"→ {_field(contradiction.field)}{region_text}: "
        f"{contradiction.shipped.value or 'unknown'}",
        bold=True,
    )
    _print_indented(f"{contradiction.shipped.source}, {contradiction.shipped.as_of}")
    for other in contradiction.others:
        click.echo(f"  not {other.value or 'unknown'}")
        _print_indented(f"{other.source}, {other.as_of}")
    _print_indented(f"{contradiction.rule}: {contradiction.sentence}")
    _print_indented(contradiction.notes)


def _field(name: str) -> str:
    """Return a column's name with its unit: gpu memory GiB."""
    return " ".join(UNITS.get(word, word) for word in name.split("_"))


def _print_indented(text: str) -> None:
    if text:
        click.echo(wrap_after("    ", text))
