"""The size of a commitment as text: forecast, test and level."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, heading, note, show_table
from gpuinfra.cost.commitments import Commitment
from gpuinfra.records import record
from gpuinfra.units import format_count, format_money, format_percent, format_unit_price

if TYPE_CHECKING:
    from gpuinfra.forecast import CommitmentAdvice, Trial

MAX_MONTHS: Final = 12
"""The maximum number of months in a table; --json has all."""

OUTDATED_MARK: Final = "*"


@record
class SizedCommitment:
    """A commitment to the machines of a workload, sized from past usage."""

    workload: str
    commitment: Commitment
    advice: "CommitmentAdvice"


def show_sized(sized: SizedCommitment) -> None:
    """Print the forecast, its test on held-out months, and the level to commit to."""
    advice, bought = sized.advice, sized.commitment
    price = format_unit_price(bought.per_hour)
    heading(
        f"{bought.mode} for {clean(sized.workload)} at {price} a machine-hour"
        f" ({bought.as_of or 'yours'}{OUTDATED_MARK if bought.outdated else ''}), sized from its"
        " usage"
    )
    show_trials(advice.trials)
    show_table(
        ("month", "p10", "p50", "p90"),
        [
            (f"{month.month:%Y-%m}", f"{month.p10:,.0f}", f"{month.p50:,.0f}", f"{month.p90:,.0f}")
            for month in advice.months[:MAX_MONTHS]
        ],
        title="GPU-hours by month",
        right=("p10", "p50", "p90"),
    )
    omitted_months = len(advice.months) - MAX_MONTHS
    if omitted_months > 0:
        click.echo(
            f"… and {omitted_months} more months, in --json; the forecast gets less certain"
        )
    if advice.shapes:
        show_usage_patterns(advice)
    else:
        show_level(advice)
    for text in advice.notes:
        note(f"note: {text}")


def show_level(advice: "CommitmentAdvice") -> None:
    """Print the level for usage by hour, and its result in the test."""
    best, test = advice.level, advice.test
    _show_text(
        f"commit to {_gpus(best.gpus)}: expected {format_money(best.cost)} over {_span(advice)},"
        f" {format_money(best.savings)} less than all on demand"
        f" ({format_money(best.all_on_demand)})"
    )
    verb = "saved" if test.saved >= 0 else "cost more by"
    _show_text(
        f"tested on the last {format_count(test.months, 'month')}:"
        f" {_gpus(test.gpus)} would have {verb} "
        f"{format_money(abs(test.saved))}; the best choice, {_gpus(test.best_gpus)}, "
        f"{format_money(test.best_saved)}"
    )


def show_usage_patterns(advice: "CommitmentAdvice") -> None:
    """Print the level for several usage patterns, which monthly figures don't show."""
    even_use, *_ = advice.shapes
    gpus = _gpus(even_use.level.gpus)
    show_table(
        ("at work in", "GPUs at once", "commit to", "saves", f"{gpus} save"),
        [
            (
                f"{format_percent(shape.share)} of the hours",
                f"{shape.gpus_at_once:.1f}",
                _gpus(shape.level.gpus),
                format_money(shape.level.savings),
                format_money(shape.even_usage_savings),
            )
            for shape in advice.shapes
        ],
        title=f"by how the hours are used, over {_span(advice)}",
        right=("GPUs at once", "commit to", "saves", f"{gpus} save"),
    )
    best = advice.level
    advised = f"commit to {_gpus(best.gpus)}" if best.gpus else "no commitment yet"
    worst = min(shape.even_usage_savings for shape in advice.shapes)
    less = f"save {format_money(worst)}" if worst >= 0 else f"cost {format_money(-worst)} more"
    _show_text(
        f"{advised}: monthly figures do not tell how the hours are used; {gpus} save"
        f" {format_money(even_use.even_usage_savings)} where use is even and {less} where it"
        " comes in bursts. Give the usage by hour or day, or the GPUs at work at once (--peak)"
    )


def _gpus(number: float) -> str:
    return format_count(f"{number:g}", "GPU")


def _span(advice: "CommitmentAdvice") -> str:
    return format_count(len(advice.months), "month")


def _show_text(text: str) -> None:
    click.echo(wrap_text(text, "  "))


def show_trials(trials: Sequence["Trial"]) -> None:
    """Print each model's error on the held-out months.

    Behind how many lay in p10–p90 stands the factor that puts four of five there, which the
    forecast of months to come uses.
    """
    show_table(
        ("forecast", "held out", "off by", "in p10–p90", "pinball loss"),
        [
            (
                f"{trial.forecast.model}{' (taken)' if trial_index == 0 else ''}",
                format_count(trial.held_out, "month"),
                format_percent(trial.error),
                f"{trial.months_inside} of {trial.held_out} (× {trial.spread:.2g})",
                f"{trial.loss:,.0f} GPU-h",
            )
            for trial_index, trial in enumerate(trials)
        ],
        right=("off by", "in p10–p90", "pinball loss"),
    )
