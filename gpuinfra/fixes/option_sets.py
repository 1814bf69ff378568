"""Sets of dimensions that are changed together, the most promising first, generated lazily.

Of hundreds of dimensions there are millions of sets of three, and trials for hundreds of them.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from math import prod
from typing import Final

from gpuinfra.fixes.options import Dimension
from gpuinfra.records import record

MAX_ORDERED_OPTIONS: Final = 8
"""The maximum number of options of an ordered dimension tried with another ordered one."""

_Key = tuple[tuple[int, int], tuple[int, ...]]


@record
class OptionGroup:
    """Options of one dimension that are equally promising.

    Attributes:
        distance: how far they are from helping alone; less is better.
        dimension_index: of the dimension, of which one part is taken at a time.
        dimension: with these options only.
    """

    distance: int
    dimension_index: int
    dimension: Dimension

    @property
    def width(self) -> int:
        """The number of options that are tried."""
        many = len(self.dimension.options)
        return min(many, MAX_ORDERED_OPTIONS) if self.dimension.is_ordered else many


def promising_sets(parts: Sequence[OptionGroup], size: int) -> Iterator[tuple[Dimension, ...]]:
    """Yield sets of `size` dimensions by distance, then by their number of options.

    Equal sets stay in the order of the parts. Each successor of a set has the next best part in
    place of one, so that it never comes before it: a set is made when the one before it was taken.
    """
    by_rank = sorted(
        range(len(parts)),
        key=lambda group_index: (parts[group_index].distance, parts[group_index].width),
    )
    first = tuple(range(size))
    waiting: list[tuple[_Key, tuple[int, ...]]] = []
    if size <= len(parts):
        heappush(waiting, (_key(parts, by_rank, first), first))
    while waiting:
        (_, order), ranks = heappop(waiting)
        if len({parts[group_index].dimension_index for group_index in order}) == size:
            yield tuple(parts[group_index].dimension for group_index in order)
        for next_ranks in _next_sets(ranks, len(parts)):
            heappush(waiting, (_key(parts, by_rank, next_ranks), next_ranks))


def _key(parts: Sequence[OptionGroup], by_rank: Sequence[int], ranks: tuple[int, ...]) -> _Key:
    """Return the sort key of a set: its distance, its number of options, then the part order."""
    order = tuple(sorted(by_rank[rank] for rank in ranks))
    option_groups = [parts[group_index] for group_index in order]
    return (
        sum(part.distance for part in option_groups),
        prod(part.width for part in option_groups),
    ), order


def _next_sets(ranks: tuple[int, ...], many: int) -> Iterator[tuple[int, ...]]:
    """Yield the next sets of options to try after a set; each set is reached only once.

    A part gives way to the next best while all parts before it are the best that there are.
    """
    for rank_index, rank in enumerate(ranks):
        upper_rank = ranks[rank_index + 1] if rank_index + 1 < len(ranks) else many
        if rank + 1 < upper_rank:
            yield (*ranks[:rank_index], rank + 1, *ranks[rank_index + 1 :])
        if rank > rank_index:
            break
