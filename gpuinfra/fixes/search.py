"""The search for the smallest edits: one change, then two, then three, within a budget."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from operator import attrgetter
from typing import Final

from gpuinfra.fixes.acceptance import Accept, Removal
from gpuinfra.fixes.fix import Edit, distinct
from gpuinfra.fixes.option_sets import MAX_ORDERED_OPTIONS, OptionGroup, promising_sets
from gpuinfra.fixes.options import Dimension, EditOption
from gpuinfra.fixes.search_result import SearchResult
from gpuinfra.fixes.tradeoffs import WorkloadRequests, loss
from gpuinfra.fixes.trials import TrialOutcome, Trials

RANK: Final = attrgetter("rank")

EXTRA_SHRINK_TRIALS: Final = 24
"""The number of trials beyond the budget for reducing a found fix."""


@dataclass(frozen=True)
class Search:
    """A search over dimensions.

    Attributes:
        dimensions: the likeliest first.
        trials: what tries edits.
        requests: the requests, which edits should preserve.
    """

    dimensions: Sequence[Dimension]
    trials: Trials
    requests: WorkloadRequests

    def smallest(
        self, accept: Accept, maximum: int, minimum: int = 1, *, full: bool = False
    ) -> SearchResult | None:
        """Return the best accepted set of `minimum` to `maximum` changes; None if there is none.

        What loses nothing of what was asked for is preferred at any size; of the others, the
        smallest is taken. With `full`, some that loses something is known, and not sought again.
        """
        lossy: list[SearchResult] = []
        for size in range(minimum, maximum + 1):
            results = list(self._results_of_size(size, accept, full=full or bool(lossy)))
            lossless = [candidate for candidate in results if not candidate.loss.amount]
            if lossless:
                return min(lossless, key=RANK)
            lossy += results
        return min(lossy, key=RANK, default=None)

    def furthest(self, results: Iterable[SearchResult]) -> tuple[EditOption, ...]:
        """Return the options of all results; of several for the same places, the last of all."""
        chosen: dict[tuple[tuple[str, str, str], ...], EditOption] = {}
        options = (option for result in results for option in result.options)
        for option in sorted(options, key=lambda option: self._positions.get(id(option), 0)):
            chosen[tuple(edit.target_path for edit in option.edits)] = option
        return tuple(chosen.values())

    def accepted_together(
        self, options: tuple[EditOption, ...], accept: Accept
    ) -> SearchResult | None:
        """Return options that are accepted together; None where they are not."""
        if not _are_independent(options):
            return None
        return next(self._accepted_result(options, accept), None)

    def without_needless_options(
        self, options: tuple[EditOption, ...], accept: Accept
    ) -> SearchResult | None:
        """Return options that are accepted together, without those that are not needed."""
        thinnest = self.accepted_together(options, accept)
        if thinnest is None:
            return None
        for left_out in options:
            rest = tuple(option for option in thinnest.options if option is not left_out)
            fewer = next(self._accepted_result(rest, accept), None) if rest else None
            thinnest = fewer or thinnest
        return thinnest

    def shrink_result(self, smallest: SearchResult, accept: Accept) -> SearchResult:
        """Return a search result without the edits that are not needed.

        A search that runs out of trials may know a pair of edits, and not that one would do.
        Whole options are left out first, then single edits; what is left gives up no more.
        """
        with self.trials.extra_trials(EXTRA_SHRINK_TRIALS):
            while len(smallest.options) > 1:
                smaller_options = (
                    [option for option in smallest.options if option is not left_out]
                    for left_out in smallest.options
                )
                fewer = [
                    candidate
                    for rest in smaller_options
                    for candidate in self._accepted_result(tuple(rest), accept)
                ]
                best = min(fewer, key=RANK, default=None)
                if best is None or best.loss.amount > smallest.loss.amount:
                    break
                smallest = best
            for edit in smallest.edits if len(smallest.edits) > 1 else ():
                parts = (_option_without_edit(option, edit) for option in smallest.options)
                rest = tuple(part for part in parts if part.edits)
                for candidate in self._accepted_result(rest, accept) if rest else ():
                    if candidate.loss.amount <= smallest.loss.amount:
                        smallest = candidate
        return smallest

    def _results_of_size(self, size: int, accept: Accept, *, full: bool) -> Iterator[SearchResult]:
        if size > 1 and self.trials.is_exhausted:
            self.trials.stopped = self.trials.stopped or size <= len(self.dimensions)
            return
        for chosen in self._dimension_sets(size, full=full):
            yield from self._accepted_combinations(chosen, accept)
            if self.trials.is_exhausted:
                self.trials.stopped = True
                if size > 1:
                    break  # of single changes, those tried before still count

    def _dimension_sets(self, size: int, *, full: bool) -> Iterable[tuple[Dimension, ...]]:
        """Return sets of `size` dimensions, the most promising first, then the small ones.

        Where only what loses nothing is sought, what loses something alone is left out.
        """
        if size == 1:
            return [(dimension,) for dimension in self.dimensions]
        parts = [
            OptionGroup(
                distance=self._distance_from_help(part), dimension_index=place, dimension=part
            )
            for place, dimension in enumerate(self.dimensions)
            for part in self._split_dimension(
                self._without_lossy_options(dimension) if full else dimension
            )
        ]
        return promising_sets(parts, size)

    def _without_lossy_options(self, dimension: Dimension) -> Dimension:
        """Return a dimension without options that lose something alone; maybe none if ordered."""
        options = dimension.options
        if dimension.is_ordered:
            return replace(
                dimension, options=() if self._gives_up_something(options[-1]) else options
            )
        return replace(
            dimension,
            options=tuple(option for option in options if not self._gives_up_something(option)),
        )

    def _gives_up_something(self, option: EditOption) -> bool:
        outcome = self.trials.outcome_of(option.edits)
        if outcome is None or outcome.judged is None:
            return bool(option.losses)
        return loss(self.requests, outcome.judged.plan, option.losses).amount > 0

    def _split_dimension(self, dimension: Dimension) -> Iterator[Dimension]:
        """Yield a dimension split into parts of equally promising options."""
        if dimension.is_ordered:
            if dimension.options:
                yield dimension
            return
        parts: dict[int, list[EditOption]] = {}
        for option in dimension.options:
            single = replace(dimension, options=(option,))
            parts.setdefault(self._distance_from_help(single), []).append(option)
        for options in parts.values():
            yield replace(dimension, options=tuple(options))

    def _distance_from_help(self, dimension: Dimension) -> int:
        """Return how far a dimension's first option, or last if ordered, is from helping alone.

        Each finding that it adds, that it does nothing, and that it is mostly changed for others
        count as one; what can't be judged alone does nothing.
        """
        now = self.trials.outcome_of(())
        option = dimension.options[-1 if dimension.is_ordered else 0]
        outcome = self.trials.outcome_of(option.edits)
        if now is None or outcome is None or outcome.judged is None:
            return 1 + dimension.is_unlikely
        added = len(outcome.refusing_findings) - len(now.refusing_findings)
        return max(0, added + (outcome.messages == now.messages)) + dimension.is_unlikely

    def _accepted_combinations(
        self, chosen: tuple[Dimension, ...], accept: Accept
    ) -> Iterator[SearchResult]:
        """Yield accepted options, one of each dimension; of ordered ones the first to suffice."""
        plain = [dimension for dimension in chosen if not dimension.is_ordered]
        ordered = [dimension for dimension in chosen if dimension.is_ordered]
        for options in product(*(dimension.options for dimension in plain)):
            if not _are_independent(options):
                continue
            if not ordered:
                yield from self._accepted_result(options, accept)
            else:
                yield from self._least_accepted(options, ordered, accept)

    def _least_accepted(
        self, options: tuple[EditOption, ...], ordered: Sequence[Dimension], accept: Accept
    ) -> Iterator[SearchResult]:
        """Yield the first accepted option of the last ordered dimension, for some of others."""
        *others, last = ordered
        for added_options in product(*(_sampled_steps(dimension.options) for dimension in others)):
            fixed_options = (*options, *added_options)
            steps = self._options_after(fixed_options, last)
            if steps and _are_independent((*fixed_options, steps[0])):
                first = self._first_accepted(fixed_options, steps, accept)
                if first is not None:
                    yield from self._accepted_result((*fixed_options, first), accept)

    def _options_after(
        self, fixed_options: tuple[EditOption, ...], dimension: Dimension
    ) -> Sequence[EditOption]:
        """Return the options of a dimension where others are chosen that may change its range."""
        outcome = self.trials.outcome_of(_edits(fixed_options)) if fixed_options else None
        if dimension.options_after is None or outcome is None or outcome.judged is None:
            return dimension.options
        return dimension.options_after(outcome.judged.plan)

    def _first_accepted(
        self, fixed_options: tuple[EditOption, ...], steps: Sequence[EditOption], accept: Accept
    ) -> EditOption | None:
        """Return the first accepted step by binary search; None where the last is refused."""
        low, high = 0, len(steps) - 1
        if not self._is_accepted((*fixed_options, steps[high]), accept):
            return None
        # Out of trials, the search would end at the last step, which takes away the most.
        with self.trials.extra_trials(len(steps).bit_length()):
            while low < high:
                middle = (low + high) // 2
                if self._is_accepted((*fixed_options, steps[middle]), accept):
                    high = middle
                else:
                    low = middle + 1
        return steps[low]

    def _is_accepted(self, options: tuple[EditOption, ...], accept: Accept) -> bool:
        return (outcome := self._try_options(options, accept)) is not None and accept(outcome)

    def _try_options(self, options: tuple[EditOption, ...], accept: Accept) -> TrialOutcome | None:
        """Return the outcome of options; None if no trial is left or an exceeded cap decides.

        Single options are always tried: their outcomes say what is promising.
        """
        edits = _edits(options)
        if len(options) > 1 and isinstance(accept, Removal):
            exceeded_caps = self.trials.exceeded_caps(edits)
            if exceeded_caps and accept.is_ruled_out(exceeded_caps):
                return None
        return self.trials.outcome_of(edits)

    def _accepted_result(
        self, options: tuple[EditOption, ...], accept: Accept
    ) -> Iterator[SearchResult]:
        outcome = self._try_options(options, accept)
        if outcome is not None and outcome.judged is not None and accept(outcome):
            given_up = [option_loss for option in options for option_loss in option.losses]
            lost = loss(self.requests, outcome.judged.plan, given_up)
            order = tuple(self._positions.get(id(option), 0) for option in options)
            yield SearchResult(options=options, outcome=outcome, loss=lost, order=order)

    @cached_property
    def _positions(self) -> dict[int, int]:
        """The position of each option among all options."""
        all_options = (option for dimension in self.dimensions for option in dimension.options)
        return {id(option): option_index for option_index, option in enumerate(all_options)}


def _edits(options: Iterable[EditOption]) -> tuple[Edit, ...]:
    return distinct(edit for option in options for edit in option.edits)


def _option_without_edit(option: EditOption, edit: Edit) -> EditOption:
    other_edits = tuple(other for other in option.edits if other != edit)
    return replace(option, edits=other_edits) if edit in option.edits else option


def _are_independent(options: Iterable[EditOption]) -> bool:
    """Return whether no edit writes to the path of another one, or inside of it."""
    return not any(_edits_collide(edit, other) for edit, other in combinations(_edits(options), 2))


def _edits_collide(edit: Edit, other: Edit) -> bool:
    if edit.resource != other.resource:
        return False
    if edit.adds_resource or other.adds_resource:
        return edit.adds_resource and other.adds_resource and edit.type == other.type
    shared = min(len(edit.path), len(other.path))
    return edit.path[:shared] == other.path[:shared]


def _sampled_steps(steps: Sequence[EditOption]) -> Sequence[EditOption]:
    """Return some of many steps, evenly spaced, including the last."""
    if len(steps) <= MAX_ORDERED_OPTIONS:
        return steps
    step_size = -(-len(steps) // MAX_ORDERED_OPTIONS)
    return tuple(dict.fromkeys((*steps[step_size - 1 :: step_size], steps[-1])))
