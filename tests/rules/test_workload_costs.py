"""What the machines of one workload cost, at their maximum or at their minimum."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import Quote
from gpuinfra.cost.quote import Line
from gpuinfra.rules.workload_costs import Span, WorkloadCosts
from tests.rules.cases.judging import group, plan, quoted

HOUR = Decimal("55.04")
RUN = group()
PLAN = plan(RUN)
QUOTE = quoted(PLAN)


def with_machines(**changes: Any) -> Quote:
    """The quote with changes to the only line of its only rung."""
    (rung,) = QUOTE.rungs
    (line,) = rung.machines
    machines: tuple[Line, ...] = (replace(line, **changes),)
    return replace(QUOTE, rungs=(replace(rung, machines=machines),))


@pytest.mark.parametrize(
    ("minimum", "span", "amount"),
    [
        (None, "hour", HOUR),
        (HOUR, "hour", HOUR),
        (HOUR + 1, "hour", HOUR + 1),
        (HOUR - 1, "hour", HOUR),
        (None, "month", HOUR * 730),
        (HOUR + 1, "month", (HOUR + 1) * 730),
    ],
)
def test_the_higher_of_maximum_and_minimum_counts(
    minimum: Decimal | None, span: Span, amount: Decimal
) -> None:
    costs = WorkloadCosts(PLAN, with_machines(minimum_per_hour=minimum))

    assert costs.cost_of(RUN, span).amount == amount


def test_what_has_no_price_adds_nothing_and_is_missing() -> None:
    unpriced = with_machines(per_hour=None, per_month=None, status="unpriced", note="no price")
    least = with_machines(per_hour=None, per_month=None, minimum_per_hour=HOUR)

    cost = WorkloadCosts(PLAN, unpriced).cost_of(RUN, "hour")

    assert (cost.amount, cost.missing) == (0, ("no price",))
    assert WorkloadCosts(PLAN, least).cost_of(RUN, "hour").amount == 0


def test_a_workload_that_the_quote_lacks_is_missing() -> None:
    cost = WorkloadCosts(PLAN, QUOTE).cost_of(group(name="other"), "hour")

    assert (cost.amount, cost.missing) == (0, ("the quote does not include it",))
