"""What looks after a stack in the rooms that keep its budget and nothing more yet."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpuinfra.clouds.order import Given, Guarded, Order, Served, Trained
from gpuinfra.model import Caps, Plan

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Stack

BuildBudget = Callable[[Order, Caps, Given], Any]
BuildGuards = Callable[[Order, "Stack", Plan, Given], Guarded]


def budget_only(build_budget: BuildBudget) -> BuildGuards:
    """Guards that are a room's budget alone; planning has refused what else may be asked for."""

    def build_guards(
        order: Order,
        stack: "Stack",  # noqa: ARG001
        plan: Plan,
        given: Given,
    ) -> Guarded:
        build_budget(order, plan.caps, given)
        return Guarded()

    return build_guards


def nothing_to_watch(
    order: Order,
    stack: "Stack",
    plan: Plan,
    made: Mapping[str, Trained | Served],
    guarded: Guarded,
    given: Given,
) -> None:
    """Make nothing: planning has refused `monitoring` and `idle_stop` in such a room."""
