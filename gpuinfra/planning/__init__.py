"""Planning: one plan from a stack file, or from the resources of any Pulumi program."""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.planning.active_rungs import on_rung
    from gpuinfra.planning.declared_stack import stack_graph
    from gpuinfra.planning.gpu_defaults import open_defaults, open_notes
    from gpuinfra.planning.ladder_request import LockProblem
    from gpuinfra.planning.misspelt_names import unknown_names
    from gpuinfra.planning.observed_plan import with_facts
    from gpuinfra.planning.planned_stack import caps, choices, from_stack
    from gpuinfra.planning.resource_plan import from_resources
    from gpuinfra.planning.usage import to_usage

__all__ = [
    "LockProblem",
    "caps",
    "choices",
    "from_resources",
    "from_stack",
    "on_rung",
    "open_defaults",
    "open_notes",
    "stack_graph",
    "to_usage",
    "unknown_names",
    "with_facts",
]

__getattr__ = lazy_names(
    __name__,
    {
        "declared_stack": "stack_graph",
        "ladder": "LockProblem",
        "observed_plan": "with_facts",
        "gpu_defaults": "open_defaults open_notes",
        "resource_plan": "from_resources",
        "planned_stack": "caps choices from_stack",
        "active_rungs": "on_rung",
        "misspelt_names": "unknown_names",
        "usage": "to_usage",
    },
)
"""The module of each name, imported on first use: a preview needs nothing of a stack file."""
