"""The types that all packages share: machines, prices, and the plan of a stack.

Frozen values of plan time, the same for every cloud, with the standard library alone. Money is
`Decimal` US dollars unless a row names another currency; memory is GiB; networks are Gbit/s;
NVLink is GB/s.
"""

from gpuinfra.model.access import ControlPlane, Credential, Exposure, Grant, Listener, OpenPorts
from gpuinfra.model.faults import Fault, Reachability, fault_messages, faults_of
from gpuinfra.model.groups import (
    FAR_DAYS,
    CheckpointWrites,
    CloudReasons,
    Fabric,
    FabricFirewall,
    FabricRequirement,
    Group,
    GroupLifecycle,
    MarketFacts,
    Purpose,
    Safety,
    WorkloadNeeds,
)
from gpuinfra.model.plan import (
    BudgetDoubt,
    Caps,
    Defect,
    Item,
    NotJudged,
    Plan,
    Rows,
    SharedNetwork,
    combined_rows,
)
from gpuinfra.model.resource import STACK_REFERENCE, Resource
from gpuinfra.model.rungs import CLOUD_PLACED, NOWHERE, Capacity, Rung
from gpuinfra.model.storage import EXAMPLE_SIZE, Bucket, Disk, FileSystem
from gpuinfra.model.table_rows import (
    OUTDATED_AFTER_DAYS,
    SPOT_OUTDATED_AFTER_DAYS,
    Gpu,
    Interruption,
    Machine,
    Origin,
    Price,
)
from gpuinfra.model.unknown import UNKNOWN, Known, Unknown
from gpuinfra.model.usage import Trust, Usage

__all__ = [
    "CLOUD_PLACED",
    "EXAMPLE_SIZE",
    "FAR_DAYS",
    "NOWHERE",
    "OUTDATED_AFTER_DAYS",
    "SPOT_OUTDATED_AFTER_DAYS",
    "STACK_REFERENCE",
    "UNKNOWN",
    "Bucket",
    "BudgetDoubt",
    "Capacity",
    "Caps",
    "CheckpointWrites",
    "CloudReasons",
    "ControlPlane",
    "Credential",
    "Defect",
    "Disk",
    "Exposure",
    "Fabric",
    "FabricFirewall",
    "FabricRequirement",
    "Fault",
    "FileSystem",
    "Gpu",
    "Grant",
    "Group",
    "GroupLifecycle",
    "Interruption",
    "Item",
    "Known",
    "Listener",
    "Machine",
    "MarketFacts",
    "NotJudged",
    "OpenPorts",
    "Origin",
    "Plan",
    "Price",
    "Purpose",
    "Reachability",
    "Resource",
    "Rows",
    "Rung",
    "Safety",
    "SharedNetwork",
    "Trust",
    "Unknown",
    "Usage",
    "WorkloadNeeds",
    "combined_rows",
    "fault_messages",
    "faults_of",
]
