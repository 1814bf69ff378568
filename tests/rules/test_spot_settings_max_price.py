"""A maximum price of a spot request: below the last spot price, or above the on-demand price."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.model import Rung
from gpuinfra.rules import judge
from tests.rules.cases.grouped import grouped
from tests.rules.cases.judging import TODAY, findings, group, plan, quoted

SPOT = {"capacity": "spot", "machine": "p5.48xlarge", "region": "us-east-1", "zones": ()}


def bidding(bid: str, **more):
    (finding,) = findings(
        plan(group(capacity="spot", max_price=Decimal(bid), **more)), "spot-settings"
    )
    return finding


def test_a_low_bid_warns_that_nothing_may_run_where_nothing_else_is_left() -> None:
    finding = bidding("0.1")

    assert (finding.outcome, finding.level) == ("violated", "advisory")
    assert "above max_price $0.10: the request may wait" in finding.message
    assert finding.message.endswith("; capacity has no other step, so the workload may not start")


@pytest.mark.parametrize("other", ["on-demand", "spot"])
def test_it_warns_where_another_step_may_run(other: str) -> None:
    low = Rung(**SPOT, max_price=Decimal("0.1"))
    ladder = (low, Rung(**{**SPOT, "capacity": other, "region": "us-west-2"}))
    two = grouped(
        name="trainer",
        subject="training.trainer",
        purpose="training",
        cloud="aws",
        machines=("p5.48xlarge",),
        rungs=ladder,
    )

    (finding,) = findings(plan(two), "spot-settings")

    assert (finding.outcome, finding.level) == ("violated", "advisory")
    assert "the request may wait" in finding.message
    assert "no other step" not in finding.message


def test_it_warns_where_a_pool_has_a_base_on_demand() -> None:
    finding = bidding("0.1", on_demand_base=1, minimum=2, maximum=4)

    assert (finding.outcome, finding.level) == ("violated", "advisory")
    assert "no other step" not in finding.message


def test_machines_without_a_bid_of_their_own_have_none_to_raise() -> None:
    judged = plan(group(capacity="spot"))
    quote = quoted(judged)
    (rung,) = quote.rungs
    waiting = tuple(replace(line, may_wait=True) for line in rung.machines)

    verdict = judge(
        judged, replace(quote, rungs=(replace(rung, machines=waiting),)), {}, (), TODAY
    )

    (found,) = (it for it in verdict.findings if it.rule == "spot-settings")
    assert found.outcome == "fine"


def test_a_bid_above_on_demand_warns_and_counts_as_written() -> None:
    finding = bidding("60")

    assert (finding.outcome, finding.level) == ("violated", "advisory")
    assert finding.message == (
        "max_price $60.00 of p5.48xlarge in us-east-1 is above the on-demand price, $55.04, and "
        "the caps count it as written"
    )


def test_a_bid_at_the_on_demand_price_is_fine() -> None:
    assert bidding("55.04").outcome == "fine"
