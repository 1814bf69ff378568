"""What looks after a stack in the clouds where a budget is all that does."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gpuinfra.clouds.build_spec import (
    BuildSpec,
    GuardrailOutputs,
    InferenceOutputs,
    TrainingOutputs,
)
from gpuinfra.graph import ResourceGraph
from gpuinfra.model import Caps, Plan

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack

ROOT_KEY = "stack"
"""The key of a stack's root component in a graph, under which its guards stand."""


def budget_only(
    declare_budget: Callable[[BuildSpec, Caps, ResourceGraph], object],
) -> "Callable[[BuildSpec, Stack, Plan, ResourceGraph], GuardrailOutputs]":
    """Guards that are a budget alone; planning has refused what else may be asked for."""

    def declare_guards(
        order: BuildSpec,
        stack: "Stack",  # noqa: ARG001
        plan: Plan,
        graph: ResourceGraph,
    ) -> GuardrailOutputs:
        declare_budget(order, plan.caps, graph)
        return GuardrailOutputs()

    return declare_guards


def nothing_to_watch(
    order: BuildSpec,
    stack: "Stack",
    plan: Plan,
    made: Mapping[str, TrainingOutputs | InferenceOutputs],
    guarded: GuardrailOutputs,
    graph: ResourceGraph,
    declared: ResourceGraph,
) -> None:
    """Declare nothing: planning has refused `monitoring` and `idle_stop` in such a cloud."""
