"""The grammar of a stack file, and its normalised values, which all other code reads."""

from gpuinfra.specs.schema.budget import Budget, Prices
from gpuinfra.specs.schema.capacity import Queue, ScaleOn, Step, Where
from gpuinfra.specs.schema.rules import RuleSettings, Trusted, TrustEntry, Waiver, Waivers
from gpuinfra.specs.schema.stack import SECTIONS, Stack
from gpuinfra.specs.schema.usage import Usage
from gpuinfra.specs.schema.workloads import Checkpoints, Disk, Inference, Mount, Training, Workload

__all__ = [
    "SECTIONS",
    "Budget",
    "Checkpoints",
    "Disk",
    "Inference",
    "Mount",
    "Prices",
    "Queue",
    "RuleSettings",
    "ScaleOn",
    "Stack",
    "Step",
    "Training",
    "TrustEntry",
    "Trusted",
    "Usage",
    "Waiver",
    "Waivers",
    "Where",
    "Workload",
]
