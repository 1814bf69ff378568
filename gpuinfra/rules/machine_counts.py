"""How many machines of a workload the caps count, and how the number comes about."""

from collections.abc import Iterable, Iterator

from gpuinfra.model import Group
from gpuinfra.units import format_count


def machines_counted(group: Group) -> str:
    """Return the most machines that may run at once: by its size, and during an update.

    Empty where the number is not known.
    """
    least, most, more = group.minimum, group.maximum, group.lifecycle.surge
    if not (isinstance(most, int) and isinstance(more, int)):
        return ""
    added = f"{more} more during an update" if more and most else ""
    scaled = least != most and isinstance(least, int)
    size = f"{least} to {most} as it scales" if scaled else f"{most} at other times"
    parts = " and ".join(filter(None, (size if scaled or added else "", added)))
    return f"{format_count(most + more if most else 0, 'machine')}{f' ({parts})' if parts else ''}"


def counted_at(groups: Iterable[Group]) -> Iterator[str]:
    """Yield at how many machines the caps count each workload that has no fixed number of them."""
    for group in groups:
        words = machines_counted(group)
        if words.endswith(")"):
            yield f"{group.name} counts at {words}"
