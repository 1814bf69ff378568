"""Costs of a stack before and after edits, as text."""

from decimal import Decimal
from typing import Final

from gpuinfra.records import record
from gpuinfra.units import (
    format_change,
    format_expected,
    format_money,
    format_percent_change,
    round_half_up,
)

UNCHANGED: Final = "unchanged"


@record
class Span:
    """The maximum cost of a stack per hour, month or run, in USD; None where it is unknown."""

    before: Decimal | None
    after: Decimal | None

    def text(self, unit: str) -> str:
        """Return the change as text: `-$12.40/h, -18%`; the new cost if the old is unknown.

        It is the difference of the two costs as they are shown elsewhere.
        """
        if self.after is None:
            return f"the price per {'hour' if unit == 'h' else unit} is unknown"
        if self.before is None:
            return f"{format_money(self.after)}/{unit}, unknown before"
        change = self.after - self.before
        if not change:
            return f"same price, {format_money(self.after)}/{unit}"
        share = f", {format_percent_change(change / self.before)}" if self.before else ""
        shown_change = round_half_up(self.after) - round_half_up(self.before)
        return f"{format_change(change, rounded=shown_change)}/{unit}{share}"

    @property
    def maximum_text(self) -> str:
        """The new and old maximum cost: `at most $4.09, was $8.19 (-50%)`; `unchanged, $4.09`."""
        if self.after is None:
            return "the price is unknown"
        current_text = format_money(self.after)
        if self.before is None:
            return f"at most {current_text}, unknown before"
        if self.before == self.after:
            return f"{UNCHANGED}, {current_text}"
        share = (self.after - self.before) / self.before if self.before else None
        percent = "" if share is None else f" ({format_percent_change(share)})"
        return f"at most {current_text}, was {format_money(self.before)}{percent}"


@record
class ExpectedSpan(Span):
    """The expected cost of a stack per hour; where it is unknown, what it is at most."""

    before_at_most: Decimal | None = None
    after_at_most: Decimal | None = None

    @property
    def expected_words(self) -> str:
        """The expected cost, and the old one if it differs: `expected $3.68/h, was $1.10`."""
        previous_text = format_expected(self.before, self.before_at_most)
        current_text = format_expected(self.after, self.after_at_most)
        if not current_text:
            return (
                f"expected unknown, was {previous_text}"
                if previous_text
                else "expected cost unknown"
            )
        return f"expected {current_text}/h" + (
            "" if current_text == previous_text else f", was {previous_text or 'unknown'}"
        )
