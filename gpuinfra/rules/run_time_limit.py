"""The time to live of a run's machines, and the fix that sets it."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds import title
from gpuinfra.cost.run_hours import suggested_end
from gpuinfra.model import Group
from gpuinfra.units import HOURS_PER_MONTH, plain
from gpuinfra.units.message_merging import list_in_words, names_by_value


def end_after_runs(groups: Iterable[Group]) -> Iterator[str]:
    """Yield fixes that end the machines of groups after a run, with the key to set."""
    ends = ((group.name, (group.needs.hours is None, suggested_end(group))) for group in groups)
    for (is_open, end), names in names_by_value(ends):
        possessive = "its" if len(names) == 1 else "their"
        run = "a time" if is_open else f"{possessive} run"
        yield f"end {list_in_words(names)} after {run} (time_to_live: {end}h)"


def endless_reasons(groups: Iterable[Group]) -> Iterator[str]:
    """Yield why groups count a whole month although their run is shorter."""
    for run, names in names_by_value((group.name, _run_of(group)) for group in groups):
        verb, them, possessive = ("counts", "it", "its") if len(names) == 1 else _SEVERAL
        yield (
            f"{list_in_words(names)} {verb} {HOURS_PER_MONTH} hours: nothing ends {them} after "
            f"{possessive} {run}"
        )


_SEVERAL: Final = ("count", "them", "their")


def _run_of(group: Group) -> str:
    return f"{plain(Decimal(group.needs.hours or 0))} h on {title(group.cloud)}"
