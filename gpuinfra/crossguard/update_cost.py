"""The maximum cost of resources in an update: sums, unknown parts, and machine counts."""

from dataclasses import replace
from decimal import Decimal

from gpuinfra.model import Unknown
from gpuinfra.records import record

Amount = tuple[object, int | Decimal | Unknown | None]
"""Something that is paid for, as far as its price goes, and how much of it."""
_ROUNDING = Decimal("0.000001")
"""US dollars: closer sums are the same, since a month's price is an endless fraction an hour."""


@record
class Cost:
    """The maximum cost of a resource or of several, in US dollars.

    Attributes:
        per_hour: US dollars.
        per_month: US dollars.
        unknown: what is not known, in words.
        amounts: what is paid for where not all of it is known, to compare it with the old cost.
        machines: how many machines it pays for; 0 where that is not known.
    """

    per_hour: Decimal = Decimal(0)
    per_month: Decimal = Decimal(0)
    unknown: tuple[str, ...] = ()
    amounts: tuple[Amount, ...] = ()
    machines: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            per_hour=self.per_hour + other.per_hour,
            per_month=self.per_month + other.per_month,
            unknown=tuple(dict.fromkeys((*self.unknown, *other.unknown))),
            amounts=(*self.amounts, *other.amounts),
            machines=self.machines + other.machines,
        )

    def maximum(self, other: "Cost") -> "Cost":
        """Return the higher cost of both, for when it is unknown which one applies.

        Its machines are the fewest of both, since the fewer run, the more can be added beside
        them; of machines of one price, it is the larger cost as a whole.
        """
        both = self + other
        counts = [cost.machines for cost in (self, other) if cost.machines]
        machines = max(counts) if self.has_price_of(other) else min(counts, default=0)
        return replace(
            both,
            per_hour=max(self.per_hour, other.per_hour),
            per_month=max(self.per_month, other.per_month),
            machines=machines,
        )

    def growing_to(self, cost_after: "Cost") -> "Cost":
        """Return the maximum cost of a change in place, where old machines may run beside new."""
        before, after = self.machines, cost_after.machines
        larger = self.maximum(cost_after)
        if not 0 < before < after:
            return larger

        def combined_amount(amount_before: Decimal, amount_after: Decimal) -> Decimal:
            return amount_before + amount_after * (after - before) / after

        return replace(
            larger,
            per_hour=max(larger.per_hour, combined_amount(self.per_hour, cost_after.per_hour)),
            per_month=max(larger.per_month, combined_amount(self.per_month, cost_after.per_month)),
        )

    def for_machines(self, machines: int) -> "Cost":
        """Return the share of this cost for that many machines."""
        return Cost(
            per_hour=self.per_hour * machines / self.machines,
            per_month=self.per_month * machines / self.machines,
            machines=machines,
        )

    def minus(self, other: "Cost") -> "Cost":
        """Return this cost minus another cost that is included in it."""
        return replace(
            self,
            per_hour=self.per_hour - other.per_hour,
            per_month=self.per_month - other.per_month,
            machines=self.machines - other.machines,
        )

    def has_price_of(self, other: "Cost") -> bool:
        """Return whether each machine of this cost has the same price as one of the other cost."""
        if self.adds_nothing or other.adds_nothing or self.unknown or other.unknown:
            return False
        if not (self.machines and other.machines):
            return False
        same = self.for_machines(other.machines)
        return (
            abs(same.per_hour - other.per_hour) < _ROUNDING
            and abs(same.per_month - other.per_month) < _ROUNDING
        )

    @property
    def adds_nothing(self) -> bool:
        """Whether this cost is certain to add nothing."""
        return self.per_hour <= 0 and self.per_month <= 0 and not self.unknown

    def may_exceed(self, other: "Cost") -> bool:
        """Return whether this cost has an item that the other lacks, or more of one."""
        unmatched_amounts = list(other.amounts)
        for span, amount in self.amounts:
            covering = (
                paid
                for paid in unmatched_amounts
                if paid[0] == span and _is_at_most(amount, paid[1])
            )
            covered = next(covering, None)
            if covered is None:
                return True
            unmatched_amounts.remove(covered)
        return False


def _is_at_most(
    amount: int | Decimal | Unknown | None, other: int | Decimal | Unknown | None
) -> bool:
    if isinstance(amount, int | Decimal) and isinstance(other, int | Decimal):
        return amount <= other
    return amount == other


ZERO_COST = Cost()
