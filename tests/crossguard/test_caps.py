"""What a cap says, and when it says nothing."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.crossguard.caps import cap_violation, unreadable_cost_violation
from gpuinfra.crossguard.running_costs import CostStep
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import Caps

CAPS = Caps(per_hour=Decimal(100))


def cost(per_hour, *unknown):
    return Cost(per_hour=Decimal(per_hour), per_month=Decimal(per_hour) * 730, unknown=unknown)


def step(total, growth, twice=False, stays=False):
    return CostStep(total=total, growth=growth, counted_twice=twice, updated_in_place=stays)


def refusal(growing, *waiting, caps=CAPS, rule="cap-per-hour"):
    return cap_violation(rule, caps, growing, "trainer", lambda: waiting)


@pytest.mark.parametrize(
    "growing",
    [
        step(cost(100), cost(55)),
        step(cost(165), ZERO_COST),
        step(cost(165), cost(-5)),
        step(cost(165), Cost(per_month=Decimal(10))),
        step(cost(165, "old: no price"), ZERO_COST),
        step(cost(165, "old: no price"), cost(-5)),
    ],
)
def test_what_fits_or_adds_nothing_may_go_on(growing):
    assert refusal(growing) is None


def test_the_smallest_growth_above_the_cap_is_refused():
    assert refusal(step(cost(165), cost("0.01"))) is not None


@pytest.mark.parametrize(
    ("rule", "groups", "told"),
    [
        ("cap-per-month", ("trainer",), True),
        ("cap-per-month", (), False),
        ("cap-per-hour", ("trainer",), False),
    ],
)
def test_a_month_tells_which_groups_count_in_full(rule, groups, told):
    growing = replace(step(cost(165), cost(55)), endless_groups=groups)
    caps = Caps(per_hour=Decimal(100), per_month=Decimal(100))
    text = refusal(growing, caps=caps, rule=rule)
    assert text is not None
    assert ("trainer counts 730 hours" in text) is told
    assert ("counts 730 hours" in text) is told


def test_no_cap_no_word():
    assert refusal(step(cost(165), cost(55)), caps=Caps()) is None
    assert refusal(step(cost(165), cost(55)), rule="cap-per-month") is None


def test_the_refusal_names_sum_share_cap_and_key():
    text = refusal(step(cost("165.12"), cost("55.04")))
    assert text is not None
    assert text.startswith(
        "trainer adds $55.04 an hour to $110.08 of existing and planned resources: "
        "$165.12 is above the cap of $100.00 (budget.per_hour)."
    )
    assert "Raise the cap or use less." in text
    assert "two updates" not in text


def test_the_cap_of_a_month_is_kept_too():
    text = refusal(
        step(cost(110), cost(55)), caps=Caps(per_month=Decimal(60_000)), rule="cap-per-month"
    )
    assert text is not None
    assert "$80,300.00 is above the cap of $60,000.00 (budget.per_month)" in text


def test_a_swap_is_told_to_take_two_updates_and_names_what_stands():
    names = [f"urn:pulumi:dev::p::aws:ec2/instance:Instance::old-{number}" for number in range(7)]
    text = refusal(step(cost(165), cost(55)), *names)
    assert text is not None
    assert "at the cap, use two updates: remove it" in text
    assert "old-0, old-1, old-2, old-3, old-4 and 2 more" in text
    text = refusal(step(cost(165), cost(55)), *names[:5])
    assert text is not None
    assert "old-3, old-4 at the cap" in text


def test_what_grows_in_place_is_not_told_to_swap_what_stands():
    text = refusal(step(cost(165), cost(55), stays=True), "urn::x::chat-group")
    assert text is not None
    assert "Raise the cap or use less." in text
    assert "two updates" not in text


def test_an_interrupted_create_is_named_with_the_way_out():
    text = refusal(step(cost(165), cost(55)), "urn::x::worker (still creating: 3)")
    assert text is not None
    assert "An interrupted update left worker (still creating: 3)" in text
    assert "pulumi refresh --clear-pending-creates" in text
    assert "two updates" not in text


def test_a_replacement_is_told_that_it_counts_twice():
    text = refusal(step(cost(165), cost(55), twice=True))
    assert text is not None
    assert "delete_before_replace" in text


@pytest.mark.parametrize("growth", [cost(1), cost(0, "new: no price")])
def test_what_nobody_can_price_is_not_knowable(growth):
    text = refusal(step(cost(1, "new: no price"), growth))
    assert text is not None
    assert "It is unknown whether the cost stays under $100.00 an hour: new: no price" in text


def test_a_state_that_cannot_be_read_refuses_what_costs_and_lets_the_rest_pass():
    text = unreadable_cost_violation(
        "cap-per-hour", CAPS, step(cost(1), cost(1)), "trainer", "no backend"
    )
    assert text is not None
    assert "can't be checked: no backend" in text
    assert (
        unreadable_cost_violation(
            "cap-per-hour", CAPS, step(cost(1), ZERO_COST), "x", "no backend"
        )
        is None
    )
    assert (
        unreadable_cost_violation(
            "cap-per-hour", Caps(), step(cost(1), cost(1)), "x", "no backend"
        )
        is None
    )
