"""The result of a search: options that are accepted together, and their rank."""

from decimal import Decimal
from typing import Final

from gpuinfra.cost import Quote
from gpuinfra.fixes.fix import Edit, distinct
from gpuinfra.fixes.options import EditOption
from gpuinfra.fixes.tradeoffs import ZERO, Loss
from gpuinfra.fixes.trials import TrialOutcome
from gpuinfra.records import record

UNKNOWN_COST_RANK: Final = Decimal("Infinity")

Cost = tuple[Decimal, Decimal, Decimal, Decimal]
Rank = tuple[bool, int, Decimal, int, Cost, tuple[int, ...]]


@record
class SearchResult:
    """Options that are accepted together, with their outcome."""

    options: tuple[EditOption, ...]
    outcome: TrialOutcome
    loss: Loss
    order: tuple[int, ...]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of all options, and those that follow from them."""
        chosen_edits = (edit for option in self.options for edit in option.edits)
        return distinct((*chosen_edits, *self.outcome.follow_up_edits))

    @property
    def rank(self) -> Rank:
        """The sort key of results, the best first.

        Nothing lost before anything lost, then fewer edits, then less lost, then the same machines
        bought alike in the same place, then what is expected to cost less per hour (the most where
        that is unknown), then what costs less per hour, month and run at most, then by the order
        of the dimensions and of their options.
        """
        quote = None if self.outcome.judged is None else self.outcome.judged.quote
        return (*self.rank_before_price, _cost(quote), self.order)

    @property
    def rank_before_price(self) -> tuple[bool, int, Decimal, int]:
        """The part of the rank that is compared before the price."""
        return (
            self.loss.amount > 0,
            sum(option.size for option in self.options),
            self.loss.amount,
            self.disruption,
        )

    @property
    def disruption(self) -> int:
        """How much else is different afterwards, as of an option."""
        return max(option.disruption for option in self.options)


def _cost(quote: Quote | None) -> Cost:
    if quote is None or quote.unpriced:
        return (UNKNOWN_COST_RANK, UNKNOWN_COST_RANK, UNKNOWN_COST_RANK, UNKNOWN_COST_RANK)
    run = ZERO if quote.per_run is None else quote.per_run.ceiling
    hour = quote.per_hour
    expected = hour.expected if hour.expected_at_most is None else hour.expected_at_most
    return (
        UNKNOWN_COST_RANK if expected is None else expected,
        quote.per_hour.ceiling,
        quote.per_month.ceiling,
        run,
    )
