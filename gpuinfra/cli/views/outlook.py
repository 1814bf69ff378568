"""The part of `gpuinfra cost` about runs: interruptions, purchase options, storage, energy."""

from collections.abc import Callable
from typing import Any

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.views.render import clean, section, show_line, show_table
from gpuinfra.cost.energy import EnergyUse, energies
from gpuinfra.cost.interruptions import RunHours
from gpuinfra.cost.run_options import CostSpread, RunOption
from gpuinfra.cost.run_outlook import RunOutlook
from gpuinfra.planning.model_fit import ModelFit, model_fits
from gpuinfra.report.run_words import bound_mark, bounded_by, hours, kwh, lines
from gpuinfra.specs.parameter_counts import format_parameters
from gpuinfra.units import format_money

COLUMNS = ("bought as", "per hour", "hours (p10 to p90)", "per run (p10 to p90)", "price of")


def as_json(stack_check: StackCheck) -> dict[str, Any]:
    """Return the JSON fields `outlook`, `energy` and `memory`."""
    return {
        "outlook": stack_check.outlooks,
        "energy": _energy(stack_check),
        "memory": model_fits(stack_check.stack, stack_check.plan),
    }


def show(stack_check: StackCheck) -> None:
    """Print a table of each run's purchase options, and notes on it."""
    for run in stack_check.outlooks:
        machines = f"{run.machines} × {clean(run.machine)}"
        section(
            f"{clean(run.group)}: {hours(float(run.work_hours))} of work on {machines}, "
            f"machines only{'; spot with interruptions' if _is_spot_known(run) else ''}"
        )
        show_table(
            COLUMNS,
            [_row(purchase_option, run.cheapest) for purchase_option in run.options],
            right=COLUMNS[1:4],
        )
        for line in lines(run):
            show_line(line)
    for model in model_fits(stack_check.stack, stack_check.plan):
        show_line(_memory(model))
        show_line(f"assumed of {model.group}: {'; '.join(model.need.assumptions)}")
    energy = _energy(stack_check)
    for workload in energy:
        show_line(_power(workload))
    if any(workload.kwh is not None for workload in energy):
        most = "all GPUs at full power, pools at their maximum"
        out = "not included: hosts, networks, writing checkpoints and interruptions"
        show_line(f"energy counts {most}, for the duration or a month: {out}")


def _is_spot_known(run: RunOutlook) -> bool:
    """Return whether the cost of the run on spot is known, which counts interruptions."""
    return any(option.mode == "spot" and option.cost for option in run.options)


def _energy(stack_check: StackCheck) -> tuple[EnergyUse, ...]:
    energy = stack_check.stack.energy
    return tuple(energies(stack_check.plan, energy.pue, energy.carbon))


def _row(option: RunOption, cheapest: str) -> tuple[str, ...]:
    return (
        f"→ {option.mode}" if option.mode == cheapest else f"  {option.mode}",
        f"{bound_mark(option.bounded_by)}{format_money(option.per_hour)}",
        _hours_text(option.hours),
        _cost_text(option),
        _price_date_text(option),
    )


def _hours_text(duration: RunHours | None) -> str:
    """Return the expected hours of a run, and their range where interruptions are expected."""
    if duration is None:
        return "–"
    return _with_spread(duration, "{:,.1f}".format)


def _cost_text(option: RunOption) -> str:
    """Return the expected cost of a run, and its range where interruptions are expected."""
    cost, limit_mark = option.cost, bound_mark(option.bounded_by)
    if cost is None:
        # the least that a bound comes to is neither the least nor the most of a run
        is_exact = option.uninterrupted_cost is not None and not option.bounded_by
        return f"from {format_money(option.uninterrupted_cost)}" if is_exact else "–"
    if option.bounded_by:
        return f"{limit_mark}{format_money(cost.expected)}"
    return _with_spread(cost, format_money)


def _with_spread(spread: RunHours | CostSpread, form: Callable[..., str]) -> str:
    """Return a mean with its 10th and 90th percentile, unless all three are shown the same.

    Few interruptions raise the mean above the 90th percentile: then that one alone.
    """
    mean, low, high = form(spread.expected), form(spread.p10), form(spread.p90)
    if mean == low == high:
        return mean
    percentiles = f"p90 {high}" if spread.expected > spread.p90 else f"{low} to {high}"
    return f"{mean} ({percentiles})"


def _price_date_text(option: RunOption) -> str:
    """Return the date and origin of the price, and whether the request may wait for it."""
    if option.bounded_by:
        return f"{option.as_of} {bounded_by(option.bounded_by)}".strip()
    day = option.as_of or ("max_price" if option.may_wait else "")
    return f"{day}, may wait" if option.may_wait else day


def _memory(fit: ModelFit) -> str:
    size = fit.model.name or format_parameters(fit.model.parameters)
    gpus = "one GPU" if fit.need.gpus == 1 else f"each of {fit.need.gpus} GPUs"
    each = f"{fit.need.per_gpu_gb:.0f} GB on {gpus}"
    most = max(fit.need.terms, key=lambda term: term.gigabytes)
    text = f"{size}, {fit.model.task} ({fit.model.split}): {each}"
    have = "has" if fit.need.gpus == 1 else "have"
    memory_text = "" if fit.gpu_gb is None else f", which {have} {fit.gpu_gb:.0f} GB"
    return (
        f"memory of {fit.group}: {text}{memory_text}; most is {most.name}, {most.gigabytes:.0f} GB"
    )


def _power(energy: EnergyUse) -> str:
    item = f"energy of {energy.group}"
    if energy.kwh is None:
        return f"{item}: the power of {energy.gpu} is unknown"
    each = f"{energy.gpus.normalize():f} × {energy.gpu} at {energy.watts} W"
    of_what = "the duration" if energy.period == "run" else "a month"
    span = f"{hours(float(energy.hours))}, {of_what}"
    if energy.total_kwh is None:
        pue = "times the PUE; set energy: {pue: 1.5}"
        return f"{item}: {kwh(energy.kwh)} kWh, {pue} ({each}, {span})"
    carbon = "" if energy.carbon_kg is None else f", {kwh(energy.carbon_kg)} kg of CO2"
    return f"{item}: {kwh(energy.total_kwh)} kWh{carbon} ({each}, PUE {energy.pue}, {span})"
