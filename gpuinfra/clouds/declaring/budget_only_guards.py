"""The guardrails of a stack on clouds whose only guardrail is a budget."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpuinfra.clouds.build_spec import (
    BuildSpec,
    GuardrailOutputs,
    InferenceOutputs,
    TrainingOutputs,
)
from gpuinfra.graph import ResourceGraph
from gpuinfra.model import Caps, Plan
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack

ROOT_KEY = "stack"
"""The key of a stack's root component in a graph, the parent of its guards."""


def budget_only(
    declare_budget: Callable[[BuildSpec, Caps, ResourceGraph], object],
) -> "Callable[[BuildSpec, Stack, Plan, ResourceGraph], GuardrailOutputs]":
    """Return the declaration of a budget as the only guard; planning refuses other guards."""

    def declare_guards(
        spec: BuildSpec,
        stack: "Stack",  # noqa: ARG001
        plan: Plan,
        graph: ResourceGraph,
    ) -> GuardrailOutputs:
        declare_budget(spec, plan.caps, graph)
        return GuardrailOutputs()

    return declare_guards


@record
class WatchedStack:
    """A declared stack, for its monitoring.

    Attributes:
        stack: the stack file.
        plan: the stack's plan.
        workload_outputs: the outputs of its workloads, by name.
        guardrail_outputs: the outputs of the cloud's guardrails.
        graph: all of its resources.
    """

    stack: "Stack"
    plan: Plan
    workload_outputs: Mapping[str, TrainingOutputs | InferenceOutputs]
    guardrail_outputs: Any
    graph: ResourceGraph


def nothing_to_watch(spec: BuildSpec, watched: WatchedStack, graph: ResourceGraph) -> None:
    """Declare nothing: planning has refused `monitoring` and `idle_stop` in such a cloud."""
