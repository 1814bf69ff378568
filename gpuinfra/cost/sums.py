"""What lines of a quote come to: an hour, a month and a run."""

from collections.abc import Iterable
from decimal import Decimal

from gpuinfra.cost.quote import ZERO, Line
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH


@record(kw_only=False)
class Spans:
    """What something costs an hour, a month and a run."""

    per_hour: Decimal = ZERO
    per_month: Decimal = ZERO
    per_run: Decimal = ZERO


@record(kw_only=False)
class Sum(Spans):
    """What lines come to: what is known of it, and what is missing in words.

    `expected` and `minimum` (with pools at their minimum) are None where a part is not known.
    """

    expected: Spans | None = None
    minimum: Spans | None = None
    missing: tuple[str, ...] = ()


def add(lines: Iterable[Line]) -> Sum:
    """Add lines up; a line without an expected cost leaves the expected sum unknown."""
    hour = month = run = ZERO
    likely: Spans | None = Spans()
    least: Spans | None = Spans()
    missing: list[str] = []
    for line in lines:
        if line.status == "unpriced":
            missing.append(f"{line.group or line.name}: {line.note}")
            likely = least = None
        if line.per_hour is None or line.per_month is None:
            continue
        hour += line.per_hour
        month += line.per_month
        run += line.per_run or ZERO
        likely = _in_proportion(likely, line, line.expected_per_hour, line.expected_per_month)
        least = _in_proportion(least, line, line.minimum_per_hour)
    return Sum(hour, month, run, likely, least, tuple(dict.fromkeys(missing)))


def _in_proportion(
    sums: Spans | None, line: Line, hourly: Decimal | None, monthly: Decimal | None = None
) -> Spans | None:
    """The sums with one more line, whose month and run are in proportion to its ceiling.

    Unless its month is given. What is kept for groups that grow within it costs nothing of its own
    at their maximum, and is paid all month below it.
    """
    if sums is None or hourly is None or line.per_hour is None or line.per_month is None:
        return None
    if not line.per_hour:
        all_month = hourly * HOURS_PER_MONTH
        return Spans(sums.per_hour + hourly, sums.per_month + all_month, sums.per_run)
    share = hourly / line.per_hour
    return Spans(
        sums.per_hour + hourly,
        sums.per_month + (line.per_month * share if monthly is None else monthly),
        sums.per_run + (line.per_run or ZERO) * share,
    )
