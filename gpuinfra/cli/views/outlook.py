"""What `gpuinfra cost` says of each run: interruptions, ways to buy it, storage, energy."""

from typing import Any

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.views.layout import wrapped
from gpuinfra.cli.views.render import clean, heading, money, show_table
from gpuinfra.cost.energy import Energy, energies
from gpuinfra.cost.ways import RunOption
from gpuinfra.planning.model_fit import ModelFit, model_fits
from gpuinfra.report.run_words import bounded_by, hours, kwh, lines, most
from gpuinfra.specs.parameter_counts import format_parameters

COLUMNS = ("bought as", "$/h", "hours", "p10 to p90", "$ a run", "p10 to p90", "price of")


def as_json(loaded: StackCheck) -> dict[str, Any]:
    """What `--json` has of it: `outlook`, `energy` and `memory`."""
    return {
        "outlook": loaded.outlooks,
        "energy": _energy(loaded),
        "memory": model_fits(loaded.stack, loaded.plan),
    }


def show(loaded: StackCheck) -> None:
    """A table of the ways to buy each run, and a line for each thing worth knowing about it."""
    for run in loaded.outlooks:
        machines = f"{run.machines} × {clean(run.machine)}"
        heading(
            f"{clean(run.group)}: {hours(float(run.work))} of work on {machines}, machines only"
        )
        show_table(
            COLUMNS,
            [_row(way, run.cheapest) for way in run.ways],
            right=COLUMNS[1:6],
        )
        for line in lines(run):
            _say(line)
    for model in model_fits(loaded.stack, loaded.plan):
        _say(_memory(model))
        _say(f"assumed of {model.group}: {'; '.join(model.need.assumed)}")
    energy = _energy(loaded)
    for workload in energy:
        _say(_power(workload))
    if any(workload.kwh is not None for workload in energy):
        most = "all GPUs at full power, pools at their maximum"
        out = "not included: hosts, networks, writing checkpoints and interruptions"
        _say(f"energy counts {most}, for the duration or a month: {out}")


def _say(line: str) -> None:
    click.echo(wrapped(clean(line), "  "))


def _energy(loaded: StackCheck) -> tuple[Energy, ...]:
    energy = loaded.stack.energy
    return tuple(energies(loaded.plan, energy.pue, energy.carbon))


def _row(way: RunOption, cheapest: str) -> tuple[str, ...]:
    taken, cost = way.hours, way.cost
    # the least that a bound comes to is neither the least nor the most of a run
    known = cost is None and way.least is not None and not way.bound
    floor = f"from {money(way.least)}" if known else "–"
    return (
        f"→ {way.mode}" if way.mode == cheapest else f"  {way.mode}",
        f"{most(way.bound)}{money(way.per_hour)}",
        f"{taken.expected:,.1f}" if taken else "–",
        f"{taken.p10:,.1f} to {taken.p90:,.1f}" if taken and taken.interruptions else "",
        f"{most(way.bound)}{money(cost.expected)}" if cost else floor,
        f"{money(cost.p10)} to {money(cost.p90)}"
        if cost and taken and taken.interruptions and not way.bound
        else "",
        _dated(way),
    )


def _dated(way: RunOption) -> str:
    """The day of the counted price, whose it is, and whether the request may wait for it."""
    if way.bound:
        return f"{way.as_of} {bounded_by(way.bound)}".strip()
    day = way.as_of or ("max_price" if way.may_wait else "")
    return f"{day}, may wait" if way.may_wait else day


def _memory(fit: ModelFit) -> str:
    size = fit.model.name or format_parameters(fit.model.parameters)
    gpus = "one GPU" if fit.need.gpus == 1 else f"each of {fit.need.gpus} GPUs"
    each = f"{fit.need.per_gpu_gb:.0f} GB on {gpus}"
    most = max(fit.need.terms, key=lambda term: term.gigabytes)
    words = f"{size}, {fit.model.task} ({fit.model.split}): {each}"
    have = "has" if fit.need.gpus == 1 else "have"
    room = "" if fit.gpu_gb is None else f", which {have} {fit.gpu_gb:.0f} GB"
    return f"memory of {fit.group}: {words}{room}; most is {most.name}, {most.gigabytes:.0f} GB"


def _power(energy: Energy) -> str:
    of = f"energy of {energy.group}"
    if energy.kwh is None:
        return f"{of}: the power of {energy.gpu} is unknown"
    each = f"{energy.gpus.normalize():f} × {energy.gpu} at {energy.watts} W"
    of_what = "the duration" if energy.of == "run" else "a month"
    span = f"{hours(float(energy.hours))}, {of_what}"
    if energy.total_kwh is None:
        pue = "times the PUE; set energy: {pue: 1.5}"
        return f"{of}: {kwh(energy.kwh)} kWh, {pue} ({each}, {span})"
    carbon = "" if energy.carbon_kg is None else f", {kwh(energy.carbon_kg)} kg of CO2"
    return f"{of}: {kwh(energy.total_kwh)} kWh{carbon} ({each}, PUE {energy.pue}, {span})"
