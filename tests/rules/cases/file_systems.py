"""File systems: a row that machines mount, and programs of clouds that make one."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from gpuinfra.model import FileSystem, Plan
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.judging import group, plan
from tests.rules.cases.program import Program

FILES = FileSystem(
    name="trainer-shared",
    subject="training.trainer.shared_storage",
    cloud="aws",
    kind="lustre",
    region="us-east-1",
    size_gib=4800,
    throughput_mbs=Decimal(4800),
    group="trainer",
    encrypted=True,
    one_zone=True,
)


def mounted(**changes: Any) -> Plan:
    """A plan of four machines that mount a file system."""
    return plan(group(minimum=4, maximum=4), file_systems=(replace(FILES, **changes),))


def managed_lustre(**inputs: Any) -> Program:
    """Managed Lustre of Google Cloud beside its machines."""
    case = gcp_cluster.roce()
    case.program.add(
        "lustre/instance:Instance",
        "scratch",
        **{
            "location": "us-central1-b",
            "capacityGib": 18_000,
            "perUnitStorageThroughput": "1000",
            **inputs,
        },
    )
    return case.program


def amlfs(**inputs: Any) -> Program:
    """Azure Managed Lustre beside its machines."""
    case = azure_cluster.cluster()
    case.program.add(
        "azure-native:storagecache:AmlFilesystem",
        "scratch",
        **{
            "sku": {"name": "AMLFS-Durable-Premium-250"},
            "storageCapacityTiB": 8,
            "zones": ["1"],
            **inputs,
        },
    )
    return case.program
