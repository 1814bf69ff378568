"""Makes one plan, of a stack file or of the resources of any Pulumi program."""

from gpuinfra.planning.declaring import declared
from gpuinfra.planning.ladder import Misfit
from gpuinfra.planning.observing import with_facts
from gpuinfra.planning.resources import from_resources
from gpuinfra.planning.stack import caps, choices, from_stack
from gpuinfra.planning.standing import stand
from gpuinfra.planning.usage import to_usage

__all__ = [
    "Misfit",
    "caps",
    "choices",
    "declared",
    "from_resources",
    "from_stack",
    "stand",
    "to_usage",
    "with_facts",
]
