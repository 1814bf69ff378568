"""The grammar of a stack file, and its normalised values, which all other code reads."""

from gpuinfra.specs.schema.budget import Budget, Emails, Prices, TypeTokens
from gpuinfra.specs.schema.capacity import (
    Ladder,
    PoolCapacity,
    Queue,
    Regions,
    ScaleOn,
    Step,
    Where,
    Zones,
)
from gpuinfra.specs.schema.rules import (
    RuleSettings,
    Trusted,
    TrustEntry,
    Waiver,
    Waivers,
    WorkloadRule,
)
from gpuinfra.specs.schema.stack import SECTIONS, Stack
from gpuinfra.specs.schema.usage import Usage
from gpuinfra.specs.schema.workloads import (
    Checkpoints,
    Disk,
    Inference,
    Instances,
    Mount,
    Mounts,
    Training,
    Workload,
)

__all__ = [
    "SECTIONS",
    "Budget",
    "Checkpoints",
    "Disk",
    "Emails",
    "Inference",
    "Instances",
    "Ladder",
    "Mount",
    "Mounts",
    "PoolCapacity",
    "Prices",
    "Queue",
    "Regions",
    "RuleSettings",
    "ScaleOn",
    "Stack",
    "Step",
    "Training",
    "TrustEntry",
    "Trusted",
    "TypeTokens",
    "Usage",
    "Waiver",
    "Waivers",
    "Where",
    "Workload",
    "WorkloadRule",
    "Zones",
]
