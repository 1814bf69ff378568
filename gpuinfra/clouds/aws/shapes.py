"""What DescribeInstanceTypes says of a machine type, as a row of the table of machines."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from pydantic import BaseModel

from gpuinfra.clouds.refreshing.asked import Fetched, RefreshRequest

SOURCE: Final = "EC2 DescribeInstanceTypes"
_MIB: Final = 1024
_ACCELERATORS: Final = (("GpuInfo", "Gpus"), ("NeuronInfo", "NeuronDevices"))


class MachineShape(BaseModel):
    """A machine type with GPUs or accelerators; memory in MiB."""

    type: str
    gpu: str
    gpu_count: int
    gpu_mib: int | None
    vcpu: int
    memory_mib: int
    storage_gb: int
    efa_interfaces: int
    network_cards: int | None
    architecture: str
    usage_classes: list[str]


class Shapes(BaseModel):
    """The machine types of a region."""

    shapes: list[MachineShape]


def shape(answer: Mapping[str, Any]) -> MachineShape | None:
    """A type of the answer; None for one without GPUs.

    Raises:
        KeyError, TypeError, ValueError: it is not in the documented form.
    """
    devices = [one for info, name in _ACCELERATORS for one in answer.get(info, {}).get(name, ())]
    if not devices:
        return None
    network = answer["NetworkInfo"]
    return MachineShape(
        type=answer["InstanceType"],
        gpu=devices[0].get("Name", ""),
        gpu_count=sum(one.get("Count", 0) for one in devices),
        gpu_mib=devices[0].get("MemoryInfo", {}).get("SizeInMiB"),
        vcpu=answer["VCpuInfo"]["DefaultVCpus"],
        memory_mib=answer["MemoryInfo"]["SizeInMiB"],
        storage_gb=answer.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        efa_interfaces=network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        network_cards=network.get("MaximumNetworkCards"),
        architecture=answer["ProcessorInfo"]["SupportedArchitectures"][-1],
        usage_classes=sorted(answer["SupportedUsageClasses"]),
    )


def rows(pages: Mapping[str, Shapes], asked: RefreshRequest, day: date) -> Fetched:
    """The rows of all types: known ones with the cells that the interface has, new ones whole.

    A cell that the shipped table settled against the interface (GPU memory, network) stays.
    """
    found: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for region, page in pages.items():
        for one in page.shapes:
            row = found.get(one.type) or _row(one, asked, day)
            if row is None:
                size = f" of {one.gpu_mib} MiB" if one.gpu_mib else ""
                left_out[one.type] = f"{one.type}: unknown GPU {one.gpu!r}{size}"
            else:
                row["regions"] = sorted({*row["regions"], region})
                found[one.type] = row
    return Fetched(machines=tuple(found.values()), left_out=tuple(left_out.values()))


def _row(one: MachineShape, asked: RefreshRequest, day: date) -> dict[str, Any] | None:
    row: dict[str, Any] = {
        "type": one.type,
        "vcpu": one.vcpu,
        "memory_gib": str(Decimal(one.memory_mib) / _MIB),
        "local_storage_gb": str(one.storage_gb),
        "fabric_interfaces": one.efa_interfaces,
        "network_cards": one.network_cards,
        "usage_classes": one.usage_classes,
        "as_of": day.isoformat(),
    }
    known = asked.machines.get(one.type)
    if known is not None:
        others = known.source.partition("; other cells: ")[2] or known.source
        return {
            **row,
            "regions": list(known.regions),
            "source": f"{SOURCE}; other cells: {others}",
        }
    memory = None if one.gpu_mib is None else Decimal(one.gpu_mib) / _MIB
    key = asked.gpu_key(one.gpu, memory)
    if key is None or not one.gpu_count:
        return None
    return {
        **row,
        "gpu": key,
        "gpu_count": str(one.gpu_count),
        "gpu_memory_gib": None if memory is None else str(memory),
        "fabric": "efa" if one.efa_interfaces else None,
        "architecture": one.architecture,
        "status": "current",
        "regions": [],
        "source": SOURCE,
        "notes": "the interface has no NVLink and network rate",
    }
