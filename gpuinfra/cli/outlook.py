"""What `gpuinfra cost` says of each run: interruptions, ways to buy it, storage, energy."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import click

from gpuinfra.cli.render import clean, heading, money, show_table
from gpuinfra.cli.source import Loaded
from gpuinfra.cost.energy import Energy, energies
from gpuinfra.cost.outlook import RunOutlook, outlook
from gpuinfra.cost.ways import Way
from gpuinfra.planning.held import Held, held
from gpuinfra.stackfile.parameters import format_parameters
from gpuinfra.units import format_share, format_size

COLUMNS = ("bought as", "$/h", "hours", "p10 to p90", "$ a run", "p10 to p90", "price of")

SURE = Decimal("0.999")
"""From here on a break-even share says nothing: it stands for every machine of the month."""


def found(loaded: Loaded) -> dict[str, Any]:
    """What `--json` has of it: `outlook`, `energy` and `memory`."""
    return {
        "outlook": _outlook(loaded),
        "energy": _energy(loaded),
        "memory": held(loaded.stack, loaded.plan),
    }


def show(loaded: Loaded) -> None:
    """A table of the ways to buy each run, and a line for each thing worth knowing about it."""
    for run in _outlook(loaded):
        machines = f"{run.machines} × {clean(run.machine)}"
        heading(
            f"{clean(run.group)}: {_hours(float(run.work))} of work on {machines}, machines alone"
        )
        show_table(
            COLUMNS,
            [_row(way, run.cheapest) for way in run.ways],
            right=COLUMNS[1:6],
        )
        for line in _lines(run):
            click.echo(clean(line))
    for model in held(loaded.stack, loaded.plan):
        click.echo(clean(_memory(model)))
    energy = _energy(loaded)
    for one in energy:
        click.echo(clean(_power(one)))
    if any(one.kwh is not None for one in energy):
        most = "all GPUs at full power, pools at their maximum"
        click.echo(f"energy is of {most}: hosts and networks are not in it")


def _outlook(loaded: Loaded) -> tuple[RunOutlook, ...]:
    return outlook(loaded.stack, loaded.plan, loaded.source.terms(loaded.as_of))


def _energy(loaded: Loaded) -> tuple[Energy, ...]:
    said = loaded.stack.energy
    return tuple(energies(loaded.plan, said.pue, said.carbon))


def _row(way: Way, cheapest: str) -> tuple[str, ...]:
    hours, cost = way.hours, way.cost
    floor = f"from {money(way.least)}" if cost is None and way.least is not None else "–"
    return (
        f"→ {way.mode}" if way.mode == cheapest else f"  {way.mode}",
        money(way.per_hour),
        f"{hours.expected:.1f}" if hours else "–",
        f"{hours.p10:.1f} to {hours.p90:.1f}" if hours and hours.interruptions else "",
        money(cost.expected) if cost else floor,
        f"{money(cost.p10)} to {money(cost.p90)}"
        if cost and hours and hours.interruptions
        else "",
        way.as_of,
    )


def _lines(run: RunOutlook) -> Iterator[str]:
    for way in run.ways:
        yield from _said(way)
    sources = "; ".join(f"{way.mode} {way.source}" for way in run.ways if way.source)
    yield f"prices from: {sources or 'nobody knows one'}"
    yield _interruptions(run)
    yield from _checkpoints(run)
    yield from _even(run)
    yield from _storage(run)
    if run.unknown:
        yield f"not known without {run.unknown} under {run.subject}: what interruptions cost"


def _said(way: Way) -> Iterator[str]:
    """What has to be said of one way; what is missing to know spot is told with the rest."""
    if way.break_even is not None:
        from_ = f"cheaper than on demand from {_hours(float(way.break_even))} on"
        yield f"{way.mode}: {'; '.join(filter(None, (way.note, from_)))}"
    elif way.note and (way.mode != "spot" or way.cost is not None or way.least is None):
        yield f"{way.mode}: {way.note}"


def _interruptions(run: RunOutlook) -> str:
    known = run.interruption
    if known is None or run.counted is None or run.between is None or run.interrupted is None:
        return "interruptions: nobody publishes how often this machine is taken back here"
    if known.high is None:
        share = f"more than {format_share(known.low)} of machines a month, counted at that"
    else:
        low, high = format_share(known.low), format_share(known.high)
        share = f"{low} to {high} of machines a month, counted at {high}"
    once = (
        f"one in {_hours(run.between)} of this run, {_percent(run.interrupted)} of runs have any"
    )
    return f"interruptions: {share}: {once} ({known.source}, {known.as_of})"


def _checkpoints(run: RunOutlook) -> Iterator[str]:
    if run.write_hours is None or run.write_share is None:
        return
    size = f"{run.checkpoint_gb:,.0f} GB" + (
        " (from for_model)" if run.checkpoint_of == "for_model" else ""
    )
    took = f"{size} take {_hours(run.write_hours)} to write"
    words = f"checkpoints: {took}, {run.write_share:.1%} of the run"
    best = run.interval
    if best is None:
        yield words
        return
    often, first = _hours(min(best.best, float(run.work))), _hours(best.young)
    words += f"; best every {often} (Daly 2006; Young: {first})"
    if best.hours_now is not None and best.hours_best is not None:
        saved = _hours(best.hours_now - best.hours_best)
        words += f", which on spot takes {saved} less than every {_hours(best.now)}"
    yield words


def _even(run: RunOutlook) -> Iterator[str]:
    share, between = run.break_even, run.break_even_between
    if run.break_even_hours is not None:
        short = f"runs of less than {_hours(run.break_even_hours)}"
        yield f"break-even: without checkpoints, spot is cheaper than on demand only for {short}"
    if share is None or between is None:
        yield from _no_cheaper(run)
        return
    once = f"the run is interrupted less than once in {_hours(between)}"
    if share < SURE:
        once = f"fewer than {share:.1%} of machines are interrupted a month ({once})"
    yield f"break-even: spot is cheaper than on demand as long as {once}"


def _no_cheaper(run: RunOutlook) -> Iterator[str]:
    each = {way.mode: way.per_hour for way in run.ways}
    spot, listed = each.get("spot"), each.get("on-demand")
    if spot and listed and spot >= listed:
        yield "break-even: none, spot in its dearest zone is no cheaper than on demand"


def _storage(run: RunOutlook) -> Iterator[str]:
    stored = run.storage
    if stored is None or (stored.reads is None and stored.writes is None):
        return
    most = "an unknown rate" if stored.network is None else f"at most {_rate(stored.network)}"
    words = f"storage: the machines' network takes {most} ({stored.source})"
    if stored.reads is not None:
        waits = {True: "the GPUs wait for data", False: "enough", None: "not known if enough"}
        words += f"; reads {_rate(stored.reads)}: {waits[stored.starved]} by it"
    if stored.writes is not None:
        words += f"; narrowest for a checkpoint: {stored.narrowest}, {_rate(stored.write_rate)}"
    yield f"{words}; what the bucket gives is in no table"


def _memory(one: Held) -> str:
    size = one.model.name or format_parameters(one.model.parameters)
    each = f"{one.need.per_gpu_gb:.0f} GB on each of {one.need.gpus} GPUs"
    most = max(one.need.terms, key=lambda term: term.gigabytes)
    words = f"{size} to {one.model.task} ({one.model.split}) takes {each}"
    room = "" if one.gpu_gb is None else f", which have {one.gpu_gb:.0f} GB"
    return f"memory of {one.group}: {words}{room}; most is {most.name}, {most.gigabytes:.0f} GB"


def _power(one: Energy) -> str:
    of = f"energy of {one.group}"
    if one.kwh is None:
        return f"{of}: nobody knows the watts of {one.gpu}"
    each = f"{one.gpus.normalize():f} × {one.gpu} at {one.watts} W"
    span = f"{_hours(float(one.hours))} of a {one.of}"
    if one.total_kwh is None:
        kwh = _kwh(one.kwh)
        pue = "times the PUE, which energy: {pue: 1.5} would say"
        return f"{of}: {kwh} kWh, {pue} ({each}, {span})"
    carbon = "" if one.carbon_kg is None else f", {_kwh(one.carbon_kg)} kg of CO2"
    return f"{of}: {_kwh(one.total_kwh)} kWh{carbon} ({each}, PUE {one.pue}, {span})"


def _rate(rate: Decimal | None) -> str:
    """Bytes a second."""
    return "–" if rate is None else f"{format_size(int(rate))}/s"


def _percent(share: float) -> str:
    """A share, small ones with a digit more."""
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"  # noqa: PLR2004


def _kwh(amount: Decimal) -> str:
    """Whole kWh or kg, small ones with a digit more."""
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:.1f}"  # noqa: PLR2004


def _hours(hours: float) -> str:
    """Hours as people say them: 72h, 1h 10m, 70s."""
    seconds = round(timedelta(hours=hours).total_seconds())
    if seconds < 3 * 60:
        return f"{seconds}s"
    minutes = round(seconds / 60)
    whole, rest = divmod(minutes, 60)
    if whole >= 100 or not rest:  # noqa: PLR2004  (from there on minutes say nothing)
        return f"{whole:,}h" if whole else f"{rest}m"
    return f"{whole}h {rest}m" if whole else f"{rest}m"
