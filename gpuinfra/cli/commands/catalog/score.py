"""`gpuinfra catalog score`: the providers' scores by the guides' criteria, as ranges."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final

import click

from gpuinfra.catalog.query_subject import gpu_keys
from gpuinfra.catalog.scoring.score import WEIGHTS, Score, ScoreInput, ScoreValue, scores
from gpuinfra.catalog.scoring.score_data import inputs
from gpuinfra.cli.commands.catalog.prices import OUTDATED_MARK
from gpuinfra.cli.options import DAY, format_options
from gpuinfra.cli.views.catalog_facts import number
from gpuinfra.cli.views.render import show_json, show_table, wrap_after
from gpuinfra.clouds import PRICED_CLOUDS
from gpuinfra.errors import InputError, Problem, unknown_word
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.today import today
from gpuinfra.units import format_money

LIGHTEST: Final = Decimal("0.001")
HEAVIEST: Final = Decimal(1_000_000)
"""Between which a weight above 0 has to be, so that every share can be computed."""

UNVERIFIED: Final = "~"
"""The mark of a figure that is unverified."""

LEGEND: Final = {
    OUTDATED_MARK: f"a price older than {OUTDATED_AFTER_DAYS} days, or undated",
    UNVERIFIED: "unverified: written from memory, not checked against its source",
}

DEFAULT = ",".join(f"{name}={weight}" for name, weight in WEIGHTS.items())


@click.command("score")
@click.option(
    "--weights", default=DEFAULT, show_default=True, help="Criteria that are not listed weigh 0."
)
@click.option("--gpu", default="A100", show_default=True, help="The GPU whose price is compared.")
@click.option(
    "--cloud", type=click.Choice(PRICED_CLOUDS), multiple=True, help="Only these clouds."
)
@click.option(
    "--as-of",
    type=DAY,
    default=None,
    help="Compute the age of prices for this day; default today.",
)
@format_options
def command(
    weights: str, gpu: str, cloud: tuple[str, ...], as_of: datetime | None, format_: str
) -> int:
    """Score the clouds from 0 to 100; unknown values give a range."""
    weighed = parse_weights(weights)
    gpu_keys(gpu)
    clouds = tuple(dict.fromkeys(cloud)) or PRICED_CLOUDS
    day = today() if as_of is None else as_of.date()
    counted_rows = tuple(row for row in inputs(clouds, gpu, day) if weighed[row.criterion])
    scored = scores(counted_rows, clouds, weighed)
    if format_ == "json":
        show_json({"weights": weighed, "scores": scored, "inputs": counted_rows})
        return 0
    show_inputs(counted_rows, clouds)
    show_scores(scored, [name for name, weight in weighed.items() if weight])
    click.echo(
        wrap_after(
            "",
            "For each input the best known value has 100 points, the others in "
            "proportion; an unknown value (?) counts as anything from 0 to 100. "
            "Sources and dates: --json.",
        )
    )
    return 0


def parse_weights(text: str) -> dict[str, Decimal]:
    """Return the weights of all criteria from a text, for example performance=30,cost=25.

    Raises:
        InputError: an unknown criterion or one weighed twice, no number, one outside of what is
            allowed, or nothing that weighs.
    """
    weights: dict[str, Decimal] = {}
    problems = []
    for weight_text in text.split(","):
        name, _, figure = (word.strip() for word in weight_text.partition("="))
        weight = weight_of(figure)
        if name not in WEIGHTS:
            problems.append(unknown_word("unknown criterion", name, WEIGHTS))
        elif name in weights:
            problems.append(
                Problem(message=f"{name} has two weights", value=text, allowed="one weight each")
            )
        elif weight is None:
            problems.append(
                Problem(
                    message=f"the weight of {name} is not a number, or out of range",
                    value=figure,
                    allowed=f"0, or {LIGHTEST} to {HEAVIEST:,}; for example {DEFAULT}",
                )
            )
        else:
            weights[name] = weight
    if not problems and not any(weights.values()):
        problems.append(
            Problem(message="all weights are 0", value=text, allowed="a weight above 0")
        )
    if problems:
        raise InputError(problems)
    return {name: weights.get(name, Decimal(0)) for name in WEIGHTS}


def weight_of(figure: str) -> Decimal | None:
    """Return a weight: 0, or between the lightest and the heaviest; None if invalid."""
    try:
        weight = Decimal(figure)
    except InvalidOperation:
        return None
    fine = weight.is_finite() and (weight == 0 or LIGHTEST <= weight <= HEAVIEST)
    return weight if fine else None


def show_inputs(counted_rows: Sequence[ScoreInput], clouds: Sequence[str]) -> None:
    """Print the inputs of the score, a line per input and a column per cloud."""
    show_table(
        ("criterion", "input", *clouds),
        [
            (
                row.criterion,
                f"{row.name}{f', {row.unit}' if row.unit else ''}",
                *(value_of(row, row.values[cloud]) for cloud in clouds),
            )
            for row in counted_rows
        ],
        right=clouds,
    )
    input_values = [row.values[cloud] for row in counted_rows for cloud in clouds]
    for mark, legend_text in LEGEND.items():
        if any(mark in marks(reading) for reading in input_values):
            click.echo(f"{mark}  {legend_text}")


def value_of(row: ScoreInput, reading: ScoreValue) -> str:
    """Return a value in its input's unit, with its marks; "?" if unknown."""
    if reading.value is None:
        return "?"
    value = format_money(reading.value) if "$" in row.unit else number(reading.value)
    return value + marks(reading)


def marks(reading: ScoreValue) -> str:
    """Return the marks of an outdated or unverified value."""
    return (OUTDATED_MARK if reading.outdated else "") + (UNVERIFIED if reading.unverified else "")


def show_scores(scores: Sequence[Score], criteria: Sequence[str]) -> None:
    """Print the score ranges, best first."""
    show_table(
        ("cloud", "score", *criteria),
        [
            (
                score.cloud,
                span(score.low, score.high),
                *(span(*score.parts[criterion]) for criterion in criteria),
            )
            for score in scores
        ],
        right=("score", *criteria),
    )


def span(low: Decimal, high: Decimal) -> str:
    """Return a range of points; one number where both ends are the same."""
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
