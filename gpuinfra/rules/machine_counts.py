"""The number of machines that the caps count, and the workloads without an affordable option."""

from collections.abc import Iterable, Iterator

from gpuinfra.cost import Quote
from gpuinfra.cost.rungs import purchase_options
from gpuinfra.model import Group
from gpuinfra.units import format_count
from gpuinfra.units.message_merging import list_in_words, names_by_value


def machines_counted(group: Group) -> str:
    """Return the most machines that may run at once: by its size, and during an update.

    Empty where the number is not known.
    """
    least, most, surge = group.minimum, group.maximum, group.lifecycle.surge
    if not (isinstance(most, int) and isinstance(surge, int)):
        return ""
    added = f"{surge} more during an update" if surge and most else ""
    is_scaled = least != most and isinstance(least, int)
    size = f"{least} to {most} as it scales" if is_scaled else f"{most} at other times"
    parts = " and ".join(filter(None, (size if is_scaled or added else "", added)))
    return (
        f"{format_count(most + surge if most else 0, 'machine')}{f' ({parts})' if parts else ''}"
    )


def counted_at(groups: Iterable[Group]) -> Iterator[str]:
    """Yield at how many machines the caps count workloads that have no fixed number of them."""
    for text, names in names_by_value((group.name, machines_counted(group)) for group in groups):
        if text.endswith(")"):
            count = "counts" if len(names) == 1 else "each count"
            yield f"{list_in_words(names)} {count} at {text}"


def no_way_left(quote: Quote, limit: str, group: str | None) -> str:
    """Return a note on the workloads of which a cap excludes the last rung.

    Where a finding is about one workload, and that has one rung, the excess says it already.

    Args:
        quote: with the reasons why rungs are excluded.
        limit: the cap, as these reasons end.
        group: the only workload that the finding is about; None for all.
    """
    is_of_several = group is None and len(quote.active_rungs) > 1
    none_left = (
        (name, rungs)
        for name, rungs in quote.excluded_rungs.items()
        if group in {None, name}
        and (len(rungs) > 1 or is_of_several)
        and any((rung_quote.skip_reason or "").endswith(limit) for rung_quote in rungs)
    )
    names_by_options = names_by_value(
        (name, purchase_options(rung_quote.rung for rung_quote in rungs))
        for name, rungs in none_left
    )
    workloads = [f"{list_in_words(names)} ({options})" for options, names in names_by_options]
    return f"; no purchase option is left for {list_in_words(workloads)}" if workloads else ""
