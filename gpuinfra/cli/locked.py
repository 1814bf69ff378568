"""What the lock of a source was written for, and what the same costs today."""

from collections.abc import Callable

from gpuinfra.catalog import Book
from gpuinfra.cost import Quote
from gpuinfra.rules import Locked
from gpuinfra.source import Source


def locked(read: Source, priced: Callable[[Book], Quote]) -> Locked | None:
    """The sums of the lock that holds; None where none does.

    Args:
        read: a stack file with what lies beside it.
        priced: the quote of what is judged, by a book.
    """
    lock = read.held
    if lock is None:
        return None
    run = lock.per_run
    return Locked(
        per_hour=lock.per_hour.ceiling,
        per_month=lock.per_month.ceiling,
        per_run=None if run is None else run.ceiling,
        today=priced(read.today),
    )
