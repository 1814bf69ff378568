"""The workload or bucket of the stack file that each resource belongs to, by its name."""

from collections.abc import Callable

from gpuinfra.cost.cost_rate_changes import REST_LABEL
from gpuinfra.stackfile import StackDocument


def workload_finder(document: StackDocument) -> Callable[[str], str]:
    """Return a function from a resource's name to its workload or bucket in the stack file."""
    stack = document.stack
    names = (*stack.training, *stack.inference, *stack.buckets)

    def name_of(resource: str) -> str:
        fits = [name for name in names if resource == name or resource.startswith(f"{name}-")]
        return max(fits, key=len, default=REST_LABEL)

    return name_of
