"""The provider score as the guides weigh it: a range wherever a value is unknown."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal

from gpuinfra.records import record

WEIGHTS: Final[Mapping[str, Decimal]] = {
    "performance": Decimal(30),
    "cost": Decimal(25),
    "network": Decimal(20),
    "support": Decimal(15),
    "ecosystem": Decimal(10),
}
"""The guides' weights; each counts by its share of the sum."""

MAX_POINTS: Final = Decimal(100)

Better = Literal["more", "less"]
PointRange = tuple[Decimal, Decimal]
"""The lowest and the highest points that the unknown allows."""


@record
class ScoreValue:
    """A provider's value in one respect, or the reason why there is none.

    `outdated` is a price that is too old to be counted on, `unverified` one written
    from memory and not checked against its source. Both count as they are, and the output that
    shows them has to say so.
    """

    value: Decimal | None
    source: str
    as_of: str
    note: str = ""
    outdated: bool = False
    unverified: bool = False


@record
class ScoreInput:
    """An input of a criterion, with the value of each provider.

    `full_points_value` is the value that has all the points, and so has what is better still; None
    where nothing is known.
    """

    criterion: str
    name: str
    unit: str
    direction: Better
    values: Mapping[str, ScoreValue]
    full_points_value: Decimal | None


@record
class Score:
    """A provider's points of 100: the lowest and the highest that the unknown values allow.

    `parts` has the points of each criterion, lowest and highest, before its weight.
    """

    cloud: str
    low: Decimal
    high: Decimal
    parts: Mapping[str, PointRange]


def scores(
    inputs: Sequence[ScoreInput], clouds: Sequence[str], weights: Mapping[str, Decimal] = WEIGHTS
) -> tuple[Score, ...]:
    """Return the scores, the best lowest score first, then by the highest, then by name.

    In each input a value has its share of the full value's 100 points. What is unknown has 0 to
    100, until it is known: it widens the range of its own provider and moves no other.
    A criterion is the mean of its inputs; one without any has 0 to 100.
    """
    total = sum(weights.values())
    results = [_score(cloud, inputs, weights, total) for cloud in clouds]
    results.sort(key=lambda score: (-score.low, -score.high, score.cloud))
    return tuple(results)


def points(value: Decimal | None, full: Decimal | None, better: Better) -> PointRange:
    """Return the lowest and the highest points of a value, equal unless it is unknown."""
    if value is None or full is None:
        return Decimal(0), MAX_POINTS
    if value == full or (value > full) == (better == "more"):
        return MAX_POINTS, MAX_POINTS
    share = value / full if better == "more" else full / value
    return MAX_POINTS * share, MAX_POINTS * share


def best_value(readings: Iterable[ScoreValue], better: Better) -> Decimal | None:
    """Return the best known value; None where none is known."""
    known_values = [reading.value for reading in readings if reading.value is not None]
    return (max if better == "more" else min)(known_values, default=None)


def _score(
    cloud: str, inputs: Sequence[ScoreInput], weights: Mapping[str, Decimal], total: Decimal | int
) -> Score:
    parts = {criterion: _part(cloud, inputs, criterion) for criterion in weights}
    low, high = (
        sum(
            (weights[name] * criterion_score[end] for name, criterion_score in parts.items()),
            Decimal(0),
        )
        / total
        for end in (0, 1)
    )
    return Score(cloud=cloud, low=low, high=high, parts=parts)


def _part(cloud: str, inputs: Sequence[ScoreInput], criterion: str) -> PointRange:
    ends = [
        points(figure.values[cloud].value, figure.full_points_value, figure.direction)
        for figure in inputs
        if figure.criterion == criterion
    ]
    if not ends:
        return Decimal(0), MAX_POINTS
    lows, highs = zip(*ends, strict=True)
    return sum(lows, Decimal(0)) / len(ends), sum(highs, Decimal(0)) / len(ends)
