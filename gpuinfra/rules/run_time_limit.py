"""The time to live of a run's machines, and the fix that sets it."""

from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.clouds import title
from gpuinfra.model import Group
from gpuinfra.units import HOURS_PER_MONTH, plain
from gpuinfra.units.message_merging import list_in_words, names_by_value

TIME_TO_LIVE_FACTOR: Final = Decimal("1.25")
"""The factor from a run's duration to the suggested time_to_live."""

DEFAULT_TIME_TO_LIVE_HOURS: Final = 72
"""The suggested time_to_live in hours where the run's duration is not stated."""


def time_to_live(hours: Decimal | None) -> int:
    """Return the hours after which a machine is to end, a quarter longer than its run."""
    if hours is None:
        return DEFAULT_TIME_TO_LIVE_HOURS
    return int((hours * TIME_TO_LIVE_FACTOR).to_integral_value(ROUND_CEILING))


def end_after_runs(groups: Iterable[Group]) -> Iterator[str]:
    """Yield fixes that end the machines of groups after a run, with the key to set."""
    for hours, names in names_by_value((it.name, it.needs.hours) for it in groups):
        whose = "its" if len(names) == 1 else "their"
        run = "a time" if hours is None else f"{whose} run"
        yield f"end {list_in_words(names)} after {run} (time_to_live: {time_to_live(hours)}h)"


def endless_reasons(groups: Iterable[Group]) -> Iterator[str]:
    """Yield why groups count a whole month although their run is shorter."""
    for run, names in names_by_value((group.name, _run_of(group)) for group in groups):
        verb, them, whose = ("counts", "it", "its") if len(names) == 1 else _SEVERAL
        yield (
            f"{list_in_words(names)} {verb} {HOURS_PER_MONTH} hours: nothing ends {them} after "
            f"{whose} {run}"
        )


_SEVERAL: Final = ("count", "them", "their")


def _run_of(group: Group) -> str:
    return f"{plain(Decimal(group.needs.hours or 0))} h on {title(group.cloud)}"
