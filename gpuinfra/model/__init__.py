"""The facts everyone shares: machines, prices, and the plan that is priced, judged and built.

Plan-time values only: frozen, cloud-blind, standard library. Money is `Decimal` US dollars
unless a row names another currency; memory is GiB; networks are Gbit/s; NVLink is GB/s.
"""

from gpuinfra.model.access import Credential, Exposure, Grant, Listener, OpenPorts
from gpuinfra.model.faults import Fault, Reach, faults_of
from gpuinfra.model.groups import (
    FAR_DAYS,
    Fabric,
    FabricWish,
    Group,
    Kept,
    Market,
    Purpose,
    Safety,
    Wishes,
)
from gpuinfra.model.plan import (
    Caps,
    Defect,
    Item,
    NotJudged,
    Plan,
    Rows,
    SharedNetwork,
    together,
)
from gpuinfra.model.resource import Resource
from gpuinfra.model.rungs import CLOUD_PLACED, NOWHERE, Capacity, Rung
from gpuinfra.model.storage import Bucket, Disk, FileSystem
from gpuinfra.model.tables import (
    OUTDATED_AFTER_DAYS,
    SPOT_OUTDATED_AFTER_DAYS,
    STALE,
    Gpu,
    Interruption,
    Machine,
    Origin,
    Price,
    RegionsAre,
)
from gpuinfra.model.unknown import UNKNOWN, Known, Unknown
from gpuinfra.model.usage import Trust, Usage

__all__ = [
    "CLOUD_PLACED",
    "FAR_DAYS",
    "NOWHERE",
    "OUTDATED_AFTER_DAYS",
    "SPOT_OUTDATED_AFTER_DAYS",
    "STALE",
    "UNKNOWN",
    "Bucket",
    "Capacity",
    "Caps",
    "Credential",
    "Defect",
    "Disk",
    "Exposure",
    "Fabric",
    "FabricWish",
    "Fault",
    "FileSystem",
    "Gpu",
    "Grant",
    "Group",
    "Interruption",
    "Item",
    "Kept",
    "Known",
    "Listener",
    "Machine",
    "Market",
    "NotJudged",
    "OpenPorts",
    "Origin",
    "Plan",
    "Price",
    "Purpose",
    "Reach",
    "RegionsAre",
    "Resource",
    "Rows",
    "Rung",
    "Safety",
    "SharedNetwork",
    "Trust",
    "Unknown",
    "Usage",
    "Wishes",
    "faults_of",
    "together",
]
